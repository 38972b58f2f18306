// Validates a table of a profile: its type, its channels, and that all its parts are within its tag
// (ICC.1:2022, 10.10 to 10.12 and 10.16). Little CMS, which evaluates it, only checks the end of the whole
// profile.

import { type ByteSource, blockwise } from "../../base/index.ts";
import { curveBytes } from "./curves.ts";
import { channels, damagedProfile, type Profile, tables, toPrintable, type Unusable } from "./icc.ts";

/**
 * Steps of multiProcessElementsType: profiles have a handful, and each is evaluated for every node of a grid.
 */
const maxElements = 16;
/** Segments of a curve: profiles have up to three, and Little CMS goes through all of them for each value. */
const maxSegments = 64;
/** Curves of a step, one for each channel. */
const maxCurves = 16;
const outputs = 3;
const blockSize = 2048;

interface Table {
  readonly name: string;
  readonly inputs: number;
  readonly size: number;
  /** Returns bytes of the tag; undefined if it ends before them. */
  view(at: number, length: number): Promise<DataView | undefined>;
}

interface TableType {
  /** Positions of the numbers of input and output channels. */
  readonly channels: readonly [inputs: number, outputs: number];
  /** Returns what is wrong with the rest. */
  check(table: Table, head: DataView): Promise<Unusable | undefined> | Unusable | undefined;
}

const types: Readonly<Record<string, TableType>> = {
  mft1: {
    channels: [8, 9],
    check: (table, head) =>
      fits(table, 48 + 256 * table.inputs + head.getUint8(10) ** table.inputs * outputs + 256 * outputs),
  },
  mft2: {
    channels: [8, 9],
    check(table, head) {
      const entries = head.getUint16(48) * table.inputs + head.getUint16(50) * outputs;
      return fits(table, 52 + 2 * (entries + head.getUint8(10) ** table.inputs * outputs));
    },
  },
  "mAB ": { channels: [8, 9], check: checkParts },
  mpet: { channels: [9, 11], check: checkElements },
};

/** Returns what is wrong with the table that will be used, as far as `bytes` go, whose end may be missing. */
export async function checkTable({ tags, space }: Profile, bytes: ByteSource): Promise<Unusable | undefined> {
  const name = tables.find((each) => tags.has(each))!;
  const tag = tags.get(name)!;
  const source = blockwise(bytes, blockSize);
  const table: Table = {
    name,
    inputs: channels[space],
    size: tag.size,
    async view(at, length) {
      if (at + length > tag.size) return undefined;
      const part = await source.read(tag.offset + at, length);
      if (part.length < length) throw new Unread();
      return new DataView(part.buffer, part.byteOffset, length);
    },
  };
  try {
    const head = await table.view(0, 52);
    if (!head) return damagedProfile(`a table in ${name}`, `${tag.size} bytes`);
    const signature = String.fromCharCode(...new Uint8Array(head.buffer, head.byteOffset, 4));
    const type = types[signature];
    if (!type) return damagedProfile(`a table in ${name}`, toPrintable(signature));
    const [found, made] = type.channels.map((at) => head.getUint8(at));
    if (found !== table.inputs || made !== outputs)
      return damagedProfile(`${table.inputs} channels to ${outputs}`, `${found} to ${made}`);
    return await type.check(table, head);
  } catch (error) {
    if (error instanceof Unread) return undefined;
    throw error;
  }
}

/** Bytes of the profile that have not been read, as in a profile that PNG compresses. */
class Unread extends Error {}

const fits = ({ name, size }: Table, least: number): Unusable | undefined =>
  size < least ? damagedProfile(`a table of ${least} bytes in ${name}`, `${size}`) : undefined;

/** lutAToBType: B curves, matrix, M curves, nodes and A curves, each at an offset, or 0 if absent. */
async function checkParts(table: Table, head: DataView): Promise<Unusable | undefined> {
  const [b, matrix, m, nodes, a] = [12, 16, 20, 24, 28].map((at) => head.getUint32(at)) as [
    number,
    number,
    number,
    number,
    number,
  ];
  const outside = (part: string) => damagedProfile(`${part} inside ${table.name}`, "others");
  if (!b || !(await hasCurves(table, b, outputs))) return outside("B curves");
  if (matrix && !(await table.view(matrix, 48))) return outside("a matrix");
  if (m && !(await hasCurves(table, m, outputs))) return outside("M curves");
  if (nodes && !(await hasNodes(table, nodes))) return outside("nodes");
  if (a && !(await hasCurves(table, a, table.inputs))) return outside("A curves");
  if (!nodes && table.inputs !== outputs) return damagedProfile(`nodes in ${table.name}`, "none");
  return undefined;
}

/** Checks that many consecutive curves, padded to four bytes. */
async function hasCurves(table: Table, start: number, count: number): Promise<boolean> {
  let at = start;
  for (let i = 0; i < count; i++) {
    const head = await table.view(at, 12);
    const bytes = head && curveBytes(head);
    if (!bytes || at + bytes > table.size) return false;
    at += Math.ceil(bytes / 4) * 4;
  }
  return true;
}

/**
 * The nodes of lutAToBType: how many along each axis, in a byte each of sixteen, and the bytes of a value.
 */
async function hasNodes(table: Table, at: number): Promise<boolean> {
  const head = await table.view(at, 20);
  if (!head) return false;
  const axes = Array.from({ length: table.inputs }, (_, i) => head.getUint8(i));
  const width = head.getUint8(16);
  const count = axes.reduce((product, axis) => product * axis, outputs);
  return (
    axes.every((axis) => axis >= 2) && (width === 1 || width === 2) && at + 20 + count * width <= table.size
  );
}

/** multiProcessElementsType: position and size of each of its steps. */
async function checkElements(table: Table, head: DataView): Promise<Unusable | undefined> {
  const count = head.getUint32(12);
  if (count > maxElements) return damagedProfile(`at most ${maxElements} steps in ${table.name}`, `${count}`);
  for (let i = 0; i < count; i++) {
    const entry = await table.view(16 + i * 8, 8);
    const start = entry?.getUint32(0) ?? 0;
    if (!entry || start + entry.getUint32(4) > table.size)
      return damagedProfile(`${count} steps inside ${table.name}`, "others");
    const wrong = await checkCurves(table, start);
    if (wrong) return wrong;
  }
  return undefined;
}

/** Checks the curves of a step, if it is a set of curves (ICC.1:2022, 10.16.2). */
async function checkCurves(table: Table, step: number): Promise<Unusable | undefined> {
  const head = await table.view(step, 12);
  if (head?.getUint32(0) !== 0x63767374 /* cvst */) return undefined;
  const count = head.getUint16(8);
  if (count > maxCurves)
    return damagedProfile(`at most ${maxCurves} curves in a step of ${table.name}`, `${count}`);
  for (let i = 0; i < count; i++) {
    const entry = await table.view(step + 12 + i * 8, 4);
    const curve = entry && (await table.view(step + entry.getUint32(0), 10));
    const segments = curve?.getUint16(8) ?? 0;
    if (segments > maxSegments)
      return damagedProfile(`curves of at most ${maxSegments} segments in ${table.name}`, `${segments}`);
  }
  return undefined;
}
