import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { memoryBytes } from "../../../../../src/base/bytes/byte-source.ts";
import { createCodecs } from "../../../../../src/imaging/codecs/index.ts";
import { testHost } from "../../../../host.ts";
import { seeded } from "../../../../seeded.ts";
import { plainFields, tiffFile } from "../tiff-file.ts";

const codec = createCodecs(testHost).decoder("tif");

async function decode(data: Uint8Array) {
  const header = await codec.probe(memoryBytes(data), 1);
  const region = { x: 0, y: 0, width: header.width, height: header.height };
  return codec.decode(memoryBytes(data), { header, page: 1, region, scaleFactor: 1 });
}

/**
 * LZW with codes from the low bit, each as wide as the reader's next new code asks for, as libtiff 3 and
 * earlier wrote.
 */
function oldStyleLzw(data: Uint8Array): Uint8Array {
  const out: number[] = [];
  let bits = 0;
  let held = 0;
  let width = 9;
  let table = new Map<string, number>();
  let sinceClear = 0;
  const put = (code: number) => {
    bits |= code << held;
    for (held += width; held >= 8; held -= 8, bits >>= 8) out.push(bits & 255);
    if (code === 256) [width, sinceClear, table] = [9, 0, new Map()];
    // The first code after a clear adds nothing to the reader's table, each later one a string.
    else if (++sinceClear > 1 && 258 + sinceClear - 1 >= 1 << width) width = Math.min(12, width + 1);
  };
  const codeOf = (text: string) => table.get(text) ?? text.charCodeAt(0);
  put(256);
  let text = "";
  for (const byte of data) {
    const longer = text + String.fromCharCode(byte);
    if (text === "" || table.has(longer)) {
      text = longer;
      continue;
    }
    put(codeOf(text));
    table.set(longer, 258 + table.size);
    if (table.size > 3830) put(256);
    text = longer.slice(-1);
  }
  put(codeOf(text));
  put(257);
  if (held > 0) out.push(bits & 255);
  return Uint8Array.from(out);
}

/** Bytes between noise and runs, the same in each run. */
function mixed(length: number): Uint8Array {
  let state = 1;
  return new Uint8Array(length).map((_, i) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return i % 97 < 40 ? i % 7 : state >>> 24;
  });
}

describe("LZW with codes from the low bit", () => {
  const width = 160;
  const height = 120;
  const pixels = mixed(width * height);
  const rowsOf = (top: number, rows: number) => pixels.subarray(top * width, (top + rows) * width);
  const fields = plainFields(width, height, 1, 8, 1, [259, 3, 5], [278, 4, 80]);
  const blocks = [oldStyleLzw(rowsOf(0, 80)), oldStyleLzw(rowsOf(80, 40))];
  const data = tiffFile([{ fields, blocks }]);

  test("decodes to the original, through all widths and cleared tables, as in libtiff", async () => {
    const reference = sharp(data, { failOn: "none" }).toColourspace("b-w");
    expect(Buffer.compare(await reference.raw().toBuffer(), Buffer.from(pixels))).toBe(0);
    expect(Buffer.compare(Buffer.from((await decode(data)).data.buffer), Buffer.from(pixels))).toBe(0);
  });

  test("that is cut off is refused", async () => {
    const cut = tiffFile([{ fields, blocks: [blocks[0]!.subarray(0, 3000), blocks[1]!] }]);
    await expect(decode(cut)).rejects.toMatchObject({ kind: "decode" });
  });
});

test("strings of thousands of bytes, and blocks longer than what is fed at a time, decode as in libtiff", async () => {
  const width = 700;
  const height = 900;
  const next = seeded(7);
  // Runs of up to a row, of which each is one longer string, between noise and repeated noise.
  const pixels = new Uint8Array(width * height);
  for (let at = 0; at < pixels.length; ) {
    const length = 1 + next(next(4) === 0 ? 5000 : 40);
    const end = Math.min(pixels.length, at + length);
    const kind = next(3);
    if (kind === 0) pixels.fill(next(256), at, end);
    else for (let i = at; i < end; i++) pixels[i] = kind === 1 ? next(256) : (pixels[i - 1300] ?? 0);
    at = end;
  }
  pixels.fill(9, 200_000, 500_000);
  const raw = { width, height, channels: 1 } as const;
  for (const tile of [false, true]) {
    const data = await sharp(pixels, { raw })
      .toColourspace("b-w")
      .tiff({ compression: "lzw", predictor: "none", ...(tile && { tile, tileWidth: 512, tileHeight: 512 }) })
      .toBuffer();
    const reference = await sharp(data).toColourspace("b-w").raw().toBuffer();
    expect(Buffer.compare(reference, Buffer.from(pixels))).toBe(0);
    expect(Buffer.compare(Buffer.from((await decode(data)).data.buffer), reference)).toBe(0);
  }
});

test("LZW of blank blocks is read to the last of the codes that were taken together", async () => {
  for (const [width, height, channels, predictor] of [
    [1000, 33, 1, "none"],
    [2480, 40, 3, "horizontal"],
    [4096, 17, 1, "none"],
  ] as const) {
    const raw = { width, height, channels };
    const pixels = new Uint8Array(width * height * channels).fill(255);
    const image = sharp(pixels, { raw }).toColourspace(channels === 1 ? "b-w" : "srgb");
    const data = await image.tiff({ compression: "lzw", predictor }).toBuffer();
    expect(Buffer.compare(Buffer.from((await decode(data)).data.buffer), pixels)).toBe(0);
  }
});
