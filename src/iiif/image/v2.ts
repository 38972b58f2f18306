// The Image API 2.1 as this service accepts and advertises it (sections 4 and 5, compliance level 2).

import type { ImageVersion } from "./version.ts";

export const version2 = {
  version: 2,
  context: "http://iiif.io/api/image/2/context.json",
  level: "http://iiif.io/api/image/2/level2.json",
  regions: {
    full: "base",
    square: "regionSquare",
    "x,y,w,h": "regionByPx",
    "pct:x,y,w,h": "regionByPct",
  },
  sizes: {
    full: "base",
    max: "base",
    "w,": "sizeByW",
    ",h": "sizeByH",
    "pct:n": "sizeByPct",
    "w,h": "sizeByDistortedWh",
    "!w,h": "sizeByConfinedWh",
  },
  rotation: {
    fullTurn: true,
    quarters: "rotationBy90s",
    arbitrary: "rotationArbitrary",
    mirror: "mirroring",
  },
  qualities: {
    default: { means: "default", mark: "advertised" },
    native: { means: "default", mark: "advertised" },
    color: { means: "color", mark: "advertised" },
    gray: { means: "gray", mark: "advertised" },
    bitonal: { means: "bitonal", mark: "silent" },
  },
  impliedFormats: [],
  features: {
    regionByPx: "implied",
    regionByPct: "implied",
    regionSquare: "advertised",
    sizeByW: "implied",
    sizeByH: "implied",
    sizeByPct: "implied",
    sizeByDistortedWh: "implied",
    sizeByConfinedWh: "implied",
    rotationBy90s: "implied",
    rotationArbitrary: "advertised",
    mirroring: "advertised",
    baseUriRedirect: "implied",
    jsonldMediaType: "advertised",
    cors: "advertised",
    profileLinkHeader: "silent",
    canonicalLinkHeader: "silent",
  },
} as const satisfies ImageVersion;
