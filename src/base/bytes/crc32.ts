// CRC-32 as used by PNG and gzip (ISO 3309, polynomial 0xEDB88320 reflected), four bytes at a time.

const tables = makeTables();

/**
 * Returns the checksum of `data` as an unsigned 32-bit number. `before` is the checksum of the preceding
 * bytes, so that `crc32(b, crc32(a))` is the checksum of a and b together.
 */
export function crc32(data: Uint8Array, before = 0): number {
  const [t0, t1, t2, t3] = tables;
  let crc = ~before;
  const fours = data.length & ~3;
  let i = 0;
  for (; i < fours; i += 4) {
    crc ^= data[i]! | (data[i + 1]! << 8) | (data[i + 2]! << 16) | (data[i + 3]! << 24);
    crc = t3[crc & 255]! ^ t2[(crc >>> 8) & 255]! ^ t1[(crc >>> 16) & 255]! ^ t0[crc >>> 24]!;
  }
  for (; i < data.length; i++) crc = (crc >>> 8) ^ t0[(crc ^ data[i]!) & 255]!;
  return ~crc >>> 0;
}

/** Returns the tables. Table k holds the effect of a byte followed by k zero bytes. */
function makeTables(): readonly [Int32Array, Int32Array, Int32Array, Int32Array] {
  const first = new Int32Array(256);
  for (let n = 0; n < 256; n++) {
    let c = n;
    for (let bit = 0; bit < 8; bit++) c = c & 1 ? (c >>> 1) ^ 0xedb88320 : c >>> 1;
    first[n] = c;
  }
  const next = (table: Int32Array) => table.map((c) => (c >>> 8) ^ first[c & 255]!);
  const second = next(first);
  const third = next(second);
  return [first, second, third, next(third)];
}
