// One row of a window from a row of low and a row of high samples: all lifting steps in one pass over four
// pairs at a time.
//
// Low sample k is at position 2k and high sample k at 2k + 1; a row that begins with a high sample has it at
// -1. Both kinds have separate lines in the scratch memory, with the symmetric extension written out at both
// ends: it passes through lifting steps unchanged, as they are symmetric themselves.

import { ALPHA, BETA, DELTA, GAMMA, highInts, lowInts, stepFloats } from "./steps";

/** Samples before a line, and behind its last vector. */
const BEFORE: i32 = 4;
const BEHIND: i32 = 12;
/** Samples that are extended at each end: as many as the filters reach. */
const REACH_INT: i32 = 2;
const REACH_FLOAT: i32 = 4;
/** Addresses of a copied sample and of its source, for each sample of the extension. */
const MIRRORED_BYTES: i32 = 8;

let odd: i32 = 0;
let width: i32 = 0;
let lowCount: i32 = 0;
let highCount: i32 = 0;
/** Addresses of the samples at the positions 0 and 1. */
let lowLine: usize = 0;
let highLine: usize = 0;
let mirrored: usize = 0;
let mirroredEnd: usize = 0;

// @ts-ignore: decorator
@inline
function lineBytes(samples: i32): i32 {
  return ((BEFORE + (((samples >> 1) + 4) & ~3) + BEHIND) << 2) + 16;
}

/** Bytes of the two lines and the list of mirrored samples for rows of `samples`. */
export function scratchBytes(samples: i32): i32 {
  return 2 * lineBytes(samples) + 2 * REACH_FLOAT * MIRRORED_BYTES;
}

/** Prepares for rows of `samples`, of which the first is a high one if `startsOdd` is 1. */
export function prepareAcross<T>(startsOdd: i32, samples: i32, scratch: usize): void {
  odd = startsOdd;
  width = samples;
  lowCount = (samples + 1 - startsOdd) >> 1;
  highCount = samples - lowCount;
  const bytes = lineBytes(samples);
  memory.fill(scratch, 0, 2 * bytes);
  lowLine = scratch + (BEFORE << 2);
  highLine = lowLine + <usize>bytes;
  mirrored = scratch + 2 * <usize>bytes;
  mirroredEnd = mirrored;
  if (samples === 1) return;
  const reach = isInteger<T>() ? REACH_INT : REACH_FLOAT;
  for (let i = 1; i <= reach; i++) {
    mirror(-startsOdd - i);
    mirror(samples - startsOdd - 1 + i);
  }
}

/** Lists the sample at a position outside the row with its source: T.800, F.3.7. */
function mirror(position: i32): void {
  const last = width - 1;
  let source = position + odd;
  while (source < 0 || source > last) source = source < 0 ? -source : 2 * last - source;
  store<u32>(mirroredEnd, <u32>addressOf(position));
  store<u32>(mirroredEnd, <u32>addressOf(source - odd), 4);
  mirroredEnd += MIRRORED_BYTES;
}

function addressOf(position: i32): usize {
  return (position & 1 ? highLine : lowLine) + <usize>((position >> 1) << 2);
}

/** Makes a row; up to seven samples behind it are written too. */
export function makeRow<T>(low: usize, high: usize, out: usize): void {
  if (width === 1) {
    const only = load<i32>(odd ? high : low);
    // Encoders write twice the sample. What was cut off may leave an odd number: OpenJPEG rounds toward zero.
    store<i32>(out, isInteger<T>() && odd ? only / 2 : only);
    return;
  }
  copyLine(low, lowLine, lowCount);
  copyLine(high, highLine - <usize>(odd << 2), highCount);
  for (let at = mirrored; at < mirroredEnd; at += MIRRORED_BYTES)
    store<u32>(<usize>load<u32>(at), load<u32>(<usize>load<u32>(at, 4)));
  if (isInteger<T>()) liftInts(out);
  else liftFloats(out);
}

// @ts-ignore: decorator
@inline
function copyLine(from: usize, to: usize, count: i32): void {
  for (const end = to + ((<usize>count) << 2); to < end; from += 16, to += 16) v128.store(to, v128.load(from));
}

/** The four samples before those of `next`: the last one of `last`, and three of `next`. */
// @ts-ignore: decorator
@inline
function before(last: v128, next: v128): v128 {
  return v128.shuffle<i32>(last, next, 3, 4, 5, 6);
}

/** The four samples behind the first one of `now`. */
// @ts-ignore: decorator
@inline
function behind(now: v128, next: v128): v128 {
  return v128.shuffle<i32>(now, next, 1, 2, 3, 4);
}

// @ts-ignore: decorator
@inline
function storePairs(out: usize, low: v128, high: v128): void {
  v128.store(out, v128.shuffle<i32>(low, high, 0, 4, 1, 5));
  v128.store(out, v128.shuffle<i32>(low, high, 2, 6, 3, 7), 16);
}

/**
 * The 5/3 filter (T.800, F.3.8.1). A pass of the loop makes four low samples final, and the high ones before
 * them.
 */
function liftInts(out: usize): void {
  let high = v128.load(highLine - 16);
  let low = lowInts(v128.load(lowLine - 16), before(i32x4.splat(0), high), high);
  let from: usize = 0;
  const end = (width - odd + 15) >> 3;
  for (let i = 0; i < end; i++, from += 16) {
    const nextHigh = v128.load(highLine + from);
    const nextLow = lowInts(v128.load(lowLine + from), before(high, nextHigh), nextHigh);
    const made = highInts(high, low, behind(low, nextLow));
    if (i > 0) {
      storePairs(out, low, made);
      out += 32;
    } else if (odd) {
      v128.store32_lane(out, made, 3);
      out += 4;
    }
    high = nextHigh;
    low = nextLow;
  }
}

/**
 * Without K, the 9/7 filter (T.800, F.3.8.2). A pass of the loop takes up four pairs, and finishes those two
 * passes back.
 */
function liftFloats(out: usize): void {
  const alpha = f32x4.splat(ALPHA);
  const beta = f32x4.splat(BETA);
  const gamma = f32x4.splat(GAMMA);
  const delta = f32x4.splat(DELTA);
  // by the steps that they have behind them: low samples after delta and beta, high ones after none and gamma
  let high = v128.load(highLine - 16);
  let low1 = stepFloats(v128.load(lowLine - 16), before(f32x4.splat(0), high), high, delta);
  let high1 = f32x4.splat(0);
  let low2 = f32x4.splat(0);
  let from: usize = 0;
  const end = (width - odd + 23) >> 3;
  for (let i = 0; i < end; i++, from += 16) {
    const nextHigh = v128.load(highLine + from);
    const nextLow1 = stepFloats(v128.load(lowLine + from), before(high, nextHigh), nextHigh, delta);
    const nextHigh1 = stepFloats(high, low1, behind(low1, nextLow1), gamma);
    const nextLow2 = stepFloats(low1, before(high1, nextHigh1), nextHigh1, beta);
    const made = stepFloats(high1, low2, behind(low2, nextLow2), alpha);
    if (i > 1) {
      storePairs(out, low2, made);
      out += 32;
    } else if (i === 1 && odd) {
      v128.store32_lane(out, made, 3);
      out += 4;
    }
    high = nextHigh;
    low1 = nextLow1;
    high1 = nextHigh1;
    low2 = nextLow2;
  }
}
