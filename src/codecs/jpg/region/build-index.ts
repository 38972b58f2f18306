// Building an index: one pass over the entropy-coded bytes, in pieces of any size, that can be left and taken up.

import { ServiceError } from "../../../errors.ts";
import type { ByteSource } from "../../../lib/byte-source.ts";
import { area, type Engine, outcome, slack } from "./engine.ts";
import type { Header, Scan } from "./header.ts";
import {
  createQuarterMaker,
  halfEdge,
  type QuarterMaker,
  quarterBytes,
  type ResamplePlane,
} from "./quarter.ts";
import { paddedStride } from "./region.ts";
import { describeScan, type Place, runOver, startOf, type Target } from "./run.ts";
import {
  appendEntries,
  createScanIndex,
  entrySize,
  type JpegIndex,
  nextScan,
  overviewSize,
  type ScanIndex,
} from "./scan-index.ts";
import type { Tables } from "./tables.ts";

export interface BuildOptions {
  /** Bytes read at a time, at most 1 MiB, which is also the default. */
  readonly chunkSize?: number;
  /** An overview of more bytes than this is not kept. Default 48 MiB. */
  readonly overviewLimit?: number;
  /** Makes samples at 1/4 as good as a resampling; without it they are those of the transform, and never kept. */
  readonly resample?: ResamplePlane;
  /** Planes at 1/4 of more bytes than this are not made along with the index. Default 0: none. */
  readonly quarterLimit?: number;
}

/** Room for samples at 1/8 and 1/2 of some rows, and for entries of as many. */
const sampleRoom = 512 * 1024;
const halfRoom = 2 << 20;
const entryRoom = 256 * 1024;
const largestChunk = 1 << 20;
const nothing = new Uint8Array(0);
/** A step ends after so many MCUs, since a few bytes may stand for many of them. */
const mcusPerStep = 2_000_000;
/** What a run leaves unread is less than an MCU, unless the bytes are no data. */
const largestRest = 32 * 1024;

export interface IndexBuilder {
  readonly index: JpegIndex;
  /** Each component at 1/4, as far as the index has come. */
  readonly quarter: readonly QuarterMaker[] | undefined;
  /** Reads and takes in the next piece of the file; the number of bytes read. Nothing once the index is complete. */
  step(): Promise<number>;
}

export function createIndexBuilder(
  engine: () => Engine,
  tables: Tables,
  header: Header,
  source: ByteSource,
  options: BuildOptions = {},
): IndexBuilder {
  const chunkSize = Math.max(1, Math.min(options.chunkSize ?? largestChunk, largestChunk));
  const { frame } = header;
  const sizes = frame.components.map((_, i) => overviewSize(frame, i));
  const overviewBytes = sizes.reduce((sum, { width, height }) => sum + width * height, 0);
  const overview =
    overviewBytes <= (options.overviewLimit ?? 48 << 20)
      ? sizes.map(({ width, height }) => new Uint8Array(width * height))
      : undefined;
  const { resample, quarterLimit = 0 } = options;
  const quarter =
    resample && quarterBytes(frame) <= quarterLimit
      ? frame.components.map((_, i) => createQuarterMaker(frame, i, resample))
      : undefined;
  /** Samples at 1/2 of a row of MCUs that was left in its midst, by component of the scan. */
  let begunRow: readonly Uint8Array[] = [];
  const index: JpegIndex = { scans: [createScanIndex(header.first)], overview, complete: false };
  let place = startOf(header.first);
  /** Bytes from `place.offset` on that the last run could not use yet. */
  let rest: Uint8Array = nothing;
  let between = false;
  /** The step before ended for its work, not for want of bytes. */
  let unfinished = false;
  /** The bytes at hand are the file's last. */
  let last = false;

  /** Goes on as far as the bytes lead. */
  const take = (current: ScanIndex, chunk: Uint8Array): void => {
    const { scan } = current;
    const machine = engine();
    const parts = [rest, chunk];
    const from = place.offset;
    const total = rest.length + chunk.length;
    const rooms = layOut(machine, scan, quarter !== undefined);
    const enough = place.row + Math.ceil(mcusPerStep / scan.columns);
    unfinished = false;
    for (;;) {
      const first = place.row;
      const stopRow = Math.min(scan.rows, first + rooms.rows);
      describeScan(machine, tables, scan, rooms.targets(first));
      prepareSamples(machine, rooms, overview, sizes, scan, first, place.column > 0);
      if (quarter && place.column > 0) putHalves(machine, rooms, begunRow);
      const skip = place.offset - from;
      const result = runOver(
        machine,
        quarter ? "shrinkRows" : "indexRows",
        place,
        { stopRow, endColumn: scan.columns },
        skipped(parts, skip),
        last,
        {
          at: rooms.entries,
          drain: (end) => {
            appendEntries(current, machine.bytes().subarray(rooms.entries, end));
          },
        },
      );
      keepSamples(machine, rooms, overview, sizes, scan, first, place.row + (place.column > 0 ? 1 : 0));
      if (quarter) {
        takeHalves(machine, rooms, quarter, scan, place.row - first);
        begunRow = place.column > 0 ? halvesOf(machine, rooms, place.row - first) : [];
      }
      current.rows = place.row;
      current.damage = place.damage;
      current.end = place.offset;
      const remaining = from + total - place.offset;
      if (
        result === outcome.exhausted ||
        place.row >= scan.rows ||
        (result === outcome.hungry && (last || remaining > largestRest))
      ) {
        finish(current, result !== outcome.reached, rooms);
        return;
      }
      unfinished = result === outcome.reached && place.row >= enough;
      if (result === outcome.hungry || unfinished) {
        rest = concat(skipped(parts, place.offset - from));
        return;
      }
    }
  };

  const finish = (current: ScanIndex, short: boolean, { planes }: SampleRooms): void => {
    if (short) grayRest(overview, sizes, current.scan, place);
    for (const [i, { index: component, across, down }] of current.scan.components.entries()) {
      const begun = begunRow[i];
      const { stride } = planes[i]!.half;
      for (let y = 0; begun && y < down * halfEdge; y++)
        begun.fill(128, y * stride + place.column * across * halfEdge, (y + 1) * stride);
      if (begun) quarter?.[component]?.take(begun, stride, down * halfEdge);
      quarter?.[component]?.finish();
    }
    begunRow = [];
    current.rows = current.scan.rows;
    current.complete = true;
    // a byte that is only partly read belongs to this scan
    current.end = place.offset + (place.bit > 0 ? 1 : 0);
    between = true;
    rest = nothing;
  };

  return {
    index,
    quarter,
    async step() {
      if (index.complete) return 0;
      const current = index.scans.at(-1)!;
      if (between) {
        const scan = await nextScan(source, current.end, header, index.scans);
        between = false;
        if (!scan) {
          for (const missing of componentsWithout(index, frame.components.length)) {
            overview?.[missing]?.fill(128);
            quarter?.[missing]?.finish();
          }
          index.complete = true;
          return 0;
        }
        tables.add(scan);
        index.scans.push(createScanIndex(scan));
        place = startOf(scan);
        return 0;
      }
      const at = place.offset + rest.length;
      const chunk = unfinished ? nothing : await source.read(at, chunkSize);
      if (chunk.length > chunkSize) throw unexpectedLength(chunkSize, chunk.length);
      if (!unfinished)
        last = chunk.length < chunkSize || (source.size !== undefined && at + chunk.length >= source.size);
      try {
        take(current, chunk);
      } catch (error) {
        // what was done counts: the next step reads on from there, with a new engine
        rest = nothing;
        unfinished = false;
        throw error;
      }
      if (between && coversAll(index, frame.components.length)) index.complete = true;
      return chunk.length;
    },
  };
}

function componentsWithout({ scans }: JpegIndex, count: number): number[] {
  const seen = new Set(scans.flatMap(({ scan }) => scan.components.map(({ index }) => index)));
  return Array.from({ length: count }, (_, i) => i).filter((i) => !seen.has(i));
}

const coversAll = (index: JpegIndex, count: number) => componentsWithout(index, count).length === 0;

interface SampleRooms {
  readonly entries: number;
  /** MCU rows that fit. */
  readonly rows: number;
  readonly planes: readonly PlaneRoom[];
  targets(row: number): Target[];
}

/** Where a component's samples at 1/8 and at 1/2 go; `down`: rows of blocks in a row of MCUs. */
interface PlaneRoom {
  readonly at: number;
  readonly stride: number;
  readonly down: number;
  readonly half: { readonly at: number; readonly stride: number };
}

/** Places for the samples of as many MCU rows as there is room for. */
function layOut(engine: Engine, scan: Scan, halves: boolean): SampleRooms {
  const perRow = scan.components.reduce((sum, { across, down }) => sum + across * down * scan.columns, 0);
  const halfPerRow = halves ? perRow * halfEdge ** 2 : 1;
  const entriesPerRow = 1 + Math.floor(scan.columns / scan.step);
  const rows = Math.max(
    1,
    Math.min(
      Math.floor(sampleRoom / perRow),
      Math.floor(halfRoom / halfPerRow),
      Math.floor(entryRoom / (entriesPerRow * entrySize)),
    ),
  );
  let at: number = area.arena;
  const room = (bytes: number) => {
    const start = at;
    at = Math.ceil((at + bytes + slack) / 16) * 16;
    return start;
  };
  const planes = scan.components.map(({ across, down }): PlaneRoom => {
    const stride = across * scan.columns;
    const half = halves ? paddedStride(stride * halfEdge) : 0;
    return {
      at: room(stride * down * rows),
      stride,
      down,
      half: { at: room(half * down * halfEdge * rows), stride: half },
    };
  });
  const entries = room(rows * entriesPerRow * entrySize);
  engine.reserve(at);
  return {
    entries,
    rows,
    planes,
    targets: (row) =>
      planes.map(({ at: means, stride, down, half }) => ({
        plane: half.at,
        stride: half.stride,
        edge: halves ? halfEdge : 0,
        left: 0,
        columns: stride,
        top: row * down,
        rows: rows * down,
        means: { at: means, stride },
      })),
  };
}

/** The samples at 1/2 of a row of MCUs in memory, by component. */
function halvesOf(engine: Engine, { planes }: SampleRooms, row: number): Uint8Array[] {
  return planes.map(({ down, half: { at, stride } }) => {
    const bytes = down * halfEdge * stride;
    return engine.bytes().slice(at + row * bytes, at + (row + 1) * bytes);
  });
}

/** Puts back what is there of a row that was left in its midst. */
function putHalves(engine: Engine, { planes }: SampleRooms, row: readonly Uint8Array[]): void {
  for (const [i, { half }] of planes.entries()) engine.bytes().set(row[i]!, half.at);
}

/** Hands the first `rows` rows of MCUs on. */
function takeHalves(
  engine: Engine,
  { planes }: SampleRooms,
  quarter: readonly QuarterMaker[],
  scan: Scan,
  rows: number,
): void {
  for (const [i, { index }] of scan.components.entries()) {
    const { down, half } = planes[i]!;
    quarter[index]!.take(engine.bytes().subarray(half.at), half.stride, rows * down * halfEdge);
  }
}

type Sizes = readonly { readonly width: number; readonly height: number }[];

/** Puts back what is there of a row that was left in its midst. */
function prepareSamples(
  engine: Engine,
  { planes }: SampleRooms,
  overview: JpegIndex["overview"],
  sizes: Sizes,
  scan: Scan,
  row: number,
  begun: boolean,
): void {
  if (!overview || !begun) return;
  const bytes = engine.bytes();
  scan.components.forEach(({ index }, i) => {
    const { at, stride, down } = planes[i]!;
    const { width, height } = sizes[index]!;
    for (let y = 0; y < down && row * down + y < height; y++)
      bytes.set(
        overview[index]!.subarray((row * down + y) * width, (row * down + y + 1) * width),
        at + y * stride,
      );
  });
}

/** Takes the samples of MCU rows `from` to `to` out of memory. */
function keepSamples(
  engine: Engine,
  { planes }: SampleRooms,
  overview: JpegIndex["overview"],
  sizes: Sizes,
  scan: Scan,
  from: number,
  to: number,
): void {
  if (!overview) return;
  const bytes = engine.bytes();
  scan.components.forEach(({ index }, i) => {
    const { at, stride, down } = planes[i]!;
    const { width, height } = sizes[index]!;
    for (let y = from * down; y < to * down && y < height; y++) {
      const start = at + (y - from * down) * stride;
      overview[index]!.set(bytes.subarray(start, start + width), y * width);
    }
  });
}

/** Middle gray from the MCU at `place` on. */
function grayRest(overview: JpegIndex["overview"], sizes: Sizes, scan: Scan, place: Place): void {
  for (const { index, across, down } of scan.components) {
    const { width } = sizes[index]!;
    const plane = overview?.[index];
    for (let y = 0; y < down; y++) {
      const row = (place.row * down + y) * width;
      plane?.fill(128, row + Math.min(width, place.column * across), row + width);
    }
    plane?.fill(128, (place.row + 1) * down * width);
  }
}

function skipped(parts: readonly Uint8Array[], count: number): Uint8Array[] {
  let left = count;
  return parts.map((part) => {
    const skip = Math.min(left, part.length);
    left -= skip;
    return part.subarray(skip);
  });
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

function unexpectedLength(expected: number, received: number): ServiceError {
  return new ServiceError(
    "source",
    `Expected at most ${expected} bytes of the source file; received ${received}. Try again.`,
  );
}
