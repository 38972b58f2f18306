// A font whose glyphs are empty, for text that is selected and searched but never drawn: it takes less than a
// kilobyte for all scripts, and a file with it is complete (PDF/A demands embedded fonts).

import { concatenate } from "../../../base/index.ts";

/** Advance of each glyph in thousandths of the size of the text. */
export const glyphAdvance = 500;

const bytesOf = (...fields: readonly (readonly [bits: 16 | 32, value: number])[]): Uint8Array => {
  const view = new DataView(new ArrayBuffer(fields.reduce((sum, [bits]) => sum + bits / 8, 0)));
  let at = 0;
  for (const [bits, value] of fields) {
    if (bits === 16) view.setUint16(at, value & 0xffff);
    else view.setUint32(at, value >>> 0);
    at += bits / 8;
  }
  return new Uint8Array(view.buffer);
};
const words = (...values: readonly number[]) => bytesOf(...values.map((value) => [16, value] as const));

/** Glyphs: `.notdef`, which no text of a PDF/A file may show, and the one that all text shows. */
const glyphs = 2;
const unitsPerEm = 1000;

/** The tables that a font in a PDF file needs (ISO 32000-1, 9.9), in the order of their tags. */
const tables: readonly (readonly [tag: string, content: Uint8Array])[] = [
  ["glyf", new Uint8Array(4)],
  [
    "head",
    concatenate([
      bytesOf([32, 0x10000], [32, 0x10000], [32, 0], [32, 0x5f0f3cf5]),
      words(0, unitsPerEm, 0, 0, 0, 0, 0, 0, 0, 0),
      // Bounds, style, smallest size, direction, short offsets.
      words(0, 0, glyphAdvance, unitsPerEm, 0, 8, 2, 0, 0),
    ]),
  ],
  [
    "hhea",
    concatenate([
      bytesOf([32, 0x10000]),
      words(unitsPerEm, 0, 0, glyphAdvance, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, glyphs),
    ]),
  ],
  ["hmtx", words(glyphAdvance, 0, glyphAdvance, 0)],
  ["loca", words(0, 0, 0)],
  ["maxp", concatenate([bytesOf([32, 0x10000]), words(glyphs, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0)])],
];

const paddedLength = (length: number) => Math.ceil(length / 4) * 4;

/** Returns the sum of a table's words (OpenType 1.9, "Calculating checksums"). */
function checksum(content: Uint8Array): number {
  let sum = 0;
  for (let i = 0; i < content.length; i++) sum = (sum + ((content[i] as number) << (24 - 8 * (i & 3)))) >>> 0;
  return sum;
}

/** Returns the font as a TrueType file. */
export function glyphlessFont(): Uint8Array {
  const count = tables.length;
  const power = 2 ** Math.floor(Math.log2(count));
  let offset = 12 + 16 * count;
  const entries: Uint8Array[] = [];
  const contents: Uint8Array[] = [];
  for (const [tag, content] of tables) {
    const name = new TextEncoder().encode(tag);
    entries.push(name, bytesOf([32, checksum(content)], [32, offset], [32, content.length]));
    contents.push(content, new Uint8Array(paddedLength(content.length) - content.length));
    offset += paddedLength(content.length);
  }
  const start = bytesOf([32, 0x10000]);
  const search = words(count, 16 * power, Math.log2(power), 16 * (count - power));
  const font = concatenate([start, search, ...entries, ...contents]);
  const head = 12 + 16 * count + paddedLength(tables[0]?.[1].length ?? 0);
  new DataView(font.buffer, font.byteOffset).setUint32(head + 8, (0xb1b0afba - checksum(font)) >>> 0);
  return font;
}
