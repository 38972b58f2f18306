// Predictors, which vectors undo: differences made by the definition, against the same samples without.

import { deflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { memoryBytes } from "../../../../../src/base/bytes/byte-source.ts";
import { createCodecs } from "../../../../../src/imaging/codecs/index.ts";
import { testHost } from "../../../../host.ts";
import { seeded } from "../../../../seeded.ts";
import { type Field, plainFields, tiffFile } from "../tiff-file.ts";

const codec = createCodecs(testHost).decoder("tif");
const height = 5;
/** Shorter than a vector, as long as some, and with a rest of all lengths. */
const widths = [1, 2, 5, 6, 11, 16, 37];

async function decode(data: Uint8Array) {
  const header = await codec.probe(memoryBytes(data), 1);
  expect(header.unsupported).toBeUndefined();
  const region = { x: 0, y: 0, width: header.width, height: header.height };
  return (await codec.decode(memoryBytes(data), { header, page: 1, region, scaleFactor: 1 })).data;
}

interface Kind {
  readonly width: number;
  readonly samples: number;
  readonly bits: number;
  readonly float: boolean;
  readonly bigEndian: boolean;
}

/** A deflated strip of these bytes. */
function strip({ width, samples, bits, float, bigEndian }: Kind, predictor: number, bytes: Uint8Array) {
  const photometric = samples >= 3 ? 2 : 1;
  const extra = Array.from({ length: samples - (samples >= 3 ? 3 : 1) }, () => 0);
  const fields: Field[] = [
    [259, 3, 8],
    [317, 3, predictor],
    [339, 3, ...Array.from({ length: samples }, () => (float ? 3 : 1))],
    ...(extra.length > 0 ? [[338, 3, ...extra] as Field] : []),
  ];
  const all = plainFields(width, height, samples, bits, photometric, ...fields);
  return tiffFile([{ fields: all, blocks: [deflateSync(bytes)] }], { bigEndian });
}

/** Reads and writes samples in the order of the file. */
function samplesOf(bytes: Uint8Array, { bits, bigEndian }: Kind) {
  const size = bits / 8;
  const at = (i: number, b: number) => i * size + (bigEndian ? size - 1 - b : b);
  return {
    get: (i: number) =>
      Array.from({ length: size }, (_, b) => BigInt(bytes[at(i, b)]!) << BigInt(8 * b)).reduce(
        (a, b) => a + b,
      ),
    set: (i: number, value: bigint) => {
      for (let b = 0; b < size; b++) bytes[at(i, b)] = Number((value >> BigInt(8 * b)) & 255n);
    },
  };
}

/** TIFF 6.0 section 14. */
function withDifferences(bytes: Uint8Array, kind: Kind): Uint8Array {
  const out = bytes.slice();
  const [from, to] = [samplesOf(bytes, kind), samplesOf(out, kind)];
  const perRow = kind.width * kind.samples;
  for (let i = 0; i < perRow * height; i++)
    if (i % perRow >= kind.samples)
      to.set(i, BigInt.asUintN(kind.bits, from.get(i) - from.get(i - kind.samples)));
  return out;
}

/** TIFF Technical Note 3: the bytes of a row by significance, and their differences. */
function withFloatDifferences(bytes: Uint8Array, kind: Kind): Uint8Array {
  const out = new Uint8Array(bytes.length);
  const size = kind.bits / 8;
  const perRow = kind.width * kind.samples;
  for (let y = 0; y < height; y++) {
    const start = y * perRow * size;
    const row = new Uint8Array(perRow * size).map((_, n) => {
      const b = Math.floor(n / perRow); // 0: the most significant
      return bytes[start + (n % perRow) * size + (kind.bigEndian ? b : size - 1 - b)]!;
    });
    for (let n = 0; n < row.length; n++) out[start + n] = row[n]! - (row[n - kind.samples] ?? 0);
  }
  return out;
}

const kinds = (bits: readonly number[], samples: readonly number[], float: boolean): Kind[] =>
  bits.flatMap((b) =>
    samples.flatMap((s) =>
      [false, true].flatMap((bigEndian) =>
        widths.map((width) => ({ width, samples: s, bits: b, float, bigEndian })),
      ),
    ),
  );

function noise({ width, samples, bits, float, bigEndian }: Kind): Uint8Array {
  const next = seeded(width * 64 + samples + bits);
  const bytes = new Uint8Array(width * height * samples * (bits / 8)).map(() => next(256));
  // Numbers from 0 to 1: a sign of 0, and an exponent near its bias.
  const size = bits / 8;
  if (float)
    for (let i = 0; i < bytes.length; i += size)
      bytes[i + (bigEndian ? 0 : size - 1)] = { 16: 0x38, 24: 0x3e, 32: 0x3f, 64: 0x3f }[bits]!;
  return bytes;
}

describe("predictor 2", () => {
  test.each(kinds([8, 16, 32], [1, 2, 3, 4, 5, 7, 9], false))("of %o is undone", async (kind) => {
    const bytes = noise(kind);
    const plain = await decode(strip(kind, 1, bytes));
    expect(await decode(strip(kind, 2, withDifferences(bytes, kind)))).toEqual(plain);
  });
});

describe("predictor 3", () => {
  test.each(kinds([16, 24, 32, 64], [1, 3, 4], true))("of %o is undone", async (kind) => {
    const bytes = noise(kind);
    const plain = await decode(strip(kind, 1, bytes));
    expect(new Set(plain).size).toBeGreaterThan(Math.min(2, kind.width - 1));
    expect(await decode(strip(kind, 3, withFloatDifferences(bytes, kind)))).toEqual(plain);
  });
});
