// The headers of a JPEG XL codestream as our decoder gets them: upright, without a profile, and with
// sRGB as the encoding of colours. Frames do not depend on any of these.

import { type Matrix, multiply } from "../../colour/matrix.ts";
import { BitWriter } from "./bits.ts";
import { type Codestream, type Opsin, spaces } from "./codestream.ts";
import type { JxlHeader } from "./header.ts";
import { BitReader } from "./read-bits.ts";

/** From linear sRGB to linear BT.2020 (ITU-R BT.2087, annex 2). */
const srgbToWide: Matrix = [0.6274, 0.3293, 0.0433, 0.0691, 0.9195, 0.0114, 0.0164, 0.088, 0.8956];

/** Returns the headers in place of those of `codestream`, to its first frame. */
export function plainHeader(codestream: Uint8Array, { stream, rendering, length }: JxlHeader): Uint8Array {
  const { parts } = stream;
  if (!parts) return codestream.subarray(0, length);
  const bits = new BitWriter();
  const from = new BitReader(codestream);
  const copyTo = (end: number) => {
    while (from.position < end) bits.put(from.take(1), 1);
  };
  const replace = ([start, end]: readonly [number, number], write: () => void) => {
    copyTo(start);
    from.skip(end - start);
    write();
  };
  replace(parts.orientation, () => bits.put(0, parts.orientation[1] - parts.orientation[0]));
  // Colours of XYB are more exact than the bits that the file names.
  if (stream.isXyb && rendering.depth === 16 && stream.bits < 16) replace(parts.depth, () => putDepth(bits));
  replace(parts.colour, () => putSrgb(bits, stream));
  if (rendering.isWide) replace(parts.opsin, () => putWideOpsin(bits, stream.opsin));
  copyTo(stream.end);
  bits.align();
  return bits.bytes();
}

/** Writes integers of 16 bits. */
function putDepth(bits: BitWriter): void {
  bits.put(0, 1);
  bits.put(3, 2);
  bits.put(15, 6);
}

/** Writes sRGB as the encoding of colours, or gray with its curve. */
function putSrgb(bits: BitWriter, { colour }: Codestream): void {
  const isGray = colour.space === spaces.gray;
  bits.put(0, 2); // not the default, no profile
  putEnum(bits, isGray ? spaces.gray : spaces.rgb);
  putEnum(bits, 1); // D65
  if (!isGray) putEnum(bits, 1);
  bits.put(0, 1); // no gamma
  putEnum(bits, 13);
  putEnum(bits, 1); // relative colorimetric
}

function putEnum(bits: BitWriter, value: number): void {
  bits.put(Math.min(value, 2), 2);
  if (value >= 2) bits.put(value - 2, 4);
}

/**
 * Writes a matrix whose result is BT.2020, which the decoder takes for sRGB: it would move colours into sRGB
 * before it converts them to any other primaries.
 */
function putWideOpsin(bits: BitWriter, { matrix, biases, isLast }: Opsin): void {
  const wide = multiply(srgbToWide, matrix).map(halfOf);
  // Half floats round: gray stays gray if the sums of rows do not change.
  for (const row of [0, 3, 6]) {
    const sum = (of: Matrix) => of[row]! + of[row + 1]! + of[row + 2]!;
    wide[row + 2] = halfOf(wide[row + 2]! + sum(multiply(srgbToWide, matrix)) - sum(wide));
  }
  bits.put(0, 2); // neither all transforms are the default, nor this one
  for (const value of [...wide, ...biases]) bits.put(halfBits(value), 16);
  if (isLast) bits.put(0, 3); // no weights
}

/** Returns the nearest number of half precision, of which only normal ones are used. */
function halfOf(value: number): number {
  const step = 2 ** (Math.floor(Math.log2(Math.abs(value) || 1)) - 10);
  return Math.round(value / step) * step;
}

/** Returns the bits of a number in half precision (B.2.6). */
function halfBits(value: number): number {
  const half = halfOf(value);
  if (half === 0) return 0;
  const exponent = Math.max(-14, Math.floor(Math.log2(Math.abs(half))));
  const fraction = Math.round((Math.abs(half) / 2 ** exponent - 1) * 1024);
  return (half < 0 ? 0x8000 : 0) | ((exponent + 15) << 10) | Math.max(0, fraction);
}
