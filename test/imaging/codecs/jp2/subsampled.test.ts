// JPEG 2000 with chroma of half size, against opj_decompress (Debian: libopenjp2-tools): its components, its
// levels, its colours.
// @module-tag slow

import { describe, expect, test } from "vitest";
import { memoryBytes } from "../../../../src/base/bytes/byte-source.ts";
import { scaleFactorsOf } from "../../../../src/imaging/codecs/codec.ts";
import { createCodecs } from "../../../../src/imaging/codecs/index.ts";
import { toSrgb } from "../../../../src/imaging/pipeline/steps/to-srgb.ts";
import { testHost } from "../../../host.ts";
import { seeded } from "../../../seeded.ts";
import { hasOpenJpegTools, opjCompress, opjDecompress } from "./openjpeg.ts";

const codec = createCodecs(testHost).decoder("jp2");

interface Kind {
  readonly size: readonly [width: number, height: number];
  readonly steps: readonly (readonly [dx: number, dy: number])[];
  readonly bits?: number;
  readonly offset?: readonly [x: number, y: number];
  readonly options?: readonly string[];
  /** Scales to test; all three by default. */
  readonly scales?: readonly number[];
  readonly extension?: "jp2" | "j2k";
}

/** A file of smooth ramps with a little noise, which opj_compress makes without loss. */
function make({ size, steps, bits = 8, offset = [0, 0], options = [], extension = "jp2" }: Kind): Uint8Array {
  const [width, height] = size;
  const next = seeded(5);
  const wide = bits > 8;
  const planes = steps.map(([dx, dy], c) => {
    const [w, h] = [Math.ceil(width / dx), Math.ceil(height / dy)];
    const values = Array.from({ length: w * h }, (_, i) => {
      const [x, y] = [(i % w) / w, Math.floor(i / w) / h];
      const level = c === 0 ? 0.2 + 0.6 * x : c === 1 ? 0.3 + 0.4 * y : 0.7 - 0.3 * x;
      return Math.round(level * (2 ** bits - 1)) + next(4);
    });
    return wide ? Buffer.from(Uint16Array.from(values).buffer) : Buffer.from(values);
  });
  const layout = `${width},${height},${steps.length},${bits},u@${steps.map((step) => step.join("x")).join(":")}`;
  const place = offset.some((start) => start > 0) ? ["-d", offset.join(",")] : [];
  const kind = { from: wide ? "rawl" : "raw", to: extension } as const;
  return opjCompress(Buffer.concat(planes), ["-F", layout, ...place, ...options], kind);
}

/** Returns the samples of all components at a level, as opj_decompress decodes them. */
function componentsOf(file: Uint8Array, level: number, kind: Kind): ArrayLike<number>[] {
  const wide = (kind.bits ?? 8) > 8;
  return kind.steps.map((_, number) => {
    const options = ["-c", `${number}`, "-r", `${level}`];
    const bytes = opjDecompress(file, options, { from: kind.extension ?? "jp2", to: "rawl" });
    return wide ? new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2) : bytes;
  });
}

async function decode(
  file: Uint8Array,
  scaleFactor = 1,
  part?: { x: number; y: number; width: number; height: number },
) {
  const bytes = memoryBytes(file);
  const header = await codec.probe(bytes, 1);
  const region = part ?? { x: 0, y: 0, width: header.width, height: header.height };
  return { header, pixels: await codec.decode(bytes, { header, page: 1, region, scaleFactor }) };
}

const luma = [1, 1] as const;
const kinds: Readonly<Record<string, Kind>> = {
  "4:2:0": { size: [64, 48], steps: [luma, [2, 2], [2, 2]] },
  "4:2:0 of odd size": { size: [37, 23], steps: [luma, [2, 2], [2, 2]], options: ["-n", "3"] },
  "4:2:0 as a codestream": {
    size: [37, 23],
    steps: [luma, [2, 2], [2, 2]],
    extension: "j2k",
    options: ["-n", "3"],
  },
  "4:2:2": { size: [50, 31], steps: [luma, [2, 1], [2, 1]], options: ["-n", "3"] },
  "4:4:0": { size: [31, 50], steps: [luma, [1, 2], [1, 2]], options: ["-n", "3"] },
  "4:1:1": { size: [66, 20], steps: [luma, [4, 1], [4, 1]], options: ["-n", "3"] },
  "4:2:0 in tiles": { size: [130, 70], steps: [luma, [2, 2], [2, 2]], options: ["-t", "64,32", "-n", "3"] },
  "4:2:0 with an even offset": {
    size: [60, 44],
    steps: [luma, [2, 2], [2, 2]],
    offset: [4, 8],
    scales: [1, 2],
    options: ["-n", "3"],
  },
  "4:2:0 with an offset of whole chroma levels": {
    size: [60, 44],
    steps: [luma, [2, 2], [2, 2]],
    offset: [8, 16],
    options: ["-n", "3"],
  },
  "4:2:0 with an odd offset": {
    size: [60, 44],
    steps: [luma, [2, 2], [2, 2]],
    offset: [3, 5],
    scales: [1],
    options: ["-n", "3"],
  },
  "4:2:0 of 12 bit": { size: [40, 30], steps: [luma, [2, 2], [2, 2]], bits: 12, options: ["-n", "3"] },
  "4:2:0 with loss": { size: [64, 48], steps: [luma, [2, 2], [2, 2]], options: ["-I", "-r", "8", "-n", "3"] },
};

describe.skipIf(!hasOpenJpegTools)("subsampled jpeg 2000", () => {
  test.each(Object.keys(kinds))("of %s has the components of opj_decompress at every scale", async (name) => {
    const kind = kinds[name]!;
    const file = make(kind);
    const [x0, y0] = kind.offset ?? [0, 0];
    const bits = kind.bits ?? 8;
    const { header } = await decode(file);
    expect(header).toMatchObject({ bands: 3, interpretation: "ycc", depth: bits > 8 ? 16 : 8 });
    expect(header.unsupported).toBeUndefined();
    const scales = scaleFactorsOf(codec, header);
    expect(scales.slice(0, 3)).toEqual(kind.scales ?? [1, 2, 4]);
    for (const scale of scales) {
      const level = Math.log2(scale);
      const { pixels } = await decode(file, scale);
      const components = componentsOf(file, level, kind);
      const [width, height] = [Math.ceil(header.width / scale), Math.ceil(header.height / scale)];
      expect([pixels.width, pixels.height]).toEqual([width, height]);
      const full = bits > 8 ? 65535 : 255;
      for (const [c, [dx, dy]] of kind.steps.entries()) {
        const samples = components[c]!;
        // T.800, B.2 and B.5: samples lie on the multiples of their step, and of 2^level of those
        const place = (at: number, step: number) => Math.ceil(Math.ceil(at / step) / scale);
        const across = place(x0 + header.width, dx) - place(x0, dx);
        const down = place(y0 + header.height, dy) - place(y0, dy);
        expect(samples.length).toBe(across * down);
        let worst = 0;
        for (let y = 0; y < height; y++)
          for (let x = 0; x < width; x++) {
            const column = Math.floor((x0 / scale + x) / dx) - place(x0, dx);
            const row = Math.floor((y0 / scale + y) / dy) - place(y0, dy);
            const sample =
              samples[
                Math.min(down - 1, Math.max(0, row)) * across + Math.min(across - 1, Math.max(0, column))
              ]!;
            const expected = Math.round((sample * full) / (2 ** bits - 1));
            worst = Math.max(worst, Math.abs(pixels.data[(y * width + x) * 3 + c]! - expected));
          }
        // Floats round apart in the 9/7 wavelet: by one at most.
        const tolerance = kind.options?.includes("-I") ? 1 : 0;
        expect(worst).toBeLessThanOrEqual(tolerance);
      }
    }
  });

  test.each([
    "4:2:0",
    "4:2:0 of odd size",
    "4:2:2",
    "4:2:0 in tiles",
    "4:2:0 with an even offset",
    "4:2:0 with an offset of whole chroma levels",
  ])("of %s has the colours of opj_decompress, except for its rounding", async (name) => {
    const file = make(kinds[name]!);
    const { pixels } = await decode(file);
    const ppm = opjDecompress(file, [], { from: "jp2" });
    const rgb = toSrgb(pixels).data;
    const expected = ppm.subarray(ppm.length - rgb.length);
    for (let i = 0; i < rgb.length; i++)
      if (Math.abs(rgb[i]! - expected[i]!) > 2) expect.fail(`sample ${i}: ${rgb[i]}, not ${expected[i]}`);
  });

  test("of any region equals the crop of the whole, at each scale", async () => {
    const file = make(kinds["4:2:0 in tiles"]!);
    for (const scale of [1, 2, 4]) {
      const all = (await decode(file, scale)).pixels;
      for (const [x, y, width, height] of [
        [4, 12, 64, 32],
        [60, 28, 70, 42],
        [12, 4, 4, 4],
      ] as const) {
        const part = (await decode(file, scale, { x, y, width, height })).pixels;
        const [w, h] = [Math.ceil(width / scale), Math.ceil(height / scale)];
        expect([part.width, part.height]).toEqual([w, h]);
        for (let row = 0; row < h; row++) {
          const from = ((y / scale + row) * all.width + x / scale) * 3;
          expect(part.data.subarray(row * w * 3, (row + 1) * w * 3)).toEqual(
            all.data.subarray(from, from + w * 3),
          );
        }
      }
    }
  });

  test("decodes alike again and again, between files of other sizes", async () => {
    const large = make({ size: [900, 700], steps: [luma, [2, 2], [2, 2]] });
    const first = (await decode(large)).pixels.data;
    await decode(make(kinds["4:2:2"]!));
    expect(Buffer.compare(Buffer.from((await decode(large)).pixels.data), Buffer.from(first))).toBe(0);
  });

  test("of which no component has full resolution has each sample for several pixels", async () => {
    const quarter = [2, 2] as const;
    const kind: Kind = { size: [64, 64], steps: [quarter, quarter, quarter], options: ["-n", "2"] };
    const file = make(kind);
    const { header, pixels } = await decode(file);
    expect([header.width, header.height, header.unsupported]).toEqual([64, 64, undefined]);
    const samples = componentsOf(file, 0, kind)[0]!;
    expect(samples.length).toBe(32 * 32);
    const first = pixels.data.filter((_, i) => i % 3 === 0);
    expect(first).toEqual(first.map((_, i) => samples[(i >> 7) * 32 + ((i % 64) >> 1)]!));
  });

  test("is refused by name if a component has no sample", async () => {
    const file = make({ ...kinds["4:2:0"]!, extension: "j2k" });
    const view = new DataView(file.buffer);
    // SIZ: the picture is column 1 alone, and chroma has columns 0 and 2
    view.setUint32(8, 2);
    view.setUint32(16, 1);
    expect((await codec.probe(memoryBytes(file), 1)).unsupported).toMatch(/too small for its subsampling/);
  });
});
