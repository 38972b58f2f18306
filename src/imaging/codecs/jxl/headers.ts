// The headers of a JPEG XL codestream with the coefficients of a JPEG (ISO/IEC 18181-1, annexes D and F).
// Decoders read coefficients of the first pass as eight times larger, which the quantisation tables undo: so
// the bias that they give to small coefficients is an eighth of what it would be.

import type { Size } from "../../../base/index.ts";
import { BitWriter, type Choice } from "./bits.ts";

/** Subsampling of a component against the others (F.2, jpeg_upsampling). */
export const upsampling = { none: 0, both: 1, across: 2, down: 3 } as const;
export type Upsampling = (typeof upsampling)[keyof typeof upsampling];

export interface CodestreamFacts {
  readonly size: Size;
  /** EXIF numbering, 1 to 8: decoders turn the picture by it. */
  readonly orientation: number;
  /** Of Cb, Y and Cr: how many samples each has for one of the component with the fewest. */
  readonly upsampling: readonly [Upsampling, Upsampling, Upsampling];
  /** Bytes of each section before the second pass, whose sections are empty. */
  readonly sections: readonly number[];
}

export const sides: readonly Choice[] = [
  [1, 9],
  [1, 13],
  [1, 18],
  [1, 30],
];
const lengths: readonly Choice[] = [
  [0, 10],
  [1024, 14],
  [17_408, 22],
  [4_211_712, 30],
];
/** Side of a group in pixels. */
const groupSide = 256;
/** log2 of the factor between the passes. */
const shift = 3;
/** Flag of a frame whose DC values are not smoothed, as U64 has it: 17 and 8 bits. */
const skipSmoothing = 128 - 17;

/** Returns all bytes before the first section. */
export function codestreamHeader(facts: CodestreamFacts): Uint8Array {
  const bits = new BitWriter();
  bits.put(0x0aff, 16);
  putSize(bits, facts.size);
  putMetadata(bits, facts);
  bits.align();
  putFrame(bits, facts);
  putContents(bits, facts);
  return bits.bytes();
}

function putSize(bits: BitWriter, { width, height }: Size): void {
  bits.put(0, 1);
  bits.putChoice(height, sides);
  bits.put(0, 3); // no ratio
  bits.putChoice(width, sides);
}

/**
 * Writes the image metadata: 8 bits of sRGB. Gray is sRGB too, since Chromium shows gray that is called so up
 * to 3 levels darker.
 */
function putMetadata(bits: BitWriter, { orientation }: CodestreamFacts): void {
  const isTurned = orientation !== 1;
  bits.put(0, 1); // not all defaults
  bits.put(isTurned ? 1 : 0, 1); // extra fields
  if (isTurned) {
    bits.put(orientation - 1, 3);
    bits.put(0, 3); // no intrinsic size, preview, animation
  }
  bits.put(0, 3); // integers of 8 bits
  bits.put(1, 1); // 16 bits are enough for modular streams
  bits.put(0, 2); // no extra channels
  bits.put(0, 1); // not XYB
  bits.put(1, 1); // sRGB
  if (isTurned) bits.put(1, 1); // default tone mapping
  bits.put(0, 2); // no extensions
  bits.put(1, 1); // default transforms
}

function putFrame(bits: BitWriter, { upsampling }: CodestreamFacts): void {
  bits.put(0, 1); // not all defaults
  bits.put(0, 2); // a regular frame
  bits.put(0, 1); // of transformed blocks
  bits.put(2, 2);
  bits.put(skipSmoothing, 8);
  bits.put(1, 1); // YCbCr
  for (const each of upsampling) bits.put(each, 2);
  bits.put(0, 2); // not upsampled
  bits.put(1, 2); // two passes
  bits.put(0, 2); // none for a smaller size
  bits.put(shift, 2);
  bits.put(0, 1); // as large as the image
  bits.put(0, 2); // replaces what is there
  bits.put(1, 1); // the last frame
  bits.put(0, 2); // no name
  bits.put(0, 1); // not the default filters
  bits.put(0, 3); // nor any others
  bits.put(0, 4); // no extensions of filters and frame
}

function putContents(bits: BitWriter, { size, sections }: CodestreamFacts): void {
  bits.put(0, 1); // in order
  bits.align();
  const groups = Math.ceil(size.width / groupSide) * Math.ceil(size.height / groupSide);
  for (const length of sections) bits.putChoice(length, lengths);
  for (let i = 0; i < groups; i++) bits.putChoice(0, lengths);
  bits.align();
}
