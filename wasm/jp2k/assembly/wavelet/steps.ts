// The lifting steps of both filters, on four samples and their neighbours on both sides (ITU-T T.800, F.3.8).

/** Factors of the irreversible 9/7 filter (table F.4). */
export const ALPHA: f32 = -1.586134342059924;
export const BETA: f32 = -0.052980118572961;
export const GAMMA: f32 = 0.882911075530934;
export const DELTA: f32 = 0.443506852043971;

/** Low samples of the 5/3 filter. */
// @ts-ignore: decorator
@inline
export function lowInts(low: v128, before: v128, behind: v128): v128 {
  return i32x4.sub(low, i32x4.shr_s(i32x4.add(i32x4.add(before, behind), i32x4.splat(2)), 2));
}

/** High samples of the 5/3 filter; the low ones are final. */
// @ts-ignore: decorator
@inline
export function highInts(high: v128, before: v128, behind: v128): v128 {
  return i32x4.add(high, i32x4.shr_s(i32x4.add(before, behind), 1));
}

/**
 * Any step of the 9/7 filter: delta on low samples, then gamma on high, beta on low and alpha on high ones.
 */
// @ts-ignore: decorator
@inline
export function stepFloats(at: v128, before: v128, behind: v128, factor: v128): v128 {
  return f32x4.sub(at, f32x4.mul(factor, f32x4.add(before, behind)));
}
