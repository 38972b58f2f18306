// Chroma rows at full width, as libjpeg's "fancy" upsampling makes them: 3/4 of the nearer sample, 1/4 of the
// next. Rows are read one sample before their start and one behind their end: extendRows puts the edge
// samples there.

// @ts-ignore: decorator
@inline
function three(near: v128, far: v128): v128 {
  return i16x8.add(i16x8.add(near, i16x8.shl(near, 1)), far);
}

// @ts-ignore: decorator
@inline
function storeZipped(to: usize, even: v128, odd: v128): void {
  // biome-ignore format: the lanes in one line
  v128.store(
    to,
    v128.shuffle<u8>(
      i8x16.narrow_i16x8_u(even, even),
      i8x16.narrow_i16x8_u(odd, odd),
      0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23,
    ),
  );
}

/** Repeats the first and last sample of `count` rows of `width` bytes in front of and behind them. */
export function extendRows(rows: usize, stride: usize, count: i32, width: usize): void {
  for (; count > 0; count--, rows += stride) {
    store<u8>(rows - 1, load<u8>(rows));
    store<u8>(rows + width, load<u8>(rows + width - 1));
  }
}

/** 2 * width samples out of `width`. Writes up to 14 bytes more. */
export function doubleAcross(row: usize, width: usize, to: usize): void {
  const one = i16x8.splat(1);
  const two = i16x8.splat(2);
  for (const end = row + width; row < end; row += 8, to += 16) {
    const t = v128.load8x8_u(row);
    storeZipped(
      to,
      i16x8.shr_u(i16x8.add(three(t, v128.load8x8_u(row - 1)), one), 2),
      i16x8.shr_u(i16x8.add(three(t, v128.load8x8_u(row + 1)), two), 2),
    );
  }
}

/** The same, of a row between `near` and `far`. */
export function doubleBoth(near: usize, far: usize, width: usize, to: usize): void {
  const seven = i16x8.splat(7);
  const eight = i16x8.splat(8);
  for (const end = near + width; near < end; near += 8, far += 8, to += 16) {
    const before = three(v128.load8x8_u(near - 1), v128.load8x8_u(far - 1));
    const here = three(v128.load8x8_u(near), v128.load8x8_u(far));
    const after = three(v128.load8x8_u(near + 1), v128.load8x8_u(far + 1));
    storeZipped(
      to,
      i16x8.shr_u(i16x8.add(three(here, before), eight), 4),
      i16x8.shr_u(i16x8.add(three(here, after), seven), 4),
    );
  }
}

/**
 * Interpolates `width` samples between `near` and `far`; `bias` is 1 if far is above, 2 if below. Writes up
 * to 7 bytes more.
 */
export function doubleDown(near: usize, far: usize, width: usize, to: usize, bias: i32): void {
  const round = i16x8.splat(bias as i16);
  for (const end = near + width; near < end; near += 8, far += 8, to += 8) {
    const sum = i16x8.shr_u(i16x8.add(three(v128.load8x8_u(near), v128.load8x8_u(far)), round), 2);
    v128.store64_lane(to, i8x16.narrow_i16x8_u(sum, sum), 0);
  }
}

/**
 * Sample i of `count` is the one at floor((first + i) * across / outOf) - left: repetition by any ratio, for
 * samplings without a filter.
 */
export function repeatAcross(row: usize, to: usize, count: i32, first: i32, across: i32, outOf: i32, left: i32): void {
  let place = (first * across) / outOf - left;
  let rest = (first * across) % outOf;
  for (let i = 0; i < count; i++) {
    store<u8>(to + (i as usize), load<u8>(row + (place as usize)));
    rest += across;
    while (rest >= outOf) {
      rest -= outOf;
      place++;
    }
  }
}
