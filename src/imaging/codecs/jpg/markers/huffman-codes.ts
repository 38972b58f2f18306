// Huffman tables for encoding: the typical ones of ITU-T T.81, K.3, the best ones for counted symbols (K.2),
// and their codes (C.2).

/** A Huffman table as stored in a file. */
export interface HuffmanTable {
  /** Number of codes of each length from 1 to 16. */
  readonly lengths: Uint8Array;
  /** Symbols by increasing code length. */
  readonly symbols: Uint8Array;
}

/** Returns a table as stored in DHT segments: 16 counts, then the symbols. */
export const definitionOf = ({ lengths, symbols }: HuffmanTable) => Uint8Array.of(...lengths, ...symbols);

/** The four tables of an image, in the order of the encoder module. */
export interface HuffmanTables {
  readonly dcLuma: HuffmanTable;
  readonly acLuma: HuffmanTable;
  readonly dcChroma: HuffmanTable;
  readonly acChroma: HuffmanTable;
}

export const tableNames = ["dcLuma", "acLuma", "dcChroma", "acChroma"] as const;

const dcSymbols = "000102030405060708090a0b";

/** Tables K.3 to K.6: code lengths and symbols, in hexadecimal. */
export const typicalTables: HuffmanTables = {
  dcLuma: table("00010501010101010100000000000000", dcSymbols),
  acLuma: table(
    "0002010303020403050504040000017d",
    "01020300041105122131410613516107227114328191a1082342b1c11552d1f02433627282090a161718191a25262728292a3435363738393a" +
      "434445464748494a535455565758595a636465666768696a737475767778797a838485868788898a92939495969798999aa2a3a4a5a6a7a8" +
      "a9aab2b3b4b5b6b7b8b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9dae1e2e3e4e5e6e7e8e9eaf1f2f3f4f5f6f7f8f9fa",
  ),
  dcChroma: table("00030101010101010101010000000000", dcSymbols),
  acChroma: table(
    "00020102040403040705040400010277",
    "0001020311040521310612415107617113223281081442" +
      "91a1b1c109233352f0156272d10a162434e125f11718191a262728292a35363738393a434445464748494a535455565758595a6364656667" +
      "68696a737475767778797a82838485868788898a92939495969798999aa2a3a4a5a6a7a8a9aab2b3b4b5b6b7b8b9bac2c3c4c5c6c7c8c9ca" +
      "d2d3d4d5d6d7d8d9dae2e3e4e5e6e7e8e9eaf2f3f4f5f6f7f8f9fa",
  ),
};

function table(lengths: string, symbols: string): HuffmanTable {
  return { lengths: fromHex(lengths), symbols: fromHex(symbols) };
}

function fromHex(text: string): Uint8Array {
  return Uint8Array.from({ length: text.length / 2 }, (_, i) =>
    Number.parseInt(text.slice(2 * i, 2 * i + 2), 16),
  );
}

/**
 * Returns 256 numbers, `code << 5 | length` by symbol, and 0 for symbols without a code. Codes are counted
 * upwards as in C.2.
 */
export function codesOf({ lengths, symbols }: HuffmanTable): Uint32Array {
  const codes = new Uint32Array(256);
  let code = 0;
  let at = 0;
  for (let length = 1; length <= 16; length++, code <<= 1)
    for (let left = lengths[length - 1]!; left > 0; left--) codes[symbols[at++]!] = (code++ << 5) | length;
  return codes;
}

const maxLength = 16;

/**
 * Returns the table with codes of at most 16 bits and the shortest total for symbols that occurred
 * `counts[symbol]` times, by the procedure of K.2. Of equal frequencies, the larger symbol gets the longer
 * code, as in the reference implementation.
 */
export function bestTable(counts: ArrayLike<number>): HuffmanTable {
  const used: number[] = [];
  for (let symbol = 0; symbol < 256; symbol++) if (counts[symbol]! > 0) used.push(symbol);
  // an extra symbol takes the code of all ones, which files must not use
  const frequency = [...used.map((symbol) => counts[symbol]!), 1];
  const depth = depths(frequency);

  const perLength = new Array<number>(Math.max(maxLength, ...depth) + 1).fill(0);
  for (const length of depth) perLength[length]!++;
  shorten(perLength);
  let last = maxLength;
  while (perLength[last] === 0) last--;
  perLength[last]!--; // the extra symbol

  // Sorted by length, then by symbol in the lowest byte: numbers can be sorted without a comparison function.
  const order = Uint32Array.from(used);
  for (let i = 0; i < order.length; i++) order[i]! += depth[i]! * 256;
  return {
    lengths: Uint8Array.from(perLength.slice(1, maxLength + 1)),
    symbols: new Uint8Array(order.sort()),
  };
}

/** Returns the code length of each entry: the two rarest trees are joined until one is left (figure K.1). */
function depths(frequencies: readonly number[]): number[] {
  const frequency = [...frequencies];
  const depth = frequency.map(() => 0);
  const next = frequency.map(() => -1);
  let living = frequency.map((_, i) => i);
  while (living.length > 1) {
    let rarest = -1;
    let second = -1;
    for (const i of living) {
      if (rarest < 0 || frequency[i]! <= frequency[rarest]!) [rarest, second] = [i, rarest];
      else if (second < 0 || frequency[i]! <= frequency[second]!) second = i;
    }
    frequency[rarest]! += frequency[second]!;
    living = living.filter((i) => i !== second);
    let tail = rarest;
    for (depth[tail]!++; next[tail]! >= 0; depth[tail]!++) tail = next[tail]!;
    next[tail] = second;
    for (tail = second; tail >= 0; tail = next[tail]!) depth[tail]!++;
  }
  return depth;
}

/** Shortens codes of more than 16 bits, two at a time, at the cost of a shorter code (figure K.3). */
function shorten(perLength: number[]): void {
  for (let length = perLength.length - 1; length > maxLength; length--) {
    while (perLength[length]! > 0) {
      let shorter = length - 2;
      while (perLength[shorter] === 0) shorter--;
      perLength[length]! -= 2;
      perLength[length - 1]!++;
      perLength[shorter + 1]! += 2;
      perLength[shorter]!--;
    }
  }
}
