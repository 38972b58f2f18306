// Code-blocks of JPEG 2000 Part 1 (ITU-T T.800 Annex D): from segments of bytes to coefficients.

import { beginSegment, decision, mpsAt, renormalise } from "./block/mq";
import {
  refinementContext,
  resetContexts,
  runContext,
  signContexts,
  slotOf,
  uniformContext,
  zeroContexts,
} from "./block/contexts";
import { beginRaw, rawBit } from "./block/raw";

/** Code-block styles (table A.19). */
const bypass = 1;
const resets = 2;
const isCausal = 8;
const hasSymbols = 32;

// One word for each column of a stripe of four rows, with a border of one word and one stripe all around:
//   0-17  significances of 3 columns by 6 rows, row by row, from the row above the stripe on
//   18    sign of the sample above the stripe; 31: of the one below
//   for row r of the stripe: 19 + 3r its sign, 20 + 3r refined before, 21 + 3r visited in this bit-plane
// so that row r itself is bit 4 + 3r, and its neighbourhood begins at bit 3r.

/** The four samples of a word. */
const own: u32 = 0x2490;
const visited: u32 = 0x4920_0000;

let width: i32 = 0;
let height: i32 = 0;
/** Words, with the border at both ends; the first word of the first stripe. */
let stride: usize = 0;
let words: usize = 0;
/** Magnitudes with one fraction bit: stripe after stripe, column after column, four rows. */
let magnitudes: usize = 0;
let zeroTable: usize = 0;
let causal: bool = false;
let distance: i64 = 0;

/** Bytes of scratch that a block of any shape takes. */
export function blockWorkBytes(): i32 {
  // 4096 samples in stripes of four rows; words of the longest row and of the highest column.
  return 4096 * 4 + 3 * 1026 * 4 + 256 * 6 * 4 + 64;
}

/**
 * Decodes a block of `across` x `down` coefficients, sides of 1 to 1024 and at most 4096 in all (1024 in
 * stripes of fewer than four rows). `data`: its segments in sequence, each followed by two bytes of 0xFF;
 * `segments`: passes and bytes of each as pairs of u32. `planes`: bit-planes without the zero ones, at most
 * 30; the lowest `skipped` of them are not decoded. `orientation`: 0 for LL and LH, 1 for HL, 2 for HH.
 * `work`: scratch. `out`: coefficients row by row in two's complement with one fraction bit, in the middle of
 * the interval that the decoded passes leave.
 */
export function decodeBlock(
  data: usize,
  segments: usize,
  count: i32,
  across: i32,
  down: i32,
  planes: i32,
  skipped: i32,
  orientation: i32,
  style: i32,
  work: usize,
  out: usize,
): void {
  width = across;
  height = down;
  const stripes = (down + 3) >> 2;
  magnitudes = work;
  const magnitudeBytes = usize(stripes * across) << 4;
  stride = usize(across + 2) << 2;
  const border = work + magnitudeBytes;
  words = border + stride + 4;
  memory.fill(work, 0, magnitudeBytes + usize(stripes + 2) * stride);
  zeroTable = zeroContexts + usize(orientation) * 512;
  causal = (style & isCausal) != 0;
  resetContexts();
  let plane = planes - 1;
  let kind = 2;
  let pass = 0;
  for (let n = 0; n < count && plane >= skipped; n++, segments += 8) {
    const passes = load<u32>(segments);
    const isRaw = (style & bypass) != 0 && pass >= 10 && kind != 2;
    if (isRaw) beginRaw(data);
    else distance = beginSegment(data);
    data += usize(load<u32>(segments, 4)) + 2;
    for (let i: u32 = 0; i < passes; i++) {
      // Data beyond the last bit-plane has no meaning.
      if (plane < skipped) break;
      if (kind == 2) {
        cleanUp(plane);
        if (style & hasSymbols) skipSymbol();
        plane--;
        kind = 0;
      } else {
        if (kind == 0) {
          if (isRaw) findRaw(plane);
          else findSignificant(plane);
        } else if (isRaw) refineRaw(plane);
        else refine(plane);
        kind++;
      }
      if (style & resets) resetContexts();
      pass++;
    }
  }
  write(stripes, out);
}

/** The samples of a word that are not significant but have a significant neighbour. */
// @ts-ignore: decorator
@inline
function besideSignificant(word: u32): u32 {
  const any = word | (word >> 1) | (word >> 2);
  return (((any | (any >> 6)) << 4) | ((word | (word >> 2)) << 1)) & ~word & own;
}

/** The index into the table of signs for the sample at bit `p` of the word at `at`. */
// @ts-ignore: decorator
@inline
function aroundSign(at: usize, word: u32, p: u32): u32 {
  const west = load<u32>(at - 4);
  const east = load<u32>(at + 4);
  const north = p == 4 ? word >> 18 : word >> (p + 12);
  return (
    ((word >> (p - 1)) & 1) |
    ((word >> p) & 2) |
    (((word >> (p - 3)) & 1) << 2) |
    (((word >> (p + 3)) & 1) << 3) |
    (((west >> (p + 15)) & 1) << 4) |
    (((east >> (p + 15)) & 1) << 5) |
    ((north & 1) << 6) |
    (((word >> (p + 18)) & 1) << 7)
  );
}

/** Informs the neighbouring words that the sample at bit `p` is significant; returns the word with it. */
// @ts-ignore: decorator
@inline
function spread(at: usize, word: u32, p: u32, sign: u32): u32 {
  store<u32>(at - 4, load<u32>(at - 4) | (1 << (p + 1)));
  store<u32>(at + 4, load<u32>(at + 4) | (1 << (p - 1)));
  if (p == 4 && !causal) {
    const above = at - stride;
    store<u32>(above - 4, load<u32>(above - 4) | (1 << 17));
    store<u32>(above, load<u32>(above) | (1 << 16) | (sign << 31));
    store<u32>(above + 4, load<u32>(above + 4) | (1 << 15));
  } else if (p == 13) {
    const below = at + stride;
    store<u32>(below - 4, load<u32>(below - 4) | 4);
    store<u32>(below, load<u32>(below) | 2 | (sign << 18));
    store<u32>(below + 4, load<u32>(below + 4) | 1);
  }
  return word | (1 << p) | (sign << (p + 15));
}

/** Address of the magnitude of the sample at bit `p`; `column`: that of the word. */
// @ts-ignore: decorator
@inline
function magnitudeAt(column: usize, p: u32): usize {
  return column + usize((((p - 4) * 0x56) >> 8) << 2);
}

// @ts-ignore: decorator
@inline
function rowsOf(stripe: i32): u32 {
  const left = height - (stripe << 2);
  return left >= 4 ? own : own & ((1 << (2 + 3 * left)) - 1);
}

/** The significance propagation pass (D.3.1): samples with significant neighbours. */
function findSignificant(plane: i32): void {
  const found = 3 << plane;
  let d = distance;
  let column = magnitudes;
  let row = words;
  for (let stripe = 0; stripe << 2 < height; stripe++, row += stride) {
    const rows = rowsOf(stripe);
    const end = row + (usize(width) << 2);
    for (let at = row; at < end; at += 4, column += 16) {
      let word = load<u32>(at);
      let left = besideSignificant(word) & rows;
      if (left == 0) continue;
      do {
        const p = ctz(left);
        let slot = slotOf(load<u8>(zeroTable + usize((word >> (p - 4)) & 0x1ff)));
        word |= 1 << (p + 17);
        left &= left - 1;
        d -= load<i64>(slot);
        let bit: u32;
        if (d >= 0) bit = load<u32>(slot, mpsAt);
        else {
          d = renormalise(slot, d);
          bit = decision;
        }
        if (bit) {
          const around = u32(load<u8>(signContexts + usize(aroundSign(at, word, p))));
          slot = slotOf(around & 0x7f);
          d -= load<i64>(slot);
          if (d >= 0) bit = load<u32>(slot, mpsAt);
          else {
            d = renormalise(slot, d);
            bit = decision;
          }
          word = spread(at, word, p, bit ^ (around >> 7));
          store<i32>(magnitudeAt(column, p), found);
          left = besideSignificant(word) & rows & -(2 << p);
        }
      } while (left);
      store<u32>(at, word);
    }
  }
  distance = d;
}

/** D.3.3: one more bit of the samples that were significant before this bit-plane. */
function refine(plane: i32): void {
  const half = 1 << plane;
  let d = distance;
  let column = magnitudes;
  let row = words;
  for (let stripe = 0; stripe << 2 < height; stripe++, row += stride) {
    const end = row + (usize(width) << 2);
    for (let at = row; at < end; at += 4, column += 16) {
      let word = load<u32>(at);
      let left = word & ~(word >> 17) & own;
      if (left == 0) continue;
      do {
        const p = ctz(left);
        left &= left - 1;
        const isFirst = ((word >> (p + 16)) & 1) == 0;
        const context = isFirst ? refinementContext + i32(((word >> (p - 4)) & 0x1ef) != 0) : refinementContext + 2;
        const slot = slotOf(context);
        d -= load<i64>(slot);
        let bit: u32;
        if (d >= 0) bit = load<u32>(slot, mpsAt);
        else {
          d = renormalise(slot, d);
          bit = decision;
        }
        const magnitude = magnitudeAt(column, p);
        store<i32>(magnitude, load<i32>(magnitude) + (bit ? half : -half));
        word |= 1 << (p + 16);
      } while (left);
      store<u32>(at, word);
    }
  }
  distance = d;
}

/** D.3.4: the samples that are left, columns without significant neighbours as runs. */
function cleanUp(plane: i32): void {
  const found = 3 << plane;
  let d = distance;
  let column = magnitudes;
  let row = words;
  for (let stripe = 0; stripe << 2 < height; stripe++, row += stride) {
    const rows = rowsOf(stripe);
    const end = row + (usize(width) << 2);
    for (let at = row; at < end; at += 4, column += 16) {
      let word = load<u32>(at);
      let left = ~(word | (word >> 17)) & rows;
      let bit: u32;
      let slot: usize;
      /** True if the next sample is known to become significant. */
      let isKnown = false;
      if (word == 0 && rows == own) {
        slot = slotOf(runContext);
        d -= load<i64>(slot);
        if (d >= 0) bit = load<u32>(slot, mpsAt);
        else {
          d = renormalise(slot, d);
          bit = decision;
        }
        if (!bit) continue;
        slot = slotOf(uniformContext);
        let run: u32 = 0;
        for (let i = 0; i < 2; i++) {
          d -= load<i64>(slot);
          if (d >= 0) bit = load<u32>(slot, mpsAt);
          else {
            d = renormalise(slot, d);
            bit = decision;
          }
          run = (run << 1) | bit;
        }
        isKnown = true;
        left &= -(16 << (3 * run));
      }
      while (left) {
        const p = ctz(left);
        left &= left - 1;
        if (isKnown) {
          isKnown = false;
          bit = 1;
        } else {
          slot = slotOf(load<u8>(zeroTable + usize((word >> (p - 4)) & 0x1ff)));
          d -= load<i64>(slot);
          if (d >= 0) bit = load<u32>(slot, mpsAt);
          else {
            d = renormalise(slot, d);
            bit = decision;
          }
        }
        if (bit) {
          const around = u32(load<u8>(signContexts + usize(aroundSign(at, word, p))));
          slot = slotOf(around & 0x7f);
          d -= load<i64>(slot);
          if (d >= 0) bit = load<u32>(slot, mpsAt);
          else {
            d = renormalise(slot, d);
            bit = decision;
          }
          word = spread(at, word, p, bit ^ (around >> 7));
          store<i32>(magnitudeAt(column, p), found);
        }
      }
      store<u32>(at, word & ~visited);
    }
  }
  distance = d;
}

/**
 * Skips the segmentation symbol (D.5): four decisions that reveal encoding errors; their values are not
 * checked.
 */
function skipSymbol(): void {
  const slot = slotOf(uniformContext);
  for (let i = 0; i < 4; i++) {
    distance -= load<i64>(slot);
    if (distance < 0) distance = renormalise(slot, distance);
  }
}

/** {@link findSignificant} from raw bits (D.6). */
function findRaw(plane: i32): void {
  const found = 3 << plane;
  let column = magnitudes;
  let row = words;
  for (let stripe = 0; stripe << 2 < height; stripe++, row += stride) {
    const rows = rowsOf(stripe);
    const end = row + (usize(width) << 2);
    for (let at = row; at < end; at += 4, column += 16) {
      let word = load<u32>(at);
      let left = besideSignificant(word) & rows;
      while (left) {
        const p = ctz(left);
        left &= left - 1;
        word |= 1 << (p + 17);
        if (rawBit()) {
          word = spread(at, word, p, rawBit());
          store<i32>(magnitudeAt(column, p), found);
          left = besideSignificant(word) & rows & -(2 << p);
        }
      }
      store<u32>(at, word);
    }
  }
}

/** {@link refine} from raw bits (D.6). */
function refineRaw(plane: i32): void {
  const half = 1 << plane;
  let column = magnitudes;
  let row = words;
  for (let stripe = 0; stripe << 2 < height; stripe++, row += stride) {
    const end = row + (usize(width) << 2);
    for (let at = row; at < end; at += 4, column += 16) {
      let word = load<u32>(at);
      let left = word & ~(word >> 17) & own;
      while (left) {
        const p = ctz(left);
        left &= left - 1;
        const magnitude = magnitudeAt(column, p);
        store<i32>(magnitude, load<i32>(magnitude) + (rawBit() ? half : -half));
        word |= 1 << (p + 16);
      }
      store<u32>(at, word);
    }
  }
}

/** Turns columns of four into rows, with their signs. */
function write(stripes: i32, out: usize): void {
  let column = magnitudes;
  let row = words;
  const pitch = usize(width) << 2;
  for (let stripe = 0; stripe < stripes; stripe++, row += stride) {
    const rows = min(4, height - (stripe << 2));
    for (let x = 0; x < width; x++, column += 16) {
      const word = load<u32>(row + (usize(x) << 2));
      let to = out + (usize(x) << 2);
      for (let r = 0; r < rows; r++, to += pitch) {
        const negative = -i32((word >> (19 + 3 * r)) & 1);
        store<i32>(to, (load<i32>(column + (usize(r) << 2)) ^ negative) - negative);
      }
    }
    out += pitch << 2;
  }
}
