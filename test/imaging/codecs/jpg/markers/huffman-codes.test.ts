import { describe, expect, it } from "vitest";
import {
  bestTable,
  codesOf,
  type HuffmanTable,
  typicalTables,
} from "../../../../../src/imaging/codecs/jpg/markers/huffman-codes.ts";
import { noiseBytes } from "../cjpeg.ts";

const lengthOf = (code: number) => code & 31;

/** Bits that the symbols take together. */
const cost = (table: HuffmanTable, counts: readonly number[]) =>
  codesOf(table).reduce((sum, code, symbol) => sum + lengthOf(code) * (counts[symbol] ?? 0), 0);

const fibonacci = (length: number) => {
  const counts = [1, 1];
  while (counts.length < length) counts.push(counts.at(-1)! + counts.at(-2)!);
  return counts;
};

const drawn = (seed: number, symbols: number) => {
  const bytes = noiseBytes(symbols * 2, seed);
  return Array.from({ length: symbols }, (_, i) => bytes[2 * i]! ** (bytes[2 * i + 1]! % 3));
};

const cases: readonly (readonly [string, readonly number[]])[] = [
  ["one symbol", [0, 0, 5]],
  ["equal counts", new Array<number>(256).fill(9)],
  ["counts whose best codes would be 40 bits long", fibonacci(40)],
  ...[1, 2, 3, 4, 5].map((seed) => [`counts drawn with ${seed}`, drawn(seed, 40 * seed)] as const),
];

describe("Huffman tables", () => {
  it.each(cases)(
    "for %s hold every occurring symbol, in at most 16 bits, and leave all ones free",
    (_, counts) => {
      const table = bestTable(counts);
      const codes = codesOf(table);
      counts.forEach((count, symbol) => {
        expect(codes[symbol]! > 0).toBe(count > 0);
      });
      expect([...table.lengths].reduce((sum, n) => sum + n, 0)).toBe(table.symbols.length);
      const space = [...codes]
        .filter((code) => code > 0)
        .reduce((sum, code) => sum + 2 ** -lengthOf(code), 0);
      expect(space).toBeLessThan(1);
      for (const code of codes) if (code > 0) expect(code >> 5).toBeLessThan(2 ** lengthOf(code) - 1);
    },
  );

  it("contain no code that is a prefix of another", () => {
    const texts = [...codesOf(typicalTables.acChroma)]
      .filter((code) => code > 0)
      .map((code) => (code >> 5).toString(2).padStart(lengthOf(code), "0"));
    expect(texts.length).toBe(162);
    for (const text of texts) expect(texts.filter((other) => other.startsWith(text))).toEqual([text]);
  });

  it("cost as many bits as Huffman's method, if no code is too long", () => {
    const counts = [10, 15, 30, 16, 29];
    // with the extra symbol that comes once: 1+10=11, 11+15=26, 16+26=42, 29+30=59, 42+59=101
    expect(cost(bestTable(counts), counts) + 4).toBe(11 + 26 + 42 + 59 + 101);
  });

  it("of the standard have its printed codes", () => {
    const code = (table: HuffmanTable, symbol: number) => {
      const found = codesOf(table)[symbol]!;
      return (found >> 5).toString(2).padStart(lengthOf(found), "0");
    };
    // ITU T.81, tables K.3 to K.6
    expect(code(typicalTables.dcLuma, 0)).toBe("00");
    expect(code(typicalTables.dcLuma, 11)).toBe("111111110");
    expect(code(typicalTables.dcChroma, 11)).toBe("11111111110");
    expect(code(typicalTables.acLuma, 0x00)).toBe("1010");
    expect(code(typicalTables.acLuma, 0xf0)).toBe("11111111001");
    expect(code(typicalTables.acLuma, 0xfa)).toBe("1111111111111110");
    expect(code(typicalTables.acChroma, 0x00)).toBe("00");
    expect(code(typicalTables.acChroma, 0xf0)).toBe("1111111010");
  });
});
