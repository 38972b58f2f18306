// Entropy-coded bytes: removal of byte stuffing and fill bytes (ITU-T T.81, B.1.1.5 and F.1.2.3), 64 bits at
// a time.

export const FULL: i32 = 0; // the room was used up
export const DRY: i32 = 1; // the input was used up
export const MARKER: i32 = 2;

/** Results of the last call of {@link unstuff}. */
export let unstuffedEnd: usize = 0; // behind the last byte written
export let stoppedAt: usize = 0; // next byte of the input, or the FF of the marker
export let stoppedFor: i32 = 0; // FULL, DRY or MARKER
export let removedEnd: usize = 0; // behind the last pair of the list

/** The 8 bytes at `at`, the first one highest. */
// @ts-ignore: decorator
@inline
export function bigEndian64(at: usize): u64 {
  const v = v128.load64_zero(at);
  return i64x2.extract_lane(i8x16.swizzle(v, i8x16(7, 6, 5, 4, 3, 2, 1, 0, -1, -1, -1, -1, -1, -1, -1, -1)), 0) as u64;
}

/**
 * Copies entropy-coded bytes from `from` up to `end` or a marker to `to`, at most `room` bytes, without the
 * zero after FF and without fill bytes. `removed` receives a pair of u32 for each position where bytes were
 * removed: pointer into the output after that position, and total bytes removed so far; at most one pair per
 * byte of output. An FF without a successor in the input is not copied. Reads up to 16 bytes past the end of
 * the input.
 */
export function unstuff(from: usize, end: usize, to: usize, room: usize, removed: usize): void {
  const limit = to + room - 16;
  const ff = i8x16.splat(-1);
  let missing: usize = 0;
  stoppedFor = FULL;
  while (to <= limit) {
    if (from + 16 <= end) {
      const v = v128.load(from);
      v128.store(to, v);
      const mask = i8x16.bitmask(i8x16.eq(v, ff));
      if (mask == 0) {
        from += 16;
        to += 16;
        continue;
      }
      const before: usize = ctz(mask);
      from += before;
      to += before;
    } else {
      if (from >= end) {
        stoppedFor = DRY;
        break;
      }
      const byte = load<u8>(from);
      if (byte != 0xff) {
        store<u8>(to, byte);
        from++;
        to++;
        continue;
      }
    }
    let next = from + 1;
    while (next < end && load<u8>(next) == 0xff) next++;
    if (next >= end) {
      stoppedFor = DRY;
      break;
    }
    if (load<u8>(next) != 0) {
      from = next - 1;
      stoppedFor = MARKER;
      break;
    }
    store<u8>(to, 0xff);
    to++;
    missing += next - from;
    store<u32>(removed, to as u32);
    store<u32>(removed + 4, missing as u32);
    removed += 8;
    from = next + 1;
  }
  unstuffedEnd = to;
  stoppedAt = from;
  removedEnd = removed;
}
