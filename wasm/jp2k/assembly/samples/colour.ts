// Inverse multiple component transforms (ITU-T T.800, Annex G), on vectors and on planes.

/** The irreversible transform (G.3.2). */
const RED_FROM_CR: f32 = 1.402;
const GREEN_FROM_CB: f32 = 0.344136;
const GREEN_FROM_CR: f32 = 0.714136;
const BLUE_FROM_CB: f32 = 1.772;

/** Green of the reversible transform (G.2.2). */
// @ts-ignore: decorator
@inline
export function rctGreen(y: v128, u: v128, v: v128): v128 {
  return i32x4.sub(y, i32x4.shr_s(i32x4.add(u, v), 2));
}

// @ts-ignore: decorator
@inline
export function ictRed(y: v128, cr: v128): v128 {
  return f32x4.add(y, f32x4.mul(cr, f32x4.splat(RED_FROM_CR)));
}

// @ts-ignore: decorator
@inline
export function ictGreen(y: v128, cb: v128, cr: v128): v128 {
  const withoutCb = f32x4.sub(y, f32x4.mul(cb, f32x4.splat(GREEN_FROM_CB)));
  return f32x4.sub(withoutCb, f32x4.mul(cr, f32x4.splat(GREEN_FROM_CR)));
}

// @ts-ignore: decorator
@inline
export function ictBlue(y: v128, cb: v128): v128 {
  return f32x4.add(y, f32x4.mul(cb, f32x4.splat(BLUE_FROM_CB)));
}

/**
 * Turns three planes of i32 (Y0, Y1, Y2) into red, green and blue in place (G.2.2). `stride` is in samples;
 * only the rectangle changes.
 */
export function inverseRct(a: usize, b: usize, c: usize, stride: i32, width: i32, height: i32): void {
  const rest = width & 3;
  const whole = (<usize>(width - rest)) << 2;
  for (; height > 0; height--) {
    let x: usize = 0;
    for (; x < whole || (rest && x === whole); x += 16) {
      const u = v128.load(b + x);
      const v = v128.load(c + x);
      const green = rctGreen(v128.load(a + x), u, v);
      const lanes = x < whole ? 4 : rest;
      put(a + x, i32x4.add(v, green), lanes);
      put(b + x, green, lanes);
      put(c + x, i32x4.add(u, green), lanes);
    }
    const down = (<usize>stride) << 2;
    a += down;
    b += down;
    c += down;
  }
}

/** Does the same on planes of f32 (Y, Cb, Cr) by the irreversible transform (G.3.2). */
export function inverseIct(a: usize, b: usize, c: usize, stride: i32, width: i32, height: i32): void {
  const rest = width & 3;
  const whole = (<usize>(width - rest)) << 2;
  for (; height > 0; height--) {
    let x: usize = 0;
    for (; x < whole || (rest && x === whole); x += 16) {
      const y = v128.load(a + x);
      const cb = v128.load(b + x);
      const cr = v128.load(c + x);
      const lanes = x < whole ? 4 : rest;
      put(a + x, ictRed(y, cr), lanes);
      put(b + x, ictGreen(y, cb, cr), lanes);
      put(c + x, ictBlue(y, cb), lanes);
    }
    const down = (<usize>stride) << 2;
    a += down;
    b += down;
    c += down;
  }
}

/** Stores the first `lanes` of four samples. */
// @ts-ignore: decorator
@inline
function put(at: usize, samples: v128, lanes: i32): void {
  if (lanes === 4) v128.store(at, samples);
  else {
    v128.store32_lane(at, samples, 0);
    if (lanes > 1) v128.store32_lane(at, samples, 1, 4);
    if (lanes > 2) v128.store32_lane(at, samples, 2, 8);
  }
}
