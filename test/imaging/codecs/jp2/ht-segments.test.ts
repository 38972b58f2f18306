// HT code-blocks (ITU-T T.814) whose passes are spread over quality layers, begin with passes without data,
// come in several sets, or are mixed with blocks of Part 1. Made from files of one code-block by writing
// its packets in another way, so that the picture must stay the same.

import { beforeAll, describe, expect, it } from "vitest";
import { memoryBytes } from "../../../../src/base/bytes/byte-source.ts";
import { createCodecs } from "../../../../src/imaging/codecs/index.ts";
import { testHost } from "../../../host.ts";
import { seeded } from "../../../seeded.ts";
import { compressRaw, encodeCodestream, u16, u32 } from "./files.ts";
import { hasOpenJpegTools } from "./openjpeg.ts";
import { segment } from "./without-blocks.ts";

const codec = createCodecs(testHost).decoder("jp2");
const side = 64;
const next = seeded(5);
const values = Array.from({ length: side * side }, () => 120 + next(16));

async function decode(file: Uint8Array) {
  const header = await codec.probe(memoryBytes(file), 1);
  const region = { x: 0, y: 0, width: side, height: side };
  return [...(await codec.decode(memoryBytes(file), { header, page: 1, region, scaleFactor: 1 })).data];
}

/** A code-block as the only packet of its file has it, and the header of the file. */
interface Block {
  readonly main: Uint8Array;
  readonly zeroPlanes: number;
  readonly passes: number;
  readonly data: Uint8Array;
}

/** Reads a file of one code-block in one packet. */
function blockOf(file: Uint8Array): Block {
  const at = Buffer.from(file).indexOf(Uint8Array.of(0xff, 0x90, 0, 10));
  const begin = Buffer.from(file).indexOf(Uint8Array.of(0xff, 0x93), at) + 2;
  let [position, bit] = [begin, 0];
  const read = () => {
    const size = position > begin && file[position - 1] === 0xff ? 7 : 8;
    const value = (file[position]! >> (size - 1 - bit)) & 1;
    bit = (bit + 1) % size;
    if (bit === 0) position++;
    return value;
  };
  const number = (count: number) =>
    Array.from({ length: count }, read).reduce((sum, one) => 2 * sum + one, 0);
  expect([read(), read()]).toEqual([1, 1]);
  let zeroPlanes = 0;
  while (read() === 0) zeroPlanes++;
  const passes = readPasses(read, number);
  let lengthBits = 3;
  while (read() === 1) lengthBits++;
  const length = number(lengthBits + Math.floor(Math.log2(passes)));
  const data = position + (bit > 0 ? 1 : 0);
  return { main: file.slice(0, at), zeroPlanes, passes, data: file.slice(data, data + length) };
}

function readPasses(read: () => number, number: (count: number) => number): number {
  if (read() === 0) return 1;
  if (read() === 0) return 2;
  const two = number(2);
  if (two < 3) return 3 + two;
  const five = number(5);
  return five < 31 ? 6 + five : 37 + number(7);
}

/** Bits of a number of passes (T.800 table B.4). */
function passBits(count: number): string {
  const binary = (value: number, bits: number) => value.toString(2).padStart(bits, "0");
  if (count < 3) return ["0", "10"][count - 1]!;
  if (count < 6) return `11${binary(count - 3, 2)}`;
  return count < 37 ? `1111${binary(count - 6, 5)}` : `111111111${binary(count - 37, 7)}`;
}

/** Lengths of a packet, each with the passes that it counts for. */
type Lengths = readonly (readonly [passes: number, bytes: Uint8Array])[];
interface Packet {
  readonly passes: number;
  readonly lengths: Lengths;
}

/** Packets of the layers of a file with one code-block; `spare`: bits that lengths have before their own. */
function packets(zeroPlanes: number, layers: readonly Packet[], spare = 0): number[] {
  let lengthBits = 3;
  let isIncluded = false;
  return layers.flatMap((layer) => {
    const inclusion = isIncluded ? "1" : `1${"0".repeat(zeroPlanes)}1`;
    isIncluded = true;
    const width = ([passes, { length }]: Lengths[number]) =>
      length.toString(2).length - Math.floor(Math.log2(passes));
    const wanted = Math.max(lengthBits, ...layer.lengths.map((one) => width(one) + spare));
    const increments = `${"1".repeat(wanted - lengthBits)}0`;
    lengthBits = wanted;
    const lengths = layer.lengths.map(([passes, { length }]) =>
      length.toString(2).padStart(lengthBits + Math.floor(Math.log2(passes)), "0"),
    );
    const header = `1${inclusion}${passBits(layer.passes)}${increments}${lengths.join("")}`;
    return [...packed(header), ...layer.lengths.flatMap(([, bytes]) => [...bytes])];
  });
}

/** Bits as bytes, with a zero after each byte of 0xFF. */
function packed(bits: string): number[] {
  const bytes: number[] = [];
  for (let at = 0; at < bits.length; ) {
    const size = bytes.at(-1) === 0xff ? 7 : 8;
    bytes.push(Number.parseInt(bits.slice(at, at + size).padEnd(size, "0"), 2));
    at += size;
  }
  return bytes.at(-1) === 0xff ? [...bytes, 0] : bytes;
}

/** A file with these packets instead of its own; `style`: another one of code-blocks. */
function rewritten({ main }: Block, layers: number, data: readonly number[], style?: number): Uint8Array {
  const out = Buffer.from(main);
  const cod = out.indexOf(Uint8Array.of(0xff, 0x52));
  out.writeUInt16BE(layers, cod + 6);
  out[cod + 4] = 0; // neither precincts nor SOP or EPH
  if (style !== undefined) out[cod + 12] = style;
  const hasCapabilities = out.includes(Buffer.of(0xff, 0x50, 0, 8));
  const parts = [
    ...out.subarray(0, cod),
    ...(hasCapabilities ? [] : segment(0xff50, [...u32(0x00020000), ...u16(0xc000)])),
    ...out.subarray(cod),
    ...segment(0xff90, [0, 0, ...u32(14 + data.length), 0, 1]),
    ...u16(0xff93),
    ...data,
    0xff,
    0xd9,
  ];
  return Uint8Array.from(parts);
}

const none = new Uint8Array();
let ht: Block;
beforeAll(async () => {
  ht = blockOf(
    await encodeCodestream({
      width: side,
      height: side,
      bands: 1,
      bits: 8,
      values,
      levels: 0,
      highThroughput: true,
    }),
  );
  expect(ht.passes).toBe(1);
  expect(ht.zeroPlanes).toBeGreaterThanOrEqual(2);
});

describe("HT code-blocks", () => {
  const cleanup = (passes = 1): Lengths[number] => [passes, ht.data];
  const anything = Uint8Array.of(1, 2, 3, 4, 5, 6, 7);

  it.each<[string, number, () => readonly Packet[]]>([
    ["as the encoder wrote them", 0, () => [{ passes: 1, lengths: [cleanup()] }]],
    ["after three passes without data", 1, () => [{ passes: 4, lengths: [cleanup(4)] }]],
    ["after six passes without data", 2, () => [{ passes: 7, lengths: [cleanup(7)] }]],
    [
      "after passes without data in layers of their own",
      2,
      () => [
        { passes: 1, lengths: [[1, none]] },
        { passes: 2, lengths: [[2, none]] },
        { passes: 2, lengths: [[2, none]] },
        { passes: 2, lengths: [cleanup(2)] },
      ],
    ],
    [
      "after a layer whose last cleanup is without data",
      2,
      () => [
        { passes: 5, lengths: [[5, none]] },
        { passes: 2, lengths: [cleanup(2)] },
      ],
    ],
    [
      "of two sets in two layers, of which the last counts",
      1,
      () => [
        { passes: 1, lengths: [[1, anything]] },
        { passes: 3, lengths: [[2, anything], cleanup()] },
      ],
    ],
    [
      "of two sets in four layers",
      1,
      () => [
        { passes: 1, lengths: [[1, anything]] },
        { passes: 1, lengths: [[1, anything]] },
        { passes: 1, lengths: [[1, anything]] },
        { passes: 1, lengths: [cleanup()] },
      ],
    ],
    [
      "of two sets with an empty one between them",
      2,
      () => [
        {
          passes: 2,
          lengths: [
            [1, anything],
            [1, anything],
          ],
        },
        { passes: 5, lengths: [[1, anything], [1, none], [2, none], cleanup()] },
      ],
    ],
    [
      "before an empty set",
      0,
      () => [
        { passes: 1, lengths: [cleanup()] },
        {
          passes: 5,
          lengths: [
            [2, none],
            [1, none],
            [2, none],
          ],
        },
      ],
    ],
  ])("%s are the same picture", async (_, planes, layers) => {
    const list = layers();
    expect(await decode(rewritten(ht, list.length, packets(ht.zeroPlanes - planes, list)))).toEqual(values);
  });

  it("without any data are of the middle value", async () => {
    const data = packets(ht.zeroPlanes, [{ passes: 3, lengths: [[3, none]] }]);
    expect(new Set(await decode(rewritten(ht, 1, data)))).toEqual(new Set([128]));
  });

  it.each<[string, Packet[]]>([
    [
      "data before the first cleanup",
      [
        { passes: 1, lengths: [[1, none]] },
        { passes: 2, lengths: [[2, Uint8Array.of(1, 2)]] },
      ],
    ],
    [
      "refinement after an empty cleanup",
      [
        { passes: 1, lengths: [[1, Uint8Array.of(1, 2)]] },
        {
          passes: 5,
          lengths: [
            [2, none],
            [1, none],
            [2, Uint8Array.of(1, 2)],
          ],
        },
      ],
    ],
  ])("with %s are damaged", async (_, layers) => {
    await expect(decode(rewritten(ht, layers.length, packets(0, layers)))).rejects.toMatchObject({
      kind: "decode",
    });
  });
});

describe("code-blocks that may be of either kind", () => {
  const mixed = 0xc0;

  it("are HT if their length begins with a zero", async () => {
    const data = packets(ht.zeroPlanes - 1, [{ passes: 4, lengths: [[4, ht.data]] }], 1);
    expect(await decode(rewritten(ht, 1, data, mixed))).toEqual(values);
  });

  it.skipIf(!hasOpenJpegTools)("are of Part 1 if it does not", async () => {
    const file = compressRaw({ width: side, height: side, bands: 1, bits: 8, values }, [
      "-n",
      "1",
      "-mct",
      "0",
    ]);
    const part1 = blockOf(new Uint8Array(file));
    const { passes, data, zeroPlanes } = part1;
    expect(passes).toBeGreaterThan(6);
    const whole = packets(zeroPlanes, [{ passes, lengths: [[passes, data]] }]);
    expect(await decode(rewritten(part1, 1, whole, mixed))).toEqual(values);
    const half = data.length >> 1;
    const split = packets(zeroPlanes, [
      { passes: 3, lengths: [[3, data.subarray(0, half)]] },
      { passes: passes - 3, lengths: [[passes - 3, data.subarray(half)]] },
    ]);
    expect(await decode(rewritten(part1, 2, split, mixed))).toEqual(values);
  });
});
