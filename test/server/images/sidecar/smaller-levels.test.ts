// Levels below 1/8: which there are, and derivatives that are read from them.
// @module-tag slow

import sharp from "sharp";
import { beforeAll, describe, expect, test } from "vitest";
import { memoryBytes } from "../../../../src/base/bytes/byte-source.ts";
import { ImagingError } from "../../../../src/base/imaging-error.ts";
import { resolve } from "../../../../src/iiif/image/geometry.ts";
import { parseImageRequest } from "../../../../src/iiif/image/grammar.ts";
import type { SidecarAccess } from "../../../../src/imaging/codecs/codec.ts";
import { writingOf, writtenFormats } from "../../../../src/imaging/codecs/formats.ts";
import type { ImageHeader } from "../../../../src/imaging/codecs/image-header.ts";
import { createCodecs } from "../../../../src/imaging/codecs/index.ts";
import type { Frame } from "../../../../src/imaging/codecs/jpg/region/index.ts";
import { loadParts } from "../../../../src/imaging/codecs/jpg/sidecar/parts.ts";
import {
  makeSmallerLevels,
  readSmallerLevels,
} from "../../../../src/imaging/codecs/jpg/sidecar/smaller-levels.ts";
import type { Kernels } from "../../../../src/imaging/pipeline/step.ts";
import { resize } from "../../../../src/imaging/pipeline/steps/resize.ts";
import { planRender } from "../../../../src/imaging/plan/plan.ts";
import { uprightSize } from "../../../../src/imaging/render/sampling.ts";
import { imageOptions } from "../../../../src/server/images/options.ts";
import { outputPolicy } from "../../../../src/server/images/policy.ts";
import { fixture, testHost } from "../../../host.ts";
import { heapBlocks } from "../../../imaging/codecs/heap-blocks.ts";
import { seeded } from "../../../seeded.ts";

const codecs = createCodecs(testHost);
const codec = codecs.decoder("jpg");
const resample = codecs.kernels.resamplePlane;

/** A frame of one component with the given number of samples at 1/8. */
const gray = (width: number, height: number) => {
  const component = { h: 1, v: 1, width: 8 * width, height: 8 * height };
  return {
    width: 8 * width,
    height: 8 * height,
    hMax: 1,
    vMax: 1,
    colour: "gray",
    components: [component],
  } as unknown as Frame;
};

/** The levels of one plane at 1/8, put together, as a list. */
function levelsOf(made: Uint8Array, sizes: readonly number[]): readonly Uint8Array[] {
  const ends = sizes.map((_, i) => sizes.slice(0, i + 1).reduce((sum, size) => sum + size, 0));
  return ends.map((end, i) => made.subarray(end - sizes[i]!, end));
}

/** Seeded samples of one plane at 1/8. */
function plane(width: number, height: number) {
  const below = seeded(7);
  return { data: new Uint8Array(width * height).map(() => below(256)), width, height };
}

test.each([
  ["none where a tile is resampled from few samples anyway", 2048, 1024, []],
  ["down to one tile of 512 pixels", 3000, 2100, [1500 * 1050, 750 * 525, 375 * 263]],
  ["as many as the longer side needs", 2100, 1000, [1050 * 500, 525 * 250, 263 * 125]],
  ["none where they would not stay in memory", 6200, 6200, []],
])("there are %s", (_, width, height, sizes) => {
  const made = makeSmallerLevels([{ data: new Uint8Array(width * height), width, height }], resample);
  expect(made.length).toBe(sizes.reduce((sum, size) => sum + size, 0));
});

test("a level is the one at 1/8 resampled directly, not through the previous level", () => {
  const at8 = plane(2201, 963);
  const sizes = [1101 * 482, 551 * 241, 276 * 121];
  const levels = levelsOf(makeSmallerLevels([at8], resample), sizes);
  const packed = { ...at8, bands: 1, interpretation: "gray" } as const;
  for (const [i, level] of levels.entries()) {
    const scale = 2 ** (i + 1);
    const axis = (length: number) => ({ size: Math.ceil(length / scale), origin: 0, scale });
    const expected = resize(packed, axis(at8.width), axis(at8.height)).data;
    expect(level.length).toBe(expected.length);
    // The kernel in fixed point differs from doubles by one level at most.
    expect(level.every((sample, at) => Math.abs(sample - (expected[at] as number)) <= 1)).toBe(true);
  }
});

describe("samples of a smaller level", () => {
  const at8 = plane(2000, 1100);
  const made = makeSmallerLevels([at8], resample);
  const [, at32] = levelsOf(made, [1000 * 550, 500 * 275]);
  const levels = readSmallerLevels(gray(2000, 1100), made)!;
  const rowsOf = (found: ReturnType<typeof levels.samples>) =>
    found &&
    Array.from({ length: found.height }, (_, y) =>
      Array.from(found.data.subarray(y * found.stride, y * found.stride + found.width)),
    );

  test("are found if the axes are on it", () => {
    const found = levels.samples(0, { size: 3, origin: 20, scale: 4 }, { size: 2, origin: 8, scale: 4 });
    const row = (y: number) => Array.from(at32!.subarray(y * 500 + 5, y * 500 + 8));
    expect(rowsOf(found)).toEqual([row(2), row(3)]);
  });

  test.each([
    ["of another scale", { size: 3, origin: 0, scale: 3 }, { size: 3, origin: 0, scale: 3 }],
    ["of the level at 1/8 itself", { size: 3, origin: 0, scale: 1 }, { size: 3, origin: 0, scale: 1 }],
    ["of a level that there is not", { size: 1, origin: 0, scale: 8 }, { size: 1, origin: 0, scale: 8 }],
    ["between its samples", { size: 3, origin: 1, scale: 2 }, { size: 3, origin: 0, scale: 2 }],
    ["of two scales", { size: 3, origin: 0, scale: 2 }, { size: 3, origin: 0, scale: 4 }],
    ["that run backwards", { size: 3, origin: 6, scale: -2 }, { size: 3, origin: 6, scale: -2 }],
    ["before its first column", { size: 3, origin: -2, scale: 2 }, { size: 3, origin: 0, scale: 2 }],
    ["behind its last row", { size: 3, origin: 0, scale: 2 }, { size: 2, origin: 1098, scale: 2 }],
  ])("are not used %s", (_, x, y) => {
    expect(levels.samples(0, x, y)).toBeUndefined();
  });

  test("are undefined for a picture of another size, for one whose planes are not used, or for nothing", () => {
    expect(readSmallerLevels({ ...gray(2000, 1100), colour: "cmyk" }, made)).toBeUndefined();
    expect(readSmallerLevels(gray(2000, 1101), made)).toBeUndefined();
    expect(readSmallerLevels(gray(2000, 1100), made.slice(1))).toBeUndefined();
    expect(readSmallerLevels(gray(2000, 1100), new Uint8Array())).toBeUndefined();
  });
});

describe.each([
  ["a sequential file", false],
  ["a progressive file", true],
])("derivatives of %s", (_, progressive) => {
  // Sides that no scale divides.
  const [width, height] = [16_971, 8233];
  let file: Uint8Array;
  let header: ImageHeader;
  let sidecar: SidecarAccess;
  beforeAll(async () => {
    const enlarged = sharp(fixture("base.png")).resize(width, height, { fit: "fill", kernel: "cubic" });
    file = new Uint8Array(await enlarged.jpeg({ quality: 80, progressive }).toBuffer());
    header = await codec.probe(memoryBytes(file), 1);
    const access = { id: "built", blocks: heapBlocks(), load: async () => new Uint8Array() };
    const entry = await codec.sidecar!.build(memoryBytes(file), { header, page: 1 }, access);
    sidecar = { id: "loaded", blocks: access.blocks, load: async () => entry };
  });

  const planOf = (path: string, orientation: number, settings: object) => {
    const shown = { ...header, orientation };
    const [region = "", size = "", rotation = ""] = path.split("/");
    const request = parseImageRequest(3, { region, size, rotation, file: "default.jpg" }, writtenFormats);
    const limits = { maxWidth: 0, maxHeight: 0, maxArea: 0 };
    return planRender({
      header: shown,
      page: 1,
      fileSize: file.length,
      request,
      geometry: resolve(request, uprightSize(shown), { limits, tileSize: 512 }),
      policy: outputPolicy(imageOptions.parse(settings)),
      decoder: codec,
      encoder: writingOf("jpg"),
    });
  };

  /** A derivative with the sidecar, and how many planes were resampled for it. */
  const derived = async (plan: ReturnType<typeof planOf>, access: SidecarAccess | undefined) => {
    let resampled = 0;
    const kernels: Kernels = {
      ...codecs.kernels,
      resamplePlane(...args) {
        resampled++;
        return resample(...args);
      },
    };
    const made = await codec.derive!(memoryBytes(file), plan, access, kernels);
    return { bytes: Buffer.concat(made!.pieces), resampled };
  };

  const tile16 = "0,0,8192,8192/512,512/0";
  const corner16 = "16384,8192,587,41/37,3/0";
  const whole64 = "0,0,16971,8233/266,129/0";
  test.each([
    ["a tile at 1/16", tile16, 1, {}, 0],
    ["the last tile at 1/16, which is a part of one", corner16, 1, {}, 0],
    ["the whole at 1/64", whole64, 1, {}, 0],
    ["a turned tile", "0,0,8192,8192/512,512/90", 1, {}, 0],
    ["a mirrored tile", "0,0,8192,8192/512,512/!0", 1, {}, 0],
    ["a sharpened tile", tile16, 1, { sharpen: "on" }, 0],
    // Rows from right to left begin at the end of the last, partly filled sample; full chroma at 1/8
    // corresponds to luma at 1/16.
    ["a tile of a picture that lies on its head", tile16, 3, {}, 3],
    ["a tile with colour in full", tile16, 1, { jpeg_chroma: "444" }, 1],
    ["a size between the levels", "0,0,8000,8000/300,300/0", 1, {}, 3],
  ])("%s has the same bytes as without a sidecar", async (_, path, orientation, settings, planes) => {
    const plan = planOf(path, orientation, settings);
    expect(plan.read.scaleFactor).toBe(8);
    const stored = await derived(plan, sidecar);
    const without = await derived(plan, { ...sidecar, id: `none ${progressive}`, absent: true });
    expect(stored.bytes.equals(without.bytes)).toBe(true);
    expect(stored.resampled).toBe(planes);
    // A progressive file that is read from its DC scans has its smaller levels made with them.
    if (!progressive) expect(without.resampled).toBeGreaterThan(0);
  });

  test("are read from levels in the worker that read the file without a sidecar before", async () => {
    const [plan, id] = [planOf(whole64, 1, {}), `before ${progressive}`];
    expect((await derived(plan, { ...sidecar, id, absent: true })).resampled).toBe(progressive ? 0 : 3);
    expect((await derived(plan, { ...sidecar, id })).resampled).toBe(0);
  });

  test("are read from levels in the worker that read a tile at 1/1 before, which needs none", async () => {
    const id = `detail ${progressive}`;
    let loads = 0;
    const load = () => {
      loads++;
      return sidecar.load();
    };
    const tile = planOf("4096,4096,512,512/512,512/0", 1, {});
    const bytes = await derived(tile, { ...sidecar, id, load });
    const other = await derived(tile, { ...sidecar, id: `other ${progressive}` });
    expect(bytes.bytes.equals(other.bytes)).toBe(true);
    expect((await derived(planOf(whole64, 1, {}), { ...sidecar, id, load })).resampled).toBe(0);
    await derived(tile, { ...sidecar, id, load });
    await derived(planOf(tile16, 1, {}), { ...sidecar, id, load });
    expect(loads).toBe(2);
  });

  test("are made from the file if the sidecar can no longer be loaded", async () => {
    const [plan, id] = [planOf(tile16, 1, {}), `gone ${progressive}`];
    const load = () => Promise.reject(new ImagingError("source", "gone"));
    const before = await derived(plan, { ...sidecar, id, absent: true });
    const after = await derived(plan, { id, load });
    expect(after.bytes.equals(before.bytes)).toBe(true);
  });

  test("are read from levels in the worker that has just built them, too", async () => {
    const access = { id: `fresh ${progressive}`, blocks: heapBlocks(), load: async () => new Uint8Array() };
    const entry = await codec.sidecar!.build(memoryBytes(file), { header, page: 1 }, access);
    expect((await loadParts(entry, true))?.smallerLevels.length).toBeGreaterThan(0);
    const { resampled } = await derived(planOf(whole64, 1, {}), { ...access, load: async () => entry });
    expect(resampled).toBe(0);
  });
});
