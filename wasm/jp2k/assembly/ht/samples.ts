// Second step of the HT cleanup pass (ITU-T T.814, 7.3.7 and 7.3.8): exponent bounds, magnitudes and signs of
// the significant samples, from the MagSgn bit stream.

import { BELOW, FORWARD_BITS, LINE_BYTES, LINES, RECORDS } from "./map";
import { COUNTS, HALVES, LANES } from "./tables";

/** Exponent bounds up to this one let the bits of a quad fit into the 57 that one read returns. */
const NARROW: u32 = 14;

/** Set if the magnitudes of the last block did not fit into 31 bits. */
let overflow: v128 = i64x2.splat(0);

/**
 * Writes the samples of a block, row by row, to `out`, as decodeHtBlock documents them. Records of its quads
 * are in `work`, and so are `signBits` MagSgn bits, with ones behind them. Returns 1, or 0 if magnitudes have
 * more than 31 bits.
 */
export function readSamples(work: usize, width: usize, height: usize, plane: u32, signBits: u32, out: usize): i32 {
  const across = (width + 1) >> 1;
  const pitch = width << 2;
  const odd = (width & 1) as bool;
  const lines = work + LINES;
  let record = work + RECORDS;
  let position: u32 = 0;
  overflow = i64x2.splat(0);
  memory.fill(work + BELOW, 0, (across + 1) << 2);
  for (let y: usize = 0; y < height; y += 2) {
    const single = y + 1 == height;
    const top = odd ? lines : out;
    const bottom = odd || single ? lines + LINE_BYTES : out + pitch;
    position = readRow(work, record, across, plane, position, signBits, top, bottom);
    if (position == REFUSED) return 0;
    if (odd) {
      memory.copy(out, top, pitch);
      if (!single) memory.copy(out + pitch, bottom, pitch);
    }
    record += (across + 1) << 2;
    out += pitch << 1;
  }
  return i32x4.bitmask(overflow) == 0 ? 1 : 0;
}

const BOTH_EMPTY: u64 = 0xf0000000f0;
const REFUSED: u32 = 0xffffffff;

/**
 * Reads one row of quads into two rows of samples. Returns the next position in MagSgn bits, or {@link
 * REFUSED}.
 */
function readRow(
  work: usize,
  record: usize,
  across: usize,
  plane: u32,
  position: u32,
  signBits: u32,
  top: usize,
  bottom: usize,
): u32 {
  const stream = work + FORWARD_BITS;
  const largest: u32 = 31 - plane;
  const one = i32x4.splat(1);
  const zero = i32x4.splat(0);
  const two = i32x4.splat(2);
  let below = work + BELOW;
  let corner: u64 = 0; // the sample on the left below, for the next row
  let above: u32 = load<u32>(below);
  let tooLarge = overflow;
  const end = record + (across << 2);
  while (record < end) {
    const codes = load<u64>(record);
    if ((codes & BOTH_EMPTY) == 0 && record + 8 <= end) {
      v128.store(top, zero);
      v128.store(bottom, zero);
      top += 16;
      bottom += 16;
      record += 8;
      above = load<u32>(below, 8);
      store<u64>(below, corner);
      corner = 0;
      below += 8;
      continue;
    }
    record += 4;
    const code = codes as u32;
    const rho = code & 0xf0;
    const next: u32 = load<u32>(below, 4);
    // the exponent is predicted if more than one sample is significant
    const known: u32 = rho & (rho - 16) ? above | next : 0;
    above = next;
    const bound: u32 = 31 - (clz(known | 2) as u32) + (code >> 16);
    if (bound > largest) return REFUSED;

    // first bits of the second, third and fourth sample in the order of the stream, and of what follows
    const starts = (bound * load<u32>((code >> 2) & 0x3c, COUNTS) - load<u32>((code >> 10) & 0x3c, COUNTS)) as u64;
    let first: u64;
    let second: u64;
    let third: u64;
    let fourth: u64;
    if (bound <= NARROW) {
      first = load<u64>(stream + (position >> 3)) >> (position & 7);
      second = first >> starts;
      third = first >> (starts >> 8);
      fourth = first >> (starts >> 16);
    } else {
      const p1 = position + ((starts as u32) & 255);
      const p2 = position + (((starts as u32) >> 8) & 255);
      const p3 = position + (((starts as u32) >> 16) & 255);
      first = load<u64>(stream + (position >> 3)) >> (position & 7);
      second = load<u64>(stream + (p1 >> 3)) >> (p1 & 7);
      third = load<u64>(stream + (p2 >> 3)) >> (p2 & 7);
      fourth = load<u64>(stream + (p3 >> 3)) >> (p3 & 7);
    }
    position = min(position + ((starts >> 24) as u32), signBits);
    const raw = i64x2.replace_lane(
      i64x2.splat((first & 0xffffffff) | (third << 32)),
      1,
      (second & 0xffffffff) | (fourth << 32),
    );

    // v is 2 (mu - 1) + 1, as the sign is apart
    const present = v128.load(rho, LANES);
    const half = v128.load32_splat(bound << 2, HALVES);
    const ones = i32x4.add(half, i32x4.sub(half, one));
    const mask = v128.xor(ones, v128.and(half, v128.load((code >> 8) & 0xf0, LANES)));
    let v = v128.or(v128.and(raw, mask), v128.and(half, v128.load((code >> 4) & 0xf0, LANES)));
    v = v128.and(v128.or(v, one), present);
    const sign = i32x4.shr_s(i32x4.shl(raw, 31), 31);
    const magnitude = v128.and(i32x4.shl(i32x4.add(v, two), plane), present);
    tooLarge = v128.or(tooLarge, magnitude);
    const result = i32x4.sub(v128.xor(magnitude, sign), sign);
    v128.store64_lane(top, result, 0);
    v128.store64_lane(bottom, result, 1);
    top += 8;
    bottom += 8;

    const lower = i64x2.extract_lane(v, 1) as u64;
    store<u32>(below, (corner | lower) as u32);
    corner = lower >> 32;
    below += 4;
  }
  store<u32>(below, corner as u32);
  overflow = tooLarge;
  return position;
}
