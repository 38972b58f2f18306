// The codes of HTJ2K quads (ITU-T T.814, Annex C) in the notation of wasm/jp2k/assembly/ht/codes.ts:
// complete, and the same as the rows that OpenJPH has in its memory.

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

interface Code {
  readonly context: number;
  /** Significance of the quad's samples. */
  readonly rho: number;
  readonly hasResidual: number;
  readonly known: number;
  readonly bits: number;
  /** The codeword, its first bit lowest. */
  readonly word: number;
  readonly length: number;
}

const source = readFileSync(new URL("../../../../wasm/jp2k/assembly/ht/codes.ts", import.meta.url), "utf8");

function rowsOf(name: string): number[] {
  const list = new RegExp(`${name} = memory\\.data<u16>\\(\\[([^\\]]*)\\]`).exec(source)![1]!;
  return list.match(/0x[0-9a-f]+/g)!.map(Number);
}

/** Returns rows with their codewords, and the end of the code of each context, in 128ths. */
function expand(rows: readonly number[]): { codes: Code[]; ends: number[] } {
  const codes: Code[] = [];
  const ends: number[] = [];
  let slot = 0;
  for (const row of rows) {
    const length = row & 7;
    codes.push({
      context: ends.length,
      rho: (row >> 4) & 15,
      hasResidual: (row >> 3) & 1,
      known: row >> 12,
      bits: (row >> 8) & 15,
      word: reversed(slot >> (7 - length), length),
      length,
    });
    slot += 128 >> length;
    if (slot >= 128) {
      ends.push(slot);
      slot = 0;
    }
  }
  expect(slot).toBe(0);
  return { codes, ends };
}

const reversed = (bits: number, length: number) =>
  Number.parseInt([...bits.toString(2).padStart(length, "0")].reverse().join(""), 2);

/** Memory of OpenJPH as its data segments initialise it; none of its functions runs. */
function memoryOfOpenJph(): Buffer {
  const file = new URL(
    "../../../../node_modules/@cornerstonejs/codec-openjph/dist/openjphjs.wasm",
    import.meta.url,
  );
  const module = new WebAssembly.Module(readFileSync(file));
  const imports: Record<string, Record<string, WebAssembly.ImportValue>> = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module))
    (imports[from] ??= {})[name] = () => 0;
  const { exports } = new WebAssembly.Instance(module, imports);
  const memory = Object.values(exports).find((each) => each instanceof WebAssembly.Memory);
  return Buffer.from(memory!.buffer);
}

const columns = (code: Code) => [
  code.context,
  code.rho,
  code.hasResidual,
  code.known,
  code.bits,
  code.word,
  code.length,
];
const inOrder = (rows: number[][]) => rows.map((row) => row.join(" ")).sort();

describe.each([
  { name: "FIRST_CODES", count: 444, begins: [0, 1, 0, 0, 0, 6, 4] },
  { name: "OTHER_CODES", count: 358, begins: [0, 1, 0, 0, 0, 0, 3] },
])("$name", ({ name, count, begins }) => {
  const { codes, ends } = expand(rowsOf(name));

  it("has a code for each of 8 contexts, and each decodes any 7 bits", () => {
    expect(codes.length).toBe(count);
    expect(ends).toEqual(Array(8).fill(128));
  });

  it("knows exponent bits of significant samples only, and only with a residual", () => {
    for (const { rho, hasResidual, known, bits } of codes) {
      expect([known & ~rho, bits & ~known]).toEqual([0, 0]);
      if (!hasResidual) expect(known).toBe(0);
    }
  });

  it("has a codeword for no significant sample in all contexts but 0, in which the MEL coder encodes it", () => {
    const empty = codes.filter(({ rho }) => rho === 0).map(({ context }) => context);
    expect(empty).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  it("has the codewords of OpenJPH", () => {
    const memory = memoryOfOpenJph();
    const at = memory.indexOf(Buffer.from(Int32Array.from(begins).buffer));
    expect(at).toBeGreaterThan(0);
    const rows = Array.from({ length: count }, (_, row) =>
      begins.map((_, column) => memory.readInt32LE(at + (row * begins.length + column) * 4)),
    );
    expect(inOrder(codes.map(columns))).toEqual(inOrder(rows));
  });
});
