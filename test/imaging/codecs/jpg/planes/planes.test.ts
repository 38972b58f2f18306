// JPEG derivatives made from planes, turned and scaled: each sample is at its computed position.

import { beforeAll, describe, expect, test } from "vitest";
import { memoryBytes, readAll } from "../../../../../src/base/bytes/byte-source.ts";
import { concatenate } from "../../../../../src/base/bytes/concatenate.ts";
import type { ImageHeader } from "../../../../../src/imaging/codecs/image-header.ts";
import { createCodecs } from "../../../../../src/imaging/codecs/index.ts";
import { createJpegEncoder } from "../../../../../src/imaging/codecs/jpg/encode/fast-encode.ts";
import type { JpegInput, Sampling } from "../../../../../src/imaging/codecs/jpg/encode/input.ts";
import { planesOf } from "../../../../../src/imaging/codecs/jpg/planes/planes.ts";
import type { ResampleAxis, Step } from "../../../../../src/imaging/pipeline/step.ts";
import { testHost } from "../../../../host.ts";
import { orientations, storedPoint } from "../../../orientations.ts";
import { openIndexed, whole } from "../open.ts";
import { transformOf } from "../transform-of.ts";

const codecs = createCodecs(testHost);
const codec = codecs.decoder("jpg");
const encoder = createJpegEncoder(testHost.wasm("jpeg-encode"));

/**
 * Values of Y, Cb and Cr at a point of the stored picture, in pixels from its corner: planes that rise to one
 * side.
 */
const slopes = [
  (u: number, v: number) => 30 + 2 * u + 1.5 * v,
  (u: number, v: number) => 20 + 3.25 * u + 0.5 * v,
  (u: number, v: number) => 230 - 0.5 * u - 4 * v,
] as const;

const shares = { gray: [1, 1], "444": [1, 1], "422": [2, 1], "420": [2, 2] } as const;

function slope(width: number, height: number, sampling: Sampling): JpegInput {
  const planes = slopes.slice(0, sampling === "gray" ? 1 : 3).map((at, i) => {
    const [across, down] = i === 0 ? [1, 1] : shares[sampling];
    const size = { width: Math.ceil(width / across), height: Math.ceil(height / down) };
    const data = new Uint8Array(size.width * size.height).map((_, n) => {
      const [x, y] = [n % size.width, Math.floor(n / size.width)];
      return Math.round(at((x + 0.5) * across, (y + 0.5) * down));
    });
    return { ...size, stride: size.width, data };
  });
  return { kind: "planes", width, height, planes, sampling };
}

interface Source {
  readonly bytes: ReturnType<typeof memoryBytes>;
  readonly header: ImageHeader;
  readonly index: Uint8Array;
  readonly id: string;
}

async function source(width: number, height: number, sampling: Sampling): Promise<Source> {
  // the encoder would halve full chroma
  const chroma = sampling === "444" ? "444" : "420";
  const bytes = memoryBytes(encoder.encode(slope(width, height, sampling), { quality: 100, chroma }));
  const header = await codec.probe(bytes, 1);
  const index = (await codec.sidecar?.build(bytes, { header, page: 1 })) ?? new Uint8Array();
  return { bytes, header, index, id: `${width}x${height} ${sampling}` };
}

/** Returns the planes of a derivative of the whole picture, read at 1/scaleFactor. */
async function answer(
  { bytes, header, index, id }: Source,
  steps: readonly Step[],
  { scaleFactor = 1, chroma = "420" as "420" | "444", quality = 100 } = {},
) {
  const region = { x: 0, y: 0, width: header.width, height: header.height };
  const jpeg = await codec.derive?.(
    bytes,
    {
      read: { header, page: 1, region, scaleFactor },
      transform: transformOf({ header, region, scaleFactor }, steps),
      steps,
      write: { format: "jpg", quality, progressive: false, chroma, encoder: "fast", passthrough: "off" },
      memory: 0,
    },
    { id, load: async () => index },
    codecs.kernels,
  );
  if (!jpeg) throw new Error("expected an answer from planes");
  const reader = await openIndexed(concatenate(jpeg.pieces));
  return { frame: reader.frame, planes: await reader.decodePlanes(whole(reader), 1) };
}

type Answer = Awaited<ReturnType<typeof answer>>;

/**
 * Returns the largest distance between the derivative's samples and the slope, except at edges, where filters
 * repeat samples.
 */
function error(
  { frame, planes }: Answer,
  at: (x: number, y: number) => readonly [number, number],
  step: number,
  margin = 7,
) {
  let largest = 0;
  for (const [i, { data, width, height, stride }] of planes.entries()) {
    const [across, down] = [
      step * (frame.hMax / frame.components[i]!.h),
      step * (frame.vMax / frame.components[i]!.v),
    ];
    for (let y = margin; y < height - margin; y++)
      for (let x = margin; x < width - margin; x++) {
        const [u, v] = at((x + 0.5) * across, (y + 0.5) * down);
        largest = Math.max(largest, Math.abs(data[y * stride + x]! - slopes[i]!(u, v)));
      }
  }
  return largest;
}

/**
 * Half a sample of halved chroma off would be 3.25 levels and more; rounding in two files at quality 100 is
 * less.
 */
const tolerance = 2.2;

const sizes = [
  [57, 45],
  [56, 45],
  [57, 44],
  [48, 48],
] as const;

describe.each(["420", "422", "444", "gray"] as const)("planes of %s", (sampling) => {
  describe.each(sizes)("of %i by %i pixels", (w, h) => {
    let stored: Source;
    beforeAll(async () => {
      stored = await source(w, h, sampling);
    });

    test.each(orientations)(
      "in orientation %i are upright, with each sample in its place",
      async (orientation) => {
        const at = (x: number, y: number) => storedPoint[orientation]!(x, y, w, h);
        for (const chroma of ["420", "444"] as const) {
          const got = await answer(stored, [{ op: "orient", orientation }], { chroma });
          expect([got.frame.width, got.frame.height]).toEqual(orientation < 5 ? [w, h] : [h, w]);
          expect(error(got, at, 1), chroma).toBeLessThan(tolerance);
        }
      },
    );

    test.each(orientations)(
      "in orientation %i are scaled on the upright picture's grid",
      async (orientation) => {
        const at = (x: number, y: number) => storedPoint[orientation]!(x, y, w, h);
        const [width, height] = orientation < 5 ? [w, h] : [h, w];
        const axis = (length: number, scale: number) => ({
          size: Math.ceil(length / scale),
          origin: 0,
          scale,
        });
        for (const scale of [0.5, 1.25]) {
          const resize: Step = { op: "resize", x: axis(width, scale), y: axis(height, scale) };
          const turned: Step = { op: "orient", orientation };
          expect(error(await answer(stored, [turned, resize]), at, scale), `to 1/${scale}`).toBeLessThan(
            tolerance,
          );
        }
      },
    );
  });
});

describe.each(["420", "422", "444"] as const)("planes of %s in half the size", (sampling) => {
  test.each(orientations)("have each sample in its place in orientation %i", async (orientation) => {
    for (const [w, h] of sizes) {
      const stored = await source(w, h, sampling);
      const at = (x: number, y: number) => storedPoint[orientation]!(x, y, w, h);
      const [width, height] = orientation < 5 ? [w, h] : [h, w];
      const axis = (length: number) => ({ size: Math.ceil(length / 2), origin: 0, scale: 2 });
      const steps: Step[] = [
        { op: "orient", orientation },
        { op: "resize", x: axis(width), y: axis(height) },
      ];
      const got = await answer(stored, steps);
      expect(got.frame.components[1]?.h).toBe(1);
      expect(error(got, at, 2, 4), `${w} by ${h}`).toBeLessThan(tolerance);
    }
  });
});

describe("planes of a picture whose last samples at 1/2 are partly filled", () => {
  test.each(orientations)("are in their places in orientation %i", async (orientation) => {
    const stored = await source(57, 45, "420");
    const { width, height } = stored.header;
    const at = (x: number, y: number) => storedPoint[orientation]!(x, y, width, height);
    // the reduced picture has whole samples; the upright one begins where the stored one ends
    const missing = (full: number, flipped: boolean) => (flipped ? Math.ceil(full / 2) - full / 2 : 0);
    const [across, down] = orientation < 5 ? [width, height] : [height, width];
    const axis = (full: number, flipped: boolean) => ({
      size: full,
      origin: missing(full, flipped),
      scale: 0.5,
    });
    const flips = { x: [2, 3, 6, 7].includes(orientation), y: [3, 4, 7, 8].includes(orientation) };
    const steps: Step[] = [
      { op: "orient", orientation },
      { op: "resize", x: axis(across, flips.x), y: axis(down, flips.y) },
    ];
    expect(error(await answer(stored, steps, { scaleFactor: 2 }), at, 1)).toBeLessThan(tolerance);
  });
});

describe.each(["420", "422", "444"] as const)("a tile's planes of %s", (sampling) => {
  test.each([
    [1, 2],
    [1, 2.6],
    [1, 4],
    [1, 4.7],
    [2, 2],
    [2, 3],
    [4, 2],
  ])("read at 1/%i and reduced by %f more are a part of the whole picture's", async (scaleFactor, scale) => {
    const { bytes } = await source(509, 387, sampling);
    const reader = await openIndexed(await readAll(bytes, 1 << 24));
    const planes = async (x: ResampleAxis, y: ResampleAxis) => {
      const target = { across: x, down: y, swap: false, gray: false, sharpen: undefined };
      const file = { reader, damaged: false, current: { job: { bytes, access: undefined } } };
      const transformer = () => {
        throw new Error("expected nothing to turn");
      };
      const tools = { kernels: codecs.kernels, transformer };
      const made = await planesOf(file, target, { scaleFactor, chroma: "420" }, tools);
      // the decoder's memory is used again
      return made!.planes.map((plane) => ({ ...plane, data: plane.data.slice() }));
    };
    const [width, height] = [509, 387].map((length) => Math.floor(length / scaleFactor / scale)) as [
      number,
      number,
    ];
    const all = await planes({ size: width, origin: 0, scale }, { size: height, origin: 0, scale });
    for (const [left, top] of [
      [0, 0],
      [10, 4],
      [16, 22],
    ] as const) {
      const [w, h] = [Math.min(24, width - left), Math.min(18, height - top)];
      const part = await planes(
        { size: w, origin: left * scale, scale },
        { size: h, origin: top * scale, scale },
      );
      for (const [i, { data, stride, width: columns, height: rows }] of part.entries()) {
        const [x, y] = i === 0 ? [left, top] : [left / 2, top / 2];
        for (let row = 0; row < rows; row++) {
          const from = (y + row) * all[i]!.stride + x;
          expect(data.subarray(row * stride, row * stride + columns), `plane ${i}, ${left}, ${top}`).toEqual(
            all[i]!.data.subarray(from, from + columns),
          );
        }
      }
    }
  });
});

describe("mirroring and right angles that were asked for", () => {
  const asked = [
    [[{ op: "mirror" }], 2],
    [[{ op: "rotate", degrees: 90 }], 6],
    [[{ op: "rotate", degrees: 180 }], 3],
    [[{ op: "rotate", degrees: 270 }], 8],
    [[{ op: "rotate", degrees: 360 }], 1],
    [[{ op: "mirror" }, { op: "rotate", degrees: 90 }], 7],
    [[{ op: "mirror" }, { op: "rotate", degrees: 270 }], 5],
    [
      [
        { op: "orient", orientation: 6 },
        { op: "rotate", degrees: 270 },
      ],
      1,
    ],
    [[{ op: "orient", orientation: 6 }, { op: "mirror" }], 5],
    [
      [
        { op: "orient", orientation: 8 },
        { op: "rotate", degrees: 180 },
      ],
      6,
    ],
  ] as const satisfies readonly (readonly [readonly Step[], number])[];

  test.each(asked)("%j is orientation %i", async (steps, orientation) => {
    const stored = await source(57, 45, "420");
    const at = (x: number, y: number) => storedPoint[orientation]!(x, y, 57, 45);
    const got = await answer(stored, steps);
    expect([got.frame.width, got.frame.height]).toEqual(orientation < 5 ? [57, 45] : [45, 57]);
    expect(error(got, at, 1)).toBeLessThan(tolerance);
  });
});
