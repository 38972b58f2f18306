// Transposes samples, 8 by 8 at a time.

/**
 * Rows of samples become columns: `rows` of `columns` from `from`, `step` bytes apart, to `to`, `toStep`
 * bytes apart; both steps may be negative. In both directions up to 7 samples more are read and written.
 */
export function transpose(from: usize, step: i32, columns: i32, rows: i32, to: usize, toStep: i32): void {
  for (let row = 0; row < rows; row += 8) {
    let source = from + row * step;
    let target = to + row;
    for (let column = 0; column < columns; column += 8) {
      transpose8(source, step, target, toStep);
      source += 8;
      target += 8 * toStep;
    }
  }
}

// @ts-ignore: decorator
@inline
function pairOfRows(at: usize, step: i32): v128 {
  const a = v128.load64_zero(at);
  const b = v128.load64_zero(at + step);
  return i8x16.shuffle(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}

// @ts-ignore: decorator
@inline
function transpose8(from: usize, step: i32, to: usize, toStep: i32): void {
  const a = pairOfRows(from, step);
  const b = pairOfRows(from + 2 * step, step);
  const c = pairOfRows(from + 4 * step, step);
  const d = pairOfRows(from + 6 * step, step);
  const left1 = i16x8.shuffle(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
  const left2 = i16x8.shuffle(c, d, 0, 8, 1, 9, 2, 10, 3, 11);
  const right1 = i16x8.shuffle(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
  const right2 = i16x8.shuffle(c, d, 4, 12, 5, 13, 6, 14, 7, 15);
  storePair(to, toStep, i32x4.shuffle(left1, left2, 0, 4, 1, 5));
  storePair(to + 2 * toStep, toStep, i32x4.shuffle(left1, left2, 2, 6, 3, 7));
  storePair(to + 4 * toStep, toStep, i32x4.shuffle(right1, right2, 0, 4, 1, 5));
  storePair(to + 6 * toStep, toStep, i32x4.shuffle(right1, right2, 2, 6, 3, 7));
}

// @ts-ignore: decorator
@inline
function storePair(to: usize, toStep: i32, both: v128): void {
  v128.store64_lane(to, both, 0);
  v128.store64_lane(to + toStep, both, 1);
}
