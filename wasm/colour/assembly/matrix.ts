// Red, green and blue through a curve each, a matrix, and sRGB's tone curve.

import { lastStep, storeBytes, storeWords } from "./tone";

/**
 * 8 bit. `columns`: for each of red, green, blue and each of its 256 values the four f32 that it adds to
 * linear red, green and blue in steps, the half that rounds among red's. `tone`: a byte for every step of
 * light.
 */
export function matrix8(source: usize, target: usize, pixels: i32, bands: i32, columns: usize, tone: usize): void {
  const zero = f32x4.splat(0);
  const full = f32x4.splat(<f32>lastStep);
  const size = <usize>bands;
  for (const end = target + <usize>pixels * size; target < end; source += size, target += size) {
    const light = f32x4.add(
      f32x4.add(
        v128.load(columns + ((<usize>load<u8>(source)) << 4)),
        v128.load(columns + ((<usize>load<u8>(source, 1)) << 4), 4096),
      ),
      v128.load(columns + ((<usize>load<u8>(source, 2)) << 4), 8192),
    );
    const at = i32x4.trunc_sat_f32x4_s(f32x4.pmin(full, f32x4.pmax(zero, light)));
    storeBytes(target, at, tone);
    if (bands == 4) store<u8>(target, load<u8>(source, 3), 3);
  }
}

/**
 * 16 bit. `curves`: 65536 f32 of linear light for each of red, green and blue. `columns`: three times four
 * f32, the columns of the matrix in steps. `tone`: the f32 value, 0 to 65535, at every step and once more the
 * last.
 */
export function matrix16(
  source: usize,
  target: usize,
  pixels: i32,
  bands: i32,
  curves: usize,
  columns: usize,
  tone: usize,
): void {
  const zero = f32x4.splat(0);
  const full = f32x4.splat(<f32>lastStep);
  const red = v128.load(columns);
  const green = v128.load(columns, 16);
  const blue = v128.load(columns, 32);
  const size = (<usize>bands) << 1;
  for (const end = target + <usize>pixels * size; target < end; source += size, target += size) {
    const light = f32x4.add(
      f32x4.add(
        f32x4.mul(red, v128.load32_splat(curves + ((<usize>load<u16>(source)) << 2))),
        f32x4.mul(green, v128.load32_splat(curves + ((<usize>load<u16>(source, 2)) << 2), 262144)),
      ),
      f32x4.mul(blue, v128.load32_splat(curves + ((<usize>load<u16>(source, 4)) << 2), 524288)),
    );
    storeWords(target, f32x4.pmin(full, f32x4.pmax(zero, light)), tone);
    if (bands == 4) store<u16>(target, load<u16>(source, 6), 6);
  }
}
