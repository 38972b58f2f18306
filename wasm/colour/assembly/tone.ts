// The last table: sRGB's tone curve over 16384 steps.

export const lastStep: i32 = 16384;

/** The bytes of three steps at `target`. */
// @ts-ignore: decorator
@inline
export function storeBytes(target: usize, steps: v128, tone: usize): void {
  store<u8>(target, load<u8>(tone + <usize>i32x4.extract_lane(steps, 0)));
  store<u8>(target, load<u8>(tone + <usize>i32x4.extract_lane(steps, 1)), 1);
  store<u8>(target, load<u8>(tone + <usize>i32x4.extract_lane(steps, 2)), 2);
}

/** The 16-bit values of three places, in steps and parts of one and not beyond them, at `target`. */
// @ts-ignore: decorator
@inline
export function storeWords(target: usize, places: v128, tone: usize): void {
  const at = i32x4.trunc_sat_f32x4_s(places);
  const part = f32x4.sub(places, f32x4.convert_i32x4_s(at));
  store<u16>(target, between(tone, i32x4.extract_lane(at, 0), f32x4.extract_lane(part, 0)));
  store<u16>(target, between(tone, i32x4.extract_lane(at, 1), f32x4.extract_lane(part, 1)), 2);
  store<u16>(target, between(tone, i32x4.extract_lane(at, 2), f32x4.extract_lane(part, 2)), 4);
}

// @ts-ignore: decorator
@inline
function between(tone: usize, at: i32, part: f32): u16 {
  const entry = tone + ((<usize>at) << 2);
  const low = load<f32>(entry);
  return <u16>(<i32>(low + (load<f32>(entry, 4) - low) * part + 0.5));
}
