import { describe, expect, test } from "vitest";
import { parseImageRequest } from "../../../src/iiif/image/grammar.ts";
import { type InformationInput, imageInformation, informationType } from "../../../src/iiif/image/info.ts";
import { imageVersions } from "../../../src/iiif/image/versions.ts";
import { formats } from "./formats.ts";

const none = { maxWidth: 0, maxHeight: 0, maxArea: 0 };
const input = (version: 2 | 3, more: Partial<InformationInput> = {}): InformationInput => ({
  version,
  id: `https://example.org/iiif/${version}/ark:%2F1%2Fx`,
  size: { width: 5000, height: 4000 },
  rules: { limits: none, tileSize: 512 },
  formats,
  preferredFormats: ["avif", "jpg"],
  ...more,
});

describe("image information", () => {
  test("of version 3 has the specified fields in order", () => {
    expect(JSON.stringify(imageInformation(input(3)))).toBe(
      JSON.stringify({
        "@context": "http://iiif.io/api/image/3/context.json",
        id: "https://example.org/iiif/3/ark:%2F1%2Fx",
        type: "ImageService3",
        protocol: "http://iiif.io/api/image",
        profile: "level2",
        width: 5000,
        height: 4000,
        extraFormats: ["png", "tif", "webp"],
        extraQualities: ["color", "gray"],
        extraFeatures: ["sizeUpscaling", "rotationArbitrary", "jsonldMediaType", "cors"],
        preferredFormats: ["avif", "jpg"],
        tiles: [{ width: 512, scaleFactors: [1, 2, 4, 8, 16] }],
      }),
    );
  });

  test("of version 2 has the specified fields in order", () => {
    expect(JSON.stringify(imageInformation(input(2)))).toBe(
      JSON.stringify({
        "@context": "http://iiif.io/api/image/2/context.json",
        "@id": "https://example.org/iiif/2/ark:%2F1%2Fx",
        "@type": "iiif:Image",
        protocol: "http://iiif.io/api/image",
        width: 5000,
        height: 4000,
        profile: [
          "http://iiif.io/api/image/2/level2.json",
          {
            formats: ["jpg", "png", "tif", "webp"],
            qualities: ["default", "native", "color", "gray"],
            supports: ["regionSquare", "rotationArbitrary", "mirroring", "jsonldMediaType", "cors"],
          },
        ],
        tiles: [{ width: 512, scaleFactors: [1, 2, 4, 8, 16] }],
      }),
    );
  });

  test("lists only limits above 0, in version 2 inside of the profile", () => {
    const rules = { limits: { maxWidth: 3000, maxHeight: 0, maxArea: 8_000_000 }, tileSize: 512 };
    expect(imageInformation(input(3, { rules }))).toMatchObject({ maxWidth: 3000, maxArea: 8_000_000 });
    expect(imageInformation(input(3, { rules }))).not.toHaveProperty("maxHeight");
    const two = imageInformation(input(2, { rules }));
    expect(two.profile).toEqual([
      expect.any(String),
      expect.objectContaining({ maxWidth: 3000, maxArea: 8_000_000 }),
    ]);
    expect(two).not.toHaveProperty("maxWidth");
  });

  test.each([
    [{ maxWidth: 300, maxHeight: 0, maxArea: 0 }, [{ width: 256, scaleFactors: [1, 2, 4, 8, 16, 32] }]],
    [
      { maxWidth: 0, maxHeight: 0, maxArea: 512 * 512 - 1 },
      [{ width: 256, scaleFactors: [1, 2, 4, 8, 16, 32] }],
    ],
    [{ maxWidth: 0, maxHeight: 0, maxArea: 100 }, undefined],
  ])("advertises no tile that the limits %j forbid", (limits, tiles) => {
    for (const version of [2, 3] as const)
      expect(imageInformation(input(version, { rules: { limits, tileSize: 512 } })).tiles).toEqual(tiles);
  });

  test("of a gated image has its services, in version 3 with the authorization context first", () => {
    const service = [{ id: "https://example.org/probe", type: "AuthProbeService2" }];
    const three = imageInformation(input(3, { service }));
    expect(three["@context"]).toEqual([
      "http://iiif.io/api/auth/2/context.json",
      "http://iiif.io/api/image/3/context.json",
    ]);
    expect(three.service).toEqual(service);
    const two = imageInformation(input(2, { service }));
    expect(two["@context"]).toBe("http://iiif.io/api/image/2/context.json");
    expect(two.service).toEqual(service);
    expect(imageInformation(input(3, { service: [] }))).not.toHaveProperty("service");
  });
});

describe.each([2, 3] as const)("version %i", (version) => {
  const tables = imageVersions[version];
  const parse = (text: string) => {
    const [region = "", size = "", rotation = "", file = ""] = text.split("/");
    return parseImageRequest(version, { region, size, rotation, file }, formats);
  };
  const examples: Record<string, string> = {
    regionByPx: "0,0,1,1/max/0/default.jpg",
    regionByPct: "pct:0,0,1,1/max/0/default.jpg",
    regionSquare: "square/max/0/default.jpg",
    sizeByW: "full/1,/0/default.jpg",
    sizeByH: "full/,1/0/default.jpg",
    sizeByPct: "full/pct:1/0/default.jpg",
    sizeByWh: "full/1,1/0/default.jpg",
    sizeByDistortedWh: "full/1,1/0/default.jpg",
    sizeByConfinedWh: "full/!1,1/0/default.jpg",
    sizeUpscaling: "full/^max/0/default.jpg",
    rotationBy90s: "full/max/90/default.jpg",
    rotationArbitrary: "full/max/22.5/default.jpg",
    mirroring: "full/max/!0/default.jpg",
  };
  const ofHttp = ["baseUriRedirect", "jsonldMediaType", "cors", "profileLinkHeader", "canonicalLinkHeader"];

  test("parses every feature and quality of its tables, and every format of the caller", () => {
    for (const feature of Object.keys(tables.features)) {
      if (!ofHttp.includes(feature)) expect(parse(examples[feature] ?? feature).version).toBe(version);
    }
    for (const [quality, { means }] of Object.entries(tables.qualities)) {
      expect(parse(`full/max/0/${quality}.jpg`).quality).toBe(means);
    }
    for (const format of Object.keys(formats))
      expect(parse(`full/max/0/default.${format}`).format).toBe(format);
  });

  test("names a feature of its table for every form that it accepts", () => {
    const { quarters, arbitrary, mirror } = tables.rotation;
    const named = [
      ...Object.values(tables.regions),
      ...Object.values(tables.sizes),
      quarters,
      arbitrary,
      mirror,
    ];
    if (tables.upscaling !== undefined) named.push(tables.upscaling);
    for (const feature of named.filter((name) => name !== "base"))
      expect(tables.features).toHaveProperty(feature);
    const unnamed = Object.keys(tables.features).filter((feature) => !named.includes(feature));
    expect(unnamed.sort()).toEqual([...ofHttp].sort());
  });

  test("has JSON-LD with its profile", () => {
    expect(informationType("application/json", version)).toBe("application/json");
    expect(informationType("application/ld+json", version)).toBe(
      `application/ld+json;profile="http://iiif.io/api/image/${version}/context.json"`,
    );
  });
});
