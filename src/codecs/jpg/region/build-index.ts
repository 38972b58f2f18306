// Building an index: one pass over the entropy-coded bytes, in pieces of any size, that can be left and taken up.

import { ServiceError } from "../../../errors.ts";
import type { ByteSource } from "../../../lib/byte-source.ts";
import { concatenated } from "../../../lib/concatenated.ts";
import { type Engine, outcome } from "./engine.ts";
import type { Header } from "./header.ts";
import {
  createQuarterMaker,
  halfEdge,
  type QuarterMaker,
  quarterBytes,
  type ResamplePlane,
} from "./quarter.ts";
import { describeScan, type Place, runOver, startOf } from "./run.ts";
import {
  grayRest,
  halvesOf,
  keepSamples,
  layOutSamples,
  prepareSamples,
  putHalves,
  type SampleRooms,
  type Sizes,
  takeHalves,
} from "./sample-rooms.ts";
import {
  appendEntries,
  createScanIndex,
  type JpegIndex,
  nextScan,
  overviewSize,
  type ScanIndex,
} from "./scan-index.ts";
import type { Tables } from "./tables.ts";

export interface BuildOptions {
  /** Bytes read at a time, at most 1 MiB, which is also the default. */
  readonly chunkSize?: number;
  /** A reduced level at 1/8 of more bytes is not kept. Default 48 MiB. */
  readonly overviewLimit?: number;
  /** Makes samples at 1/4 as good as a resampling; without it they are those of the transform, and never kept. */
  readonly resample?: ResamplePlane;
  /** A reduced level at 1/4 of more bytes is not made along with the index. Default 0: none. */
  readonly quarterLimit?: number;
}

const largestChunk = 1 << 20;
const noBytes = new Uint8Array(0);
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

/** A pass over a file, between two steps. */
interface Pass {
  readonly engine: () => Engine;
  readonly tables: Tables;
  readonly header: Header;
  readonly source: ByteSource;
  readonly chunkSize: number;
  readonly index: JpegIndex;
  /** Sizes of the components at 1/8. */
  readonly sizes: Sizes;
  readonly quarter: readonly QuarterMaker[] | undefined;
  place: Place;
  /** Bytes from `place.offset` on that the last run could not use yet. */
  rest: Uint8Array;
  /** Samples at 1/2 of a row of MCUs that was left in its midst, by component of the scan. */
  begunRow: readonly Uint8Array[];
  /** The scan before is done, and the next one's header comes next. */
  between: boolean;
  /** The step before ended for its work, not for want of bytes. */
  unfinished: boolean;
  /** The bytes at hand are the file's last. */
  last: boolean;
}

export function createIndexBuilder(
  engine: () => Engine,
  tables: Tables,
  header: Header,
  source: ByteSource,
  options: BuildOptions = {},
): IndexBuilder {
  const { chunkSize = largestChunk, overviewLimit = 48 << 20, resample, quarterLimit = 0 } = options;
  const { frame, first } = header;
  const sizes = frame.components.map((_, i) => overviewSize(frame, i));
  const overviewBytes = sizes.reduce((sum, { width, height }) => sum + width * height, 0);
  const overview =
    overviewBytes <= overviewLimit
      ? sizes.map(({ width, height }) => new Uint8Array(width * height))
      : undefined;
  const quarter =
    resample && quarterBytes(frame) <= quarterLimit
      ? frame.components.map((_, i) => createQuarterMaker(frame, i, resample))
      : undefined;
  const pass: Pass = {
    engine,
    tables,
    header,
    source,
    chunkSize: Math.max(1, Math.min(chunkSize, largestChunk)),
    index: { scans: [createScanIndex(first)], overview, complete: false },
    sizes,
    quarter,
    place: startOf(first),
    rest: noBytes,
    begunRow: [],
    between: false,
    unfinished: false,
    last: false,
  };
  return { index: pass.index, quarter, step: () => step(pass) };
}

/** As {@link IndexBuilder.step}. */
async function step(pass: Pass): Promise<number> {
  const { index } = pass;
  if (index.complete) return 0;
  if (pass.between) {
    await beginNextScan(pass);
    return 0;
  }
  const chunk = pass.unfinished ? noBytes : await readChunk(pass);
  try {
    takeIn(pass, index.scans.at(-1)!, chunk);
  } catch (error) {
    // what was done counts: the next step reads on from there, with a new engine
    pass.rest = noBytes;
    pass.unfinished = false;
    throw error;
  }
  if (pass.between && missingComponents(pass).length === 0) index.complete = true;
  return chunk.length;
}

/** Goes on to the next scan; where there is none the index is complete, and what has not come is gray. */
async function beginNextScan(pass: Pass): Promise<void> {
  const { index, source, header, tables, quarter } = pass;
  const scan = await nextScan(source, index.scans.at(-1)!.end, header, index.scans);
  pass.between = false;
  if (!scan) {
    for (const missing of missingComponents(pass)) {
      index.overview?.[missing]?.fill(128);
      quarter?.[missing]?.finish();
    }
    index.complete = true;
    return;
  }
  tables.add(scan);
  index.scans.push(createScanIndex(scan));
  pass.place = startOf(scan);
}

/** Components that no scan has brought. */
function missingComponents({ index, header }: Pass): number[] {
  const seen = new Set(
    index.scans.flatMap(({ scan }) => scan.components.map((component) => component.index)),
  );
  return header.frame.components.map((_, i) => i).filter((i) => !seen.has(i));
}

async function readChunk(pass: Pass): Promise<Uint8Array> {
  const { source, chunkSize, place, rest } = pass;
  const at = place.offset + rest.length;
  const chunk = await source.read(at, chunkSize);
  if (chunk.length > chunkSize) throw unexpectedLength(chunkSize, chunk.length);
  pass.last = chunk.length < chunkSize || (source.size !== undefined && at + chunk.length >= source.size);
  return chunk;
}

/** Goes on as far as the bytes lead. */
function takeIn(pass: Pass, current: ScanIndex, chunk: Uint8Array): void {
  const { place, rest } = pass;
  const { scan } = current;
  const engine = pass.engine();
  const parts = [rest, chunk];
  const from = place.offset;
  const end = from + rest.length + chunk.length;
  const rooms = layOutSamples(engine, scan, pass.quarter !== undefined);
  const enough = place.row + Math.ceil(mcusPerStep / scan.columns);
  pass.unfinished = false;
  for (;;) {
    const result = runRows(pass, engine, current, rooms, skipped(parts, place.offset - from));
    const remaining = end - place.offset;
    const isOver =
      result === outcome.exhausted ||
      place.row >= scan.rows ||
      (result === outcome.hungry && (pass.last || remaining > largestRest));
    if (isOver) {
      finishScan(pass, current, result !== outcome.reached, rooms);
      return;
    }
    pass.unfinished = result === outcome.reached && place.row >= enough;
    if (result === outcome.hungry || pass.unfinished) {
      pass.rest = concatenated(skipped(parts, place.offset - from));
      return;
    }
  }
}

/** One run of the module, over as many rows of MCUs as there is room for samples of; returns its outcome. */
function runRows(
  pass: Pass,
  engine: Engine,
  current: ScanIndex,
  rooms: SampleRooms,
  parts: readonly Uint8Array[],
): number {
  const { place, quarter, sizes } = pass;
  const { overview } = pass.index;
  const { scan } = current;
  const first = place.row;
  const isBegun = place.column > 0;
  describeScan(engine, pass.tables, scan, rooms.targets(first));
  prepareSamples(engine, rooms, overview, sizes, scan, first, isBegun);
  if (quarter && isBegun) putHalves(engine, rooms, pass.begunRow);
  const bounds = { stopRow: Math.min(scan.rows, first + rooms.rows), endColumn: scan.columns };
  const result = runOver(engine, quarter ? "shrinkRows" : "indexRows", place, bounds, parts, pass.last, {
    at: rooms.entries,
    drain: (end) => {
      appendEntries(current, engine.bytes().subarray(rooms.entries, end));
    },
  });
  keepSamples(engine, rooms, overview, sizes, scan, first, place.row + (place.column > 0 ? 1 : 0));
  if (quarter) {
    takeHalves(engine, rooms, quarter, scan, place.row - first);
    pass.begunRow = place.column > 0 ? halvesOf(engine, rooms, place.row - first) : [];
  }
  current.rows = place.row;
  current.damage = place.damage;
  current.end = place.offset;
  return result;
}

/** Ends a scan; one that is `short` is gray from its place on. */
function finishScan(pass: Pass, current: ScanIndex, short: boolean, { planes }: SampleRooms): void {
  const { place, begunRow, quarter } = pass;
  if (short) grayRest(pass.index.overview, pass.sizes, current.scan, place);
  for (const [i, { index: component, across, down }] of current.scan.components.entries()) {
    const begun = begunRow[i];
    const { stride } = planes[i]!.half;
    for (let y = 0; begun && y < down * halfEdge; y++)
      begun.fill(128, y * stride + place.column * across * halfEdge, (y + 1) * stride);
    if (begun) quarter?.[component]?.take(begun, stride, down * halfEdge);
    quarter?.[component]?.finish();
  }
  pass.begunRow = [];
  current.rows = current.scan.rows;
  current.complete = true;
  // a byte that is only partly read belongs to this scan
  current.end = place.offset + (place.bit > 0 ? 1 : 0);
  pass.between = true;
  pass.rest = noBytes;
}

/** The parts without the first `count` bytes of all. */
function skipped(parts: readonly Uint8Array[], count: number): Uint8Array[] {
  let left = count;
  return parts.map((part) => {
    const skip = Math.min(left, part.length);
    left -= skip;
    return part.subarray(skip);
  });
}

function unexpectedLength(expected: number, received: number): ServiceError {
  return new ServiceError(
    "source",
    `Expected at most ${expected} bytes of the source file; received ${received}. Try again.`,
  );
}
