// The memory that encoders of packages take, against the estimates that admit their jobs.

import createAvif from "@jsquash/avif/codec/enc/avif_enc.js";
import { defaultOptions as avifOptions } from "@jsquash/avif/meta.js";
import createJxl from "@jsquash/jxl/codec/enc/jxl_enc.js";
import { defaultOptions as jxlOptions } from "@jsquash/jxl/meta.js";
import { expect, test } from "vitest";
import { avifMemory } from "../../../src/imaging/codecs/avif/encode.ts";
import { emscriptenOptions } from "../../../src/imaging/codecs/instance.ts";
import { jxlMemory, wayOf } from "../../../src/imaging/codecs/jxl/ways.ts";
import type { OnDemandModule } from "../../../src/imaging/codecs/modules.ts";
import { testHost } from "../../host.ts";
import { noiseBytes } from "./jpg/cjpeg.ts";

interface Module {
  readonly HEAPU8: Uint8Array;
  encode(rgba: Uint8Array, width: number, height: number, options: object): Uint8Array | null;
}

async function moduleOf(create: unknown, name: OnDemandModule) {
  return (create as (options: object) => Promise<Module>)({
    ...emscriptenOptions(await testHost.loadWasm(name)),
    locateFile: (file: string) => file,
  });
}

const [width, height] = [900, 700];
const noise = noiseBytes(width * height * 8, 1);

test.each([8, 16] as const)(
  "AVIF of %i bits takes between half of the estimate and all of it",
  async (depth) => {
    const module = await moduleOf(createAvif, "avif-encode");
    const samples =
      depth === 8 ? noise.subarray(0, width * height * 4) : noise.map((v, at) => (at & 1 ? v & 3 : v));
    const options = {
      ...avifOptions,
      quality: 65,
      speed: 9,
      subsample: 3,
      bitDepth: depth === 8 ? 8 : 10,
    };
    expect(module.encode(samples, width, height, options)?.length).toBeGreaterThan(1000);
    const estimate = avifMemory({ width, height, bands: 4, interpretation: "rgb", depth });
    expect(module.HEAPU8.length).toBeLessThanOrEqual(estimate);
    expect(module.HEAPU8.length).toBeGreaterThan(estimate / 2);
  },
);

test.each([3, 5])(
  "JPEG XL by libjxl at effort %i takes between half of the estimate and all of it",
  async (effort) => {
    const module = await moduleOf(createJxl, "jxl-encode");
    const options = { ...jxlOptions, quality: 90, effort };
    const pixels = noise.subarray(0, width * height * 4);
    expect(module.encode(pixels, width, height, options)?.length).toBeGreaterThan(1000);
    const estimate = jxlMemory({ width, height, bands: 4, interpretation: "rgb", depth: 8 });
    expect(module.HEAPU8.length).toBeLessThanOrEqual(estimate);
    expect(module.HEAPU8.length).toBeGreaterThan(estimate / 2);
  },
);

test("JPEG XL goes to libjxl with alpha, and from a megapixel to four", () => {
  const effortOf = (side: number, bands: number) =>
    wayOf({ width: side, height: side, bands, interpretation: "rgb" }).effort;
  expect([1024, 1025, 2048, 2049].map((side) => effortOf(side, 3))).toEqual([undefined, 5, 5, undefined]);
  expect([1024, 1025, 2048, 2049].map((side) => effortOf(side, 4))).toEqual([3, 5, 5, 3]);
});
