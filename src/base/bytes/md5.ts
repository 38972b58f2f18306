// MD5 (RFC 1321), for the hashes of Apache's password files alone: Web Crypto has none.

/** Amounts of the rotations of the four rounds (section 3.4). */
const rotations = [
  [7, 12, 17, 22],
  [5, 9, 14, 20],
  [4, 11, 16, 23],
  [6, 10, 15, 21],
] as const;

/** Constants of the 64 steps (section 3.4). */
const sines = Int32Array.from({ length: 64 }, (_, i) => Math.floor(Math.abs(Math.sin(i + 1)) * 2 ** 32) | 0);

/** Index of the word of the block that each step takes. */
const words = Uint8Array.from({ length: 64 }, (_, i) => {
  const at = [i, 5 * i + 1, 3 * i + 5, 7 * i][i >> 4] as number;
  return at % 16;
});

/** Amount of the rotation of each step. */
const amounts = Uint8Array.from(
  { length: 64 },
  (_, i) => rotations[(i >> 4) as 0 | 1 | 2 | 3][i % 4] as number,
);

function mix(round: number, b: number, c: number, d: number): number {
  if (round === 0) return (b & c) | (~b & d);
  if (round === 1) return (b & d) | (c & ~d);
  return round === 2 ? b ^ c ^ d : c ^ (b | ~d);
}

/** Returns the 16 bytes of the MD5 of bytes. */
export function md5(bytes: Uint8Array): Uint8Array {
  // One bit, zeros, and the length in bits in 8 bytes, to whole blocks.
  const padded = new Uint8Array((Math.floor((bytes.length + 8) / 64) + 1) * 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setBigUint64(padded.length - 8, BigInt(bytes.length) * 8n, true);

  const state = Int32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476);
  for (let block = 0; block < padded.length; block += 64) {
    let [a, b, c, d] = state as unknown as [number, number, number, number];
    for (let i = 0; i < 64; i++) {
      const word = view.getInt32(block + 4 * (words[i] as number), true);
      const sum = (a + mix(i >> 4, b, c, d) + (sines[i] as number) + word) | 0;
      const amount = amounts[i] as number;
      a = d;
      d = c;
      c = b;
      b = (b + ((sum << amount) | (sum >>> (32 - amount)))) | 0;
    }
    for (const [i, word] of [a, b, c, d].entries()) state[i] = ((state[i] as number) + word) | 0;
  }
  const out = new DataView(new ArrayBuffer(16));
  for (const [i, word] of state.entries()) out.setInt32(4 * i, word, true);
  return new Uint8Array(out.buffer);
}
