// Files of a few bytes whose header declares a canvas of hundreds of megapixels that they hardly draw on.

import { describe, expect, test } from "vitest";
import { memoryBytes } from "../../src/base/bytes/byte-source.ts";
import type { ImageHeader, Rectangle } from "../../src/imaging/codecs/image-header.ts";
import { createCodecs } from "../../src/imaging/codecs/index.ts";
import { testHost } from "../host.ts";
import { animatedWebp, type CanvasFrame, gif } from "./canvas-files.ts";
import { costOf } from "./cost.ts";

/** Milliseconds of CPU for a read that takes about 20; without the bound it took 3,000 to 8,000. */
const mostMs = 600;
/** Growth of memory in MiB; a canvas of these files takes more than 1,000. */
const mostMiB = 150;

const codecs = createCodecs(testHost);

/** Reads a region of a page at a scale. */
async function read(
  file: Uint8Array,
  region: Rectangle,
  { scaleFactor = 1, page = 1, header = probed } = {},
) {
  const bytes = memoryBytes(file);
  const codec = codecs.recognise(file.subarray(0, 64))!;
  const known = await header(file, page);
  return codec.decode(bytes, { header: known, page, region, scaleFactor });
}

const probed = (file: Uint8Array, page: number): Promise<ImageHeader> =>
  codecs.recognise(file.subarray(0, 64))!.probe(memoryBytes(file), page);

const canvas = { width: 20_000, height: 22_000 };
const whole = { x: 0, y: 0, ...canvas };
const webpCanvas = { width: 16_383, height: 16_383 };
const frame = (x: number, y: number, more: Partial<CanvasFrame> = {}): CanvasFrame => ({
  x,
  y,
  width: 1,
  height: 1,
  ...more,
});

const gifs = {
  "a frame in the corner": [frame(0, 0)],
  "a frame in the opposite corner": [frame(19_999, 21_999)],
  "a frame in the middle that shows what is below": [frame(10_000, 11_000, { transparent: 1 })],
  "a frame that reaches beyond the canvas": [frame(19_999, 21_998, { width: 1, height: 9 })],
  "a frame without pixels": [frame(0, 0, { width: 0, height: 0 })],
  "a thousand frames that are undone": Array.from({ length: 1000 }, () => frame(5, 5, { disposal: 3 })),
  "a thousand frames that are cleared": Array.from({ length: 1000 }, () => frame(5, 5, { disposal: 2 })),
} as const;

describe("a GIF with a canvas of 440 megapixels and", () => {
  test.each(Object.entries(gifs))("%s", async (_, frames) => {
    const file = gif(canvas, frames);
    const page = frames.length;
    const header = await probed(file, page);
    for (const [region, scaleFactor] of [
      [whole, 64],
      [{ x: 9_000, y: 9_000, width: 4096, height: 4096 }, 8],
      [{ x: 19_488, y: 21_488, width: 512, height: 512 }, 1],
    ] as const) {
      const { result, cpuMs, peakMiB } = await costOf(() => read(file, region, { scaleFactor, page }));
      expect(result.width).toBe(Math.ceil(region.width / scaleFactor));
      expect(cpuMs).toBeLessThan(mostMs);
      expect(peakMiB).toBeLessThan(mostMiB);
      const codec = codecs.decoder("gif");
      const request = { header, page, region, scaleFactor };
      expect(codec.memory(request, file.length)).toBeLessThan(32 * 2 ** 20);
      expect(codec.sidecar?.use(request, file.length, 2 ** 40)).toBeUndefined();
    }
  });

  test("a frame counts for a derivative of the whole canvas as one that fills it", async () => {
    const file = gif(canvas, [frame(0, 0)]);
    const header = await probed(file, 1);
    const { details, ...full } = header;
    expect(details?.drawn).toEqual([0, 0, 1, 1]);
    const memory = (of: ImageHeader) =>
      codecs
        .decoder("gif")
        .rows!.memory({ header: of, page: 1, region: whole, scaleFactor: 1 }, 256, file.length);
    expect(memory(header)).toBeGreaterThanOrEqual(canvas.width * canvas.height * 3);
    expect(memory(header)).toBeLessThanOrEqual(memory(full));
  });

  test("a frame has its own pixels, and the background around", async () => {
    const file = gif(canvas, [frame(7000, 8000, { width: 2, height: 2, transparent: 1 })]);
    const { data, bands } = await read(file, { x: 6999, y: 7999, width: 4, height: 4 });
    const [none, drawn] = [
      [0, 0, 0, 0],
      [10, 20, 30, 255],
    ];
    expect(bands).toBe(4);
    expect([...data]).toEqual(
      [
        none,
        none,
        none,
        none,
        none,
        drawn,
        drawn,
        none,
        none,
        drawn,
        drawn,
        none,
        none,
        none,
        none,
        none,
      ].flat(),
    );
  });
});

describe("an animated WebP with a canvas of 268 megapixels and", () => {
  test.each([
    ["a frame in the corner", [frame(0, 0)]],
    ["a frame in the opposite corner", [frame(16_382, 16_382)]],
    ["a hundred frames", Array.from({ length: 100 }, (_, n) => frame(4 * (n % 2), 0))],
  ])("%s", async (_, frames) => {
    const file = animatedWebp(webpCanvas, frames);
    const page = frames.length;
    for (const [region, scaleFactor] of [
      [{ x: 0, y: 0, ...webpCanvas }, 64],
      [{ x: 8_000, y: 8_000, width: 512, height: 512 }, 1],
      [{ x: 15_871, y: 15_871, width: 512, height: 512 }, 1],
    ] as const) {
      const { result, cpuMs, peakMiB } = await costOf(() => read(file, region, { scaleFactor, page }));
      expect(result.height).toBe(Math.ceil(region.height / scaleFactor));
      expect(cpuMs).toBeLessThan(mostMs);
      expect(peakMiB).toBeLessThan(mostMiB);
    }
  });

  test("a frame has its own pixels, and the background around", async () => {
    const file = animatedWebp(webpCanvas, [frame(800, 600, { width: 2, height: 1 })]);
    const { data } = await read(file, { x: 799, y: 600, width: 4, height: 2 });
    const [none, drawn] = [
      [0, 0, 0, 0],
      [10, 20, 30, 255],
    ];
    expect([...data]).toEqual([none, drawn, drawn, none, none, none, none, none].flat());
  });
});

describe("what nothing draws on is filled with the samples that decoding the whole canvas has:", () => {
  const small = { width: 1999, height: 1501 };
  /** A header that does not say what the file draws on. */
  const unaware = async (file: Uint8Array, page: number) => {
    const { details, ...header } = await probed(file, page);
    expect(details?.drawn).toBeDefined();
    return header;
  };
  const frames = [
    frame(600, 402, { width: 201, height: 77 }),
    frame(0, 0, { width: 3, height: 3 }),
    frame(1998, 1400, { width: 1, height: 101 }),
  ];
  test.each([
    ["GIF", 1, gif(small, frames)],
    ["GIF", 2, gif(small, frames)],
    ["GIF with transparency", 1, gif(small, [frame(1300, 700, { width: 9, height: 9, transparent: 1 })])],
    ["GIF at the edge", 1, gif(small, frames.slice(2))],
  ])("%s, page %i", async (_, page, file) => {
    const everything = { x: 0, y: 0, ...small };
    const parts = [
      everything,
      { x: 512, y: 384, width: 640, height: 256 },
      { x: 1536, y: 1280, width: 463, height: 221 },
    ];
    for (const region of parts)
      for (const scaleFactor of [1, 2, 4, 8]) {
        const [bounded, full] = [
          await read(file, region, { scaleFactor, page }),
          await read(file, region, { scaleFactor, page, header: unaware }),
        ];
        expect(Buffer.compare(Buffer.from(bounded.data), Buffer.from(full.data))).toBe(0);
      }
  });
});
