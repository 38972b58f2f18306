// The refinement passes of an HT code-block (ITU-T T.814, 7.4 and 7.5): SigProp, which makes further samples
// significant in the plane below the cleanup pass, and MagRef, which adds a magnitude bit to those of the
// cleanup pass.
//
// Samples are scanned in stripes of 4 rows, column by column. A column of a stripe is a byte: its own samples
// are bits 1 to 4, the row above is bit 0 and the row below is bit 5. Eight columns are one u64, so that set
// bits from the lowest on are samples in scan order: a group is the 4 columns in bytes 1 to 4, between a
// neighbour on either side.

import { unstuffBackward, unstuffForward } from "./bits";
import { ADDED, BACKWARD_BITS, FORWARD_BITS, RECORDS, SIGNIFICANT } from "./map";

const OWN: u64 = 0x1e1e1e1e1e1e1e1e;
const ABOVE: u64 = 0x0101010101010101;
const BELOW: u64 = 0x2020202020202020;
/** The columns of a group. */
const GROUP: u64 = 0x1e1e1e1e00;

/**
 * Refines the samples at `out`. The records of the cleanup pass are in `work`; `data` and `length` are the
 * refinement segment. `both`: there is a MagRef pass. Other parameters are those of decodeHtBlock.
 */
export function refine(
  work: usize,
  data: usize,
  length: usize,
  both: bool,
  width: usize,
  height: usize,
  plane: u32,
  causal: bool,
  out: usize,
): void {
  const pitch = ((width + 3) & ~3) + 8;
  gatherSignificance(work, width, height, pitch);
  const forward = unstuffForward(data, data + length, work + FORWARD_BITS, 0);
  propagate(work, width, height, pitch, plane, causal, forward, out);
  if (!both) return;
  const backward = unstuffBackward(data + length - 1, data, work + BACKWARD_BITS, 0, 0, 0x80);
  refineMagnitudes(work, width, height, pitch, plane, backward, out);
}

/**
 * Writes the significance of the cleanup pass, with a stripe of zeros above and below and a column on the
 * left.
 */
function gatherSignificance(work: usize, width: usize, height: usize, pitch: usize): void {
  const across = (width + 1) >> 1;
  const rows = (height + 1) >> 1;
  const bytes = pitch * (((height + 3) >> 2) + 2);
  memory.fill(work + SIGNIFICANT, 0, bytes);
  memory.fill(work + ADDED, 0, bytes);
  let record = work + RECORDS;
  let line = work + SIGNIFICANT + pitch + 1;
  for (let y: usize = 0; y < rows; y++) {
    const shift = y & 1 ? 3 : 1;
    for (let q: usize = 0; q < across; q++, record += 4) {
      const rho = (load<u32>(record) >> 4) & 15;
      const pair: u32 = ((rho & 3) | ((rho & 12) << 6)) << shift;
      const at = line + (q << 1);
      store<u16>(at, load<u16>(at) | (pair as u16));
    }
    record += 4;
    if (y & 1) line += pitch;
  }
}

/** The SigProp pass; `available` bits at {@link FORWARD_BITS}. */
function propagate(
  work: usize,
  width: usize,
  height: usize,
  pitch: usize,
  plane: u32,
  causal: bool,
  available: u32,
  out: usize,
): void {
  const stream = work + FORWARD_BITS;
  const magnitude: i32 = 3 << (plane - 1);
  let position: u32 = 0;
  let line = work + SIGNIFICANT + pitch;
  const shift = ADDED - SIGNIFICANT;
  for (let y: usize = 0; y < height; y += 4, line += pitch) {
    const rows = min(height - y, 4);
    const inside = GROUP & (ABOVE * ((2 << rows) - 2));
    for (let x: usize = 0; x < width; x += 4) {
      const at = line + x;
      const own = load<u64>(at);
      const above = load<u64>(at - pitch) | load<u64>(at - pitch + shift);
      let context = own | load<u64>(at + shift) | ((above >> 4) & ABOVE);
      if (!causal) context |= (load<u64>(at + pitch) << 4) & BELOW;
      if (context == 0) continue;

      let valid = inside;
      if (width - x < 4) valid &= ((1 as u64) << ((width - x + 1) << 3)) - 1;
      let candidates = candidatesOf(context) & valid;
      if (candidates == 0) continue;
      let bits = load<u64>(stream + (position >> 3)) >> (position & 7);
      let added: u64 = 0;
      while (candidates != 0) {
        const sample = candidates & -candidates;
        position++;
        if (bits & 1) {
          added |= sample;
          context |= sample;
          candidates = candidatesOf(context) & valid & ~(sample | (sample - 1));
        } else candidates ^= sample;
        bits >>= 1;
      }
      if (added != 0) {
        store<u64>(at + shift, load<u64>(at + shift) | added);
        position += popcnt(added) as u32;
        do {
          store<i32>(sampleAt(out, added, x, y, width), (bits & 1) != 0 ? -magnitude : magnitude);
          bits >>= 1;
          added &= added - 1;
        } while (added != 0);
      }
      position = min(position, available);
    }
  }
}

/** Samples that are not significant but have a significant neighbour. */
// @ts-ignore: decorator
@inline
function candidatesOf(context: u64): u64 {
  const columns = context | (context << 8) | (context >> 8);
  return (columns | (columns << 1) | (columns >> 1)) & ~context & OWN;
}

/** The MagRef pass; `available` bits at {@link BACKWARD_BITS}. */
function refineMagnitudes(
  work: usize,
  width: usize,
  height: usize,
  pitch: usize,
  plane: u32,
  available: u32,
  out: usize,
): void {
  const stream = work + BACKWARD_BITS;
  const half: i32 = 1 << (plane - 1);
  let position: u32 = 0;
  let line = work + SIGNIFICANT + pitch;
  for (let y: usize = 0; y < height; y += 4, line += pitch) {
    for (let x: usize = 0; x < width; x += 4) {
      let samples = load<u64>(line + x) & GROUP;
      let bits = load<u64>(stream + (position >> 3)) >> (position & 7);
      position = min(position + (popcnt(samples) as u32), available);
      for (; samples != 0; samples &= samples - 1) {
        // the midpoint moves up for a one and down for a zero, seen from 0
        const at = sampleAt(out, samples, x, y, width);
        const value = load<i32>(at);
        const down = ((bits as i32) & 1) - 1;
        store<i32>(at, value + ((half ^ (down ^ (value >> 31))) - (down ^ (value >> 31))));
        bits >>= 1;
      }
    }
  }
}

/** The address of the first sample of a group at column `x` of the stripe at row `y`. */
// @ts-ignore: decorator
@inline
function sampleAt(out: usize, samples: u64, x: usize, y: usize, width: usize): usize {
  const bit = ctz(samples) as usize;
  return out + (((y + (bit & 7) - 1) * width + x + (bit >> 3) - 1) << 2);
}
