// Samples through tables: to linear light and back.

/** `count` (a multiple of four) bytes at `from`, each as the u16 at its place in `table`. */
export function bytesToWords(from: usize, count: i32, table: usize, to: usize): void {
  for (const end = from + <usize>count; from < end; from += 4, to += 8) {
    store<u16>(to, load<u16>(table + ((<usize>load<u8>(from)) << 1)));
    store<u16>(to, load<u16>(table + ((<usize>load<u8>(from, 1)) << 1)), 2);
    store<u16>(to, load<u16>(table + ((<usize>load<u8>(from, 2)) << 1)), 4);
    store<u16>(to, load<u16>(table + ((<usize>load<u8>(from, 3)) << 1)), 6);
  }
}

/** Replaces u16 by the u16 of a table. */
export function wordsToWords(from: usize, count: i32, table: usize, to: usize): void {
  for (const end = from + ((<usize>count) << 1); from < end; from += 8, to += 8) {
    store<u16>(to, load<u16>(table + ((<usize>load<u16>(from)) << 1)));
    store<u16>(to, load<u16>(table + ((<usize>load<u16>(from, 2)) << 1)), 2);
    store<u16>(to, load<u16>(table + ((<usize>load<u16>(from, 4)) << 1)), 4);
    store<u16>(to, load<u16>(table + ((<usize>load<u16>(from, 6)) << 1)), 6);
  }
}

/** Replaces u16 by the bytes of a table. */
export function wordsToBytes(from: usize, count: i32, table: usize, to: usize): void {
  for (const end = from + ((<usize>count) << 1); from < end; from += 8, to += 4) {
    store<u8>(to, load<u8>(table + <usize>load<u16>(from)));
    store<u8>(to, load<u8>(table + <usize>load<u16>(from, 2)), 1);
    store<u8>(to, load<u8>(table + <usize>load<u16>(from, 4)), 2);
    store<u8>(to, load<u8>(table + <usize>load<u16>(from, 6)), 3);
  }
}
