// Writes JP2 boxes around encoded data (ITU-T T.800 Annex I).

import type { Resolution } from "../image-header.ts";

type Bytes = readonly number[];

const u16 = (value: number): Bytes => [(value >> 8) & 255, value & 255];
const u32 = (value: number): Bytes => [...u16(value >>> 16), ...u16(value & 0xffff)];
const ascii = (text: string): Bytes => [...text].map((character) => character.charCodeAt(0));

function box(type: string, ...parts: readonly Bytes[]): Bytes {
  const body = parts.flat();
  return [...u32(8 + body.length), ...ascii(type), ...body];
}

const file = [
  ...box("jP  ", [0x0d, 0x0a, 0x87, 0x0a]),
  ...box("ftyp", ascii("jp2 "), u32(0), ascii("jp2 ")),
] as const;
/** Enumerated colour spaces, T.800 table I.10. */
const enumerated = { gray: 17, rgb: 16 } as const;

interface Jp2Facts {
  readonly width: number;
  readonly height: number;
  readonly components: number;
  readonly bits: number;
}

const ihdr = ({ width, height, components, bits }: Jp2Facts) =>
  box("ihdr", u32(height), u32(width), u16(components), [bits - 1, 7, 0, 0]);
const colr = (space: keyof typeof enumerated) => box("colr", [1, 0, 0], u32(enumerated[space]));

/** Returns a codestream of gray or RGB as a JP2 file. */
export function jp2File(
  codestream: Uint8Array,
  described: Jp2Facts,
  resolution: Resolution | undefined,
): Uint8Array {
  const head = [
    ...file,
    ...box(
      "jp2h",
      ihdr(described),
      colr(described.components === 1 ? "gray" : "rgb"),
      ...(resolution ? [box("res ", captureResolution(resolution))] : []),
    ),
    ...u32(8 + codestream.length),
    ...ascii("jp2c"),
  ];
  const out = new Uint8Array(head.length + codestream.length);
  out.set(head);
  out.set(codestream, head.length);
  return out;
}

/** resc: pixels per metre as fraction times a power of ten, vertical first (I.5.3.7.1). */
function captureResolution({ x, y }: Resolution): Bytes {
  const [horizontal, vertical] = [fraction(x * 100), fraction(y * 100)];
  return box(
    "resc",
    u16(vertical.numerator),
    u16(vertical.denominator),
    u16(horizontal.numerator),
    u16(horizontal.denominator),
    [vertical.exponent & 255, horizontal.exponent & 255],
  );
}

/** Returns the closest decimal fraction that fits into 16 bits. */
function fraction(value: number): { numerator: number; denominator: number; exponent: number } {
  const exponent = Math.max(0, Math.ceil(Math.log10(value / 65535)));
  const scaled = value / 10 ** exponent;
  const denominator = [10000, 1000, 100, 10].find((d) => scaled * d <= 65535) ?? 1;
  return { numerator: Math.max(1, Math.round(scaled * denominator)), denominator, exponent };
}
