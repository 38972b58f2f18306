// The Image API 3.0 as this service accepts and advertises it (sections 4 and 5, compliance level 2).

import type { ImageVersion } from "./version.ts";

export const version3 = {
  version: 3,
  context: "http://iiif.io/api/image/3/context.json",
  level: "http://iiif.io/api/image/3/level2.json",
  regions: {
    full: "base",
    square: "regionSquare",
    "x,y,w,h": "regionByPx",
    "pct:x,y,w,h": "regionByPct",
  },
  sizes: {
    max: "base",
    "w,": "sizeByW",
    ",h": "sizeByH",
    "pct:n": "sizeByPct",
    "w,h": "sizeByWh",
    "!w,h": "sizeByConfinedWh",
  },
  upscaling: "sizeUpscaling",
  rotation: {
    fullTurn: false,
    quarters: "rotationBy90s",
    arbitrary: "rotationArbitrary",
    mirror: "mirroring",
  },
  qualities: {
    default: { means: "default", mark: "implied" },
    color: { means: "color", mark: "advertised" },
    gray: { means: "gray", mark: "advertised" },
    bitonal: { means: "bitonal", mark: "silent" },
  },
  impliedFormats: ["jpg"],
  features: {
    regionByPx: "implied",
    regionByPct: "implied",
    regionSquare: "implied",
    sizeByW: "implied",
    sizeByH: "implied",
    sizeByPct: "implied",
    sizeByWh: "implied",
    sizeByConfinedWh: "implied",
    sizeUpscaling: "advertised",
    rotationBy90s: "implied",
    rotationArbitrary: "advertised",
    mirroring: "silent",
    baseUriRedirect: "implied",
    jsonldMediaType: "advertised",
    cors: "advertised",
    profileLinkHeader: "silent",
    canonicalLinkHeader: "silent",
  },
} as const satisfies ImageVersion;
