import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { memoryBytes } from "../../../../src/base/bytes/byte-source.ts";
import { ImagingError } from "../../../../src/base/imaging-error.ts";
import { recogniseFormat } from "../../../../src/imaging/codecs/formats.ts";
import type { Rectangle } from "../../../../src/imaging/codecs/image-header.ts";
import { createCodecs } from "../../../../src/imaging/codecs/index.ts";
import type { PixelBuffer } from "../../../../src/imaging/pipeline/pixels.ts";
import { grain } from "../../../grain.ts";
import { expectedRows, fixture, testHost } from "../../../host.ts";
import fc from "../../../properties.ts";
import { reference } from "../reference.ts";

const codec = createCodecs(testHost).decoder("gif");
const sound = expectedRows().filter((row) => row.file!.startsWith("gif-"));

async function decode(file: Uint8Array, page = 1, part?: Rectangle): Promise<PixelBuffer> {
  const bytes = memoryBytes(file);
  const header = await codec.probe(bytes, page);
  const region = part ?? { x: 0, y: 0, width: header.width, height: header.height };
  return codec.decode(bytes, { header, page, region, scaleFactor: 1 });
}

interface Frame {
  readonly area: readonly [x: number, y: number, width: number, height: number];
  readonly indices: readonly number[];
  readonly disposal?: number;
  readonly transparent?: number | undefined;
  readonly interlaced?: boolean;
}

/**
 * Returns a GIF of four colours (red, green, blue, white) with only literal codes: a clear code before each
 * index.
 */
function makeGif(
  width: number,
  height: number,
  frames: readonly Frame[],
  between = Buffer.alloc(0),
  { rootBits = 2, palette = true } = {},
): Uint8Array {
  const codeBits = rootBits + 1;
  const clear = 1 << rootBits;
  const short = (...values: number[]) => values.flatMap((value) => [value & 255, value >> 8]);
  const parts: number[] = [...Buffer.from("GIF89a"), ...short(width, height), palette ? 0x81 : 1, 0, 0];
  if (palette) parts.push(255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255);
  parts.push(...between);
  for (const { area, indices, disposal = 0, transparent, interlaced } of frames) {
    const flags = (disposal << 2) | (transparent === undefined ? 0 : 1);
    parts.push(0x21, 0xf9, 4, flags, 0, 0, transparent ?? 0, 0);
    parts.push(0x2c, ...short(...area), interlaced ? 64 : 0, rootBits);
    const codes = [...indices.flatMap((index) => [clear, index]), clear + 1];
    const bytes: number[] = new Array(Math.ceil((codes.length * codeBits) / 8)).fill(0);
    for (const [i, code] of codes.entries())
      for (let bit = 0; bit < codeBits; bit++)
        if (code & (1 << bit)) bytes[(i * codeBits + bit) >> 3]! |= 1 << ((i * codeBits + bit) & 7);
    for (let at = 0; at < bytes.length; at += 255) {
      const block = bytes.slice(at, at + 255);
      parts.push(block.length, ...block);
    }
    parts.push(0);
  }
  return Uint8Array.from([...parts, 0x3b]);
}

/** The colours of a picture as letters; a dot is transparent, a dash black. */
function letters({ data, bands }: PixelBuffer): string {
  const names: Record<string, string> = {
    "255,0,0": "r",
    "0,255,0": "g",
    "0,0,255": "b",
    "255,255,255": "w",
  };
  let text = "";
  for (let i = 0; i < data.length; i += bands)
    text += bands === 4 && data[i + 3] === 0 ? "." : (names[data.subarray(i, i + 3).join()] ?? "-");
  return text;
}

const filled = (count: number, index: number) => new Array<number>(count).fill(index);

describe("the header of a GIF", () => {
  for (const row of sound)
    it(`of ${row.file} matches other tools`, async () => {
      const bytes = memoryBytes(fixture(row.file!));
      expect(recogniseFormat(fixture(row.file!).subarray(0, 64))).toBe("gif");
      expect(await codec.probe(bytes, 1)).toMatchObject({
        width: Number(row.width),
        height: Number(row.height),
        bands: Number(row.bands),
        depth: 8,
        orientation: 1,
        pages: Number(row.frames),
      });
    });

  it("knows as many pages as there are frames", async () => {
    const bytes = memoryBytes(fixture("gif-animated-4.gif"));
    expect((await codec.probe(bytes, 4)).pages).toBe(4);
    for (const page of [0, 5])
      await expect(codec.probe(bytes, page)).rejects.toMatchObject({
        kind: "not-found",
        code: "page_not_found",
      });
  });

  it("is found after extensions of any kind", async () => {
    const text = Buffer.from([0x21, 0x01, 12, ...new Array(12).fill(0), 3, 65, 66, 67, 0]);
    const own = Buffer.from([0x21, 0x77, 2, 1, 2, 0]);
    const file = makeGif(2, 1, [{ area: [0, 0, 2, 1], indices: [1, 2] }], Buffer.concat([text, own]));
    expect(letters(await decode(file))).toBe("gb");
  });
});

describe("the pixels of a GIF", () => {
  for (const row of sound)
    for (let page = 1; page <= Number(row.frames); page++)
      it(`of ${row.file}, frame ${page}, match sharp`, async () => {
        const file = fixture(row.file!);
        const pixels = await decode(file, page);
        const other = await reference(file, { page: page - 1 });
        expect([pixels.width, pixels.height, pixels.bands]).toEqual([other.width, other.height, other.bands]);
        expect(Buffer.compare(Buffer.from(pixels.data), Buffer.from(other.data))).toBe(0);
      });

  it("of any region equal the crop of the whole", async () => {
    const file = fixture("gif-animated-4.gif");
    const all = await decode(file, 3);
    await fc.assert(
      fc.asyncProperty(fc.nat(149), fc.nat(99), fc.nat(149), fc.nat(99), async (x, y, w, h) => {
        const region = { x, y, width: 1 + (w % (150 - x)), height: 1 + (h % (100 - y)) };
        const part = await decode(file, 3, region);
        for (let row = 0; row < region.height; row++) {
          const from = ((y + row) * 150 + x) * 4;
          const length = region.width * 4;
          expect(part.data.subarray(row * length, (row + 1) * length)).toEqual(
            all.data.subarray(from, from + length),
          );
        }
      }),
      { numRuns: 20 },
    );
  });

  it.each([1, 2, 7, 300])(
    "of strings that reach over the ends of rows are read, %i pixels wide",
    async (width) => {
      // Long runs of one colour, and single pixels of others: strings grow to hundreds of pixels.
      const height = 60_000 / width;
      const colours = [0, 0x40, 0xc0, 0xff].map((value) => [value, 255 - value, value]);
      const data = Buffer.from(
        Array.from(
          { length: width * Math.floor(height) },
          (_, i) => colours[i % 977 === 5 ? 1 + (i % 3) : 0]!,
        ).flat(),
      );
      const raw = { width, height: Math.floor(height), channels: 3 } as const;
      const file = await sharp(data, { raw }).gif({ dither: 0 }).toBuffer();
      const other = await sharp(file).removeAlpha().raw().toBuffer();
      const { bands, data: found } = await decode(file);
      const opaque = found.filter((_, i) => i % bands < 3);
      expect(Buffer.compare(Buffer.from(opaque), other)).toBe(0);
    },
  );

  it("come in four passes when interlaced", async () => {
    const file = makeGif(1, 9, [
      { area: [0, 0, 1, 9], indices: [0, 0, 1, 2, 2, 3, 3, 3, 3], interlaced: true },
    ]);
    // rows 0 8 | 4 | 2 6 | 1 3 5 7
    expect(letters(await decode(file))).toBe("rwbwgwbwr");
  });

  it("follow the disposal of each frame", async () => {
    const frames = (disposal: number): Frame[] => [
      { area: [0, 0, 4, 1], indices: filled(4, 0) },
      { area: [1, 0, 2, 1], indices: filled(2, 1), disposal },
      { area: [2, 0, 2, 1], indices: [3, 2], transparent: 3 },
    ];
    expect(letters(await decode(makeGif(4, 1, frames(1)), 3))).toBe("rggb");
    expect(letters(await decode(makeGif(4, 1, frames(2)), 3))).toBe("r..b");
    expect(letters(await decode(makeGif(4, 1, frames(3)), 3))).toBe("rrrb");
    expect(letters(await decode(makeGif(4, 1, frames(3)), 2))).toBe("rggr");
  });

  it("are not affected by later frames that reach beyond the screen", async () => {
    const file = makeGif(3, 2, [
      { area: [0, 0, 3, 2], indices: filled(6, 0) },
      { area: [2, 1, 3, 2], indices: [1, 2, 3, 0, 0, 0] },
    ]);
    const pixels = await decode(file, 2);
    expect([pixels.width, pixels.height, letters(pixels)]).toEqual([3, 2, "rrrrrg"]);
  });

  it.each([
    ["larger than the screen", 2, 2, [0, 0, 4, 3]],
    ["that reaches beyond it", 4, 4, [3, 1, 2, 2]],
    ["without a screen", 0, 0, [0, 0, 4, 3]],
    ["higher only", 9, 1, [1, 0, 2, 5]],
  ] as const)("have the size of a larger first frame, as in libvips: %s", async (_, width, height, area) => {
    const indices = Array.from({ length: area[2] * area[3] }, (__, i) => i % 4);
    const file = makeGif(width, height, [{ area, indices }]);
    const pixels = await decode(file);
    const other = await reference(file);
    expect([pixels.width, pixels.height, pixels.bands]).toEqual([other.width, other.height, other.bands]);
    expect([...pixels.data]).toEqual([...other.data]);
  });

  it.each([
    ["opaque", undefined, "-w--"],
    ["with a transparent colour", 2, "-w."],
  ])("without any colour table are black and white, as in libvips: %s", async (_, transparent, expected) => {
    const indices = Array.from(expected, (__, i) => i);
    const frame = { area: [0, 0, indices.length, 1], indices, transparent } as const;
    const file = makeGif(indices.length, 1, [frame], undefined, { palette: false });
    const pixels = await decode(file);
    expect(letters(pixels)).toBe(expected);
    expect([...pixels.data]).toEqual([...(await reference(file)).data]);
  });

  it.each([1, 3, 8, 9, 10, 11])("are read with a code size of %i, as libvips does", async (rootBits) => {
    const indices = Array.from({ length: 12 }, (_, i) => (i * 7) % Math.min(4, 1 << rootBits));
    const file = makeGif(4, 3, [{ area: [0, 0, 4, 3], indices }], undefined, { rootBits });
    expect(letters(await decode(file))).toBe(indices.map((index) => "rgbw"[index]).join(""));
    expect([...(await decode(file)).data]).toEqual([...(await reference(file)).data]);
  });

  it("are read with codes that grow to their end from a code size of 11", async () => {
    // code 2048 clears, 2050 means the first two indices, 2051 the second and its successor
    const codes = [2048, 1, 2, 2050, 2051, 2049];
    const bits = codes
      .map((code) => BigInt(code))
      .reduce((all, code, i) => all | (code << BigInt(12 * i)), 0n);
    const bytes = Array.from({ length: 9 }, (_, i) => Number((bits >> BigInt(8 * i)) & 255n));
    const file = makeGif(6, 1, [{ area: [0, 0, 6, 1], indices: [] }], undefined, { rootBits: 11 });
    const start = file.lastIndexOf(11) + 1;
    const whole = Uint8Array.from([...file.slice(0, start), bytes.length, ...bytes, 0, 0x3b]);
    expect(letters(await decode(whole))).toBe("gbgbbg");
    expect([...(await decode(whole)).data]).toEqual([...(await reference(whole)).data]);
  });

  it("need no frame before one that covers the screen", async () => {
    const broken = { area: [0, 0, 2, 2], indices: [0] } as const;
    const file = makeGif(2, 2, [broken, { area: [0, 0, 2, 2], indices: [1, 2, 3, 0] }]);
    expect(letters(await decode(file, 2))).toBe("gbwr");
    await expect(decode(file, 1)).rejects.toMatchObject({ kind: "decode" });
  });
});

describe("a GIF made to harm", () => {
  it("is a decode error when its second half is missing", async () => {
    const file = fixture("gif-static.gif");
    await expect(decode(file.slice(0, file.length / 2))).rejects.toMatchObject({ kind: "decode" });
  });

  it("is a decode error when there is no area, no frame, no whole colour table or a code size above 11", async () => {
    const frame = { area: [0, 0, 2, 1], indices: [1, 2] } as const;
    const whole = makeGif(2, 1, [frame]);
    const noArea = makeGif(0, 0, [{ area: [0, 0, 0, 1], indices: [] }]);
    const cutTable = Uint8Array.from([...whole.slice(0, 41), 0x87, ...whole.slice(42)]);
    const wideCodes = makeGif(2, 1, [frame], undefined, { rootBits: 12 });
    for (const file of [noArea, cutTable, wideCodes, makeGif(2, 1, []), whole.slice(0, 12), new Uint8Array()])
      await expect(decode(file)).rejects.toMatchObject({ kind: "decode" });
  });

  it("of 65535 x 65535 reports what it would need", async () => {
    const file = fixture("bomb-65535x65535.gif");
    const header = await codec.probe(memoryBytes(file), 1);
    const region = { x: 0, y: 0, width: 65_535, height: 65_535 };
    expect(codec.memory({ header, page: 1, region, scaleFactor: 1 }, file.length)).toBeGreaterThan(1.2e10);
    const small = { x: 0, y: 0, width: 8, height: 8 };
    await expect(decode(file, 1, small)).rejects.toMatchObject({ kind: "too-large" });
  });

  it("that ends early still shows the rows above its end", async () => {
    const file = new Uint8Array(await grain(200, 160, 40).gif({ effort: 1 }).toBuffer());
    const cut = file.subarray(0, file.length * 0.7);
    const top = { x: 20, y: 0, width: 150, height: 60 };
    expect(await decode(cut, 1, top)).toEqual(await decode(file, 1, top));
    await expect(decode(cut)).rejects.toMatchObject({ kind: "decode" });
  });

  it("with more frame area before a page than can be drawn is refused", async () => {
    const empty = { area: [0, 0, 65_535, 65_535], indices: [0], transparent: 1 } as const;
    const file = makeGif(4, 4, [empty, empty]);
    await expect(decode(file, 2)).rejects.toMatchObject({ kind: "too-large" });
  });

  it("returns pixels or an ImagingError whichever bytes are changed", async () => {
    const sample = fixture("gif-animated-4.gif");
    await fc.assert(
      fc.asyncProperty(fc.nat(sample.length - 1), fc.integer({ min: 1, max: 255 }), async (at, change) => {
        const spoiled = sample.slice();
        spoiled[at]! ^= change;
        const outcome = await decode(spoiled, 1, { x: 0, y: 0, width: 20, height: 20 }).catch(
          (error) => error,
        );
        if (!(outcome instanceof ImagingError)) expect(outcome.data.length).toBe(400 * outcome.bands);
      }),
      { numRuns: 200 },
    );
  });
});
