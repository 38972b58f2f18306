// Code-blocks of HTJ2K (ITU-T T.814): the HT cleanup pass and the refinement passes behind it.

import { unstuffBackward, unstuffForward } from "./ht/bits";
import { BACKWARD_BITS, FORWARD_BITS, WORK_BYTES } from "./ht/map";
import { readQuads } from "./ht/quads";
import { refine } from "./ht/refine";
import { readSamples } from "./ht/samples";

/** The longest suffix of a cleanup segment: MEL and VLC bytes (T.814, 7.1.1). */
const LONGEST_SUFFIX: i32 = 4079;
/** The highest plane that magnitudes of 31 bits, one of them a fraction, have. */
const HIGHEST_PLANE: i32 = 29;

/** Bytes of scratch memory that {@link decodeHtBlock} takes. */
export function htWorkBytes(): i32 {
  return WORK_BYTES;
}

/**
 * Decodes a code-block of `passes` HT passes, 1 to 3 (T.814, 7.3 to 7.5). `data` is the address of the
 * cleanup segment, with the refinement segment directly after it; up to 64 bytes before and after both are
 * read but not used. Width and height are 1 to 1024 and `width * height` is at most 4096. `plane` is the
 * bit-plane of the lowest magnitude bit that the cleanup pass codes; the refinement passes code the one
 * below. `causal`: contexts of the SigProp pass are vertically causal.
 *
 * Writes `width * height` i32 to `out`, row by row without gaps: signed samples times 2, with a one below the
 * lowest known bit of their magnitude. `work` is {@link htWorkBytes} bytes. Returns 1, or 0 for data that no
 * encoder writes and for magnitudes of more than 30 bits; `out` is then undefined.
 */
export function decodeHtBlock(
  data: usize,
  cleanupLength: i32,
  refinementLength: i32,
  passes: i32,
  width: i32,
  height: i32,
  plane: i32,
  causal: bool,
  work: usize,
  out: usize,
): i32 {
  if (width < 1 || width > 1024 || height < 1 || height > 1024 || width * height > 4096) return 0;
  if (passes < 1 || passes > 3 || plane < 0 || plane > HIGHEST_PLANE || (passes > 1 && plane == 0)) return 0;
  if (cleanupLength < 2 || refinementLength < 0) return 0;
  const end = data + (cleanupLength as usize);
  const suffix = ((load<u8>(end - 1) as i32) << 4) | ((load<u8>(end - 2) as i32) & 15);
  if (suffix < 2 || suffix > LONGEST_SUFFIX || suffix > cleanupLength) return 0;
  const suffixAt = end - (suffix as usize);

  // the suffix length is in the last 12 bits; the 4 bits before them may miss a stuffing bit
  const shared: u64 = load<u8>(end - 2) >> 4;
  const stuffed = (shared & 7) == 7;
  const vlcBits = unstuffBackward(
    end - 3,
    suffixAt,
    work + BACKWARD_BITS,
    stuffed ? 7 : shared,
    stuffed ? 3 : 4,
    shared > 8 ? 0x80 : 0,
  );
  const across = ((width as usize) + 1) >> 1;
  const rows = ((height as usize) + 1) >> 1;
  readQuads(work, across, rows, suffixAt, end - 1, vlcBits);
  clipQuads(work, across, rows, width as usize, height as usize);

  const signBits = unstuffForward(data, suffixAt, work + FORWARD_BITS, ~(0 as u64));
  if (!readSamples(work, width as usize, height as usize, plane as u32, signBits, out)) return 0;
  // a segment without bytes has nothing to refine
  if (passes == 1 || refinementLength == 0) return 1;
  refine(work, end, refinementLength as usize, passes == 3, width as usize, height as usize, plane as u32, causal, out);
  return 1;
}

/** Clears significance outside of the block, so that damaged data cannot put samples there. */
function clipQuads(work: usize, across: usize, rows: usize, width: usize, height: usize): void {
  const pitch = (across + 1) << 2;
  if (width & 1) {
    let last = work + pitch - 8;
    for (let y: usize = 0; y < rows; y++, last += pitch) store<u32>(last, load<u32>(last) & 0xffff333f);
  }
  if (height & 1) {
    let last = work + (rows - 1) * pitch;
    for (let q: usize = 0; q < across; q++, last += 4) store<u32>(last, load<u32>(last) & 0xffff555f);
  }
}
