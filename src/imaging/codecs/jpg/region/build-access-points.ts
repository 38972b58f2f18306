// Finds access points: one pass over the entropy-coded bytes, in steps of any size, that also makes the level
// at 1/8.

import { type ByteSource, concatenate, ImagingError } from "../../../../base/index.ts";
import {
  type AccessPoints,
  appendAccessPoints,
  createScanAccessPoints,
  level8Size,
  nextScan,
  type ScanAccessPoints,
} from "./access-points.ts";
import { type Engine, outcome } from "./engine.ts";
import type { Header } from "./header.ts";
import { describeScan, runOver, type ScanPosition, startOf } from "./run.ts";
import {
  grayRest,
  keepSamples,
  layOutSamples,
  prepareSamples,
  type SampleRooms,
  type Sizes,
} from "./sample-rooms.ts";
import type { Tables } from "./tables.ts";

export interface BuildOptions {
  /** Bytes read at a time, at most 1 MiB, which is the default. */
  readonly chunkSize?: number | undefined;
  /** Size limit in bytes of the reduced level at 1/8; a larger one is not kept. The default is 48 MiB. */
  readonly level8Limit?: number;
}

const largestChunk = 1 << 20;
const noBytes = new Uint8Array(0);
/** A step ends after this many MCUs, since a few bytes may code many of them. */
const mcusPerStep = 2_000_000;
/**
 * A run leaves less than one MCU unread unless the bytes are invalid data, so a longer rest ends the scan.
 */
const largestRest = 32 * 1024;

export interface AccessPointBuilder {
  /** Access points found so far. */
  readonly accessPoints: AccessPoints;
  /**
   * Reads and decodes the next piece of the file, and returns the number of bytes read. Does nothing once
   * complete.
   */
  step(): Promise<number>;
}

/** State of a pass over a file between two steps. */
interface Pass {
  readonly engine: () => Engine;
  readonly tables: Tables;
  readonly header: Header;
  readonly source: ByteSource;
  readonly chunkSize: number;
  readonly accessPoints: AccessPoints;
  /** Sizes of the components at 1/8. */
  readonly sizes: Sizes;
  position: ScanPosition;
  /** Bytes from `place.offset` on that the last run could not use. */
  rest: Uint8Array;
  /** True if a scan has ended; the header of another may follow. */
  between: boolean;
  /** True if the previous step reached its limit of MCUs with bytes left. */
  unfinished: boolean;
  /** True if the bytes read last are the end of the file. */
  last: boolean;
}

export function createAccessPointBuilder(
  engine: () => Engine,
  tables: Tables,
  header: Header,
  source: ByteSource,
  options: BuildOptions = {},
): AccessPointBuilder {
  const { chunkSize = largestChunk, level8Limit = 48 << 20 } = options;
  const { frame, first } = header;
  const sizes = frame.components.map((_, i) => level8Size(frame, i));
  const level8Bytes = sizes.reduce((sum, { width, height }) => sum + width * height, 0);
  const level8 =
    level8Bytes <= level8Limit ? sizes.map(({ width, height }) => new Uint8Array(width * height)) : undefined;
  const pass: Pass = {
    engine,
    tables,
    header,
    source,
    chunkSize: Math.max(1, Math.min(chunkSize, largestChunk)),
    accessPoints: { scans: [createScanAccessPoints(first)], level8, complete: false },
    sizes,
    position: startOf(first),
    rest: noBytes,
    between: false,
    unfinished: false,
    last: false,
  };
  return { accessPoints: pass.accessPoints, step: () => step(pass) };
}

/** See {@link AccessPointBuilder.step}. */
async function step(pass: Pass): Promise<number> {
  const { accessPoints } = pass;
  if (accessPoints.complete) return 0;
  if (pass.between) {
    await beginNextScan(pass);
    return 0;
  }
  const chunk = pass.unfinished ? noBytes : await readChunk(pass);
  try {
    takeIn(pass, accessPoints.scans.at(-1)!, chunk);
  } catch (error) {
    // the next step continues at the last place, with a new engine
    pass.rest = noBytes;
    pass.unfinished = false;
    throw error;
  }
  if (pass.between && missingComponents(pass).length === 0) accessPoints.complete = true;
  return chunk.length;
}

/**
 * Begins the next scan. If there is none, the pass is complete, and components that are in no scan are gray.
 */
async function beginNextScan(pass: Pass): Promise<void> {
  const { accessPoints, source, header, tables } = pass;
  const scan = await nextScan(source, accessPoints.scans.at(-1)!.end, header, accessPoints.scans);
  pass.between = false;
  if (!scan) {
    for (const missing of missingComponents(pass)) accessPoints.level8?.[missing]?.fill(128);
    accessPoints.complete = true;
    return;
  }
  tables.add(scan);
  accessPoints.scans.push(createScanAccessPoints(scan));
  pass.position = startOf(scan);
}

/** Returns the indexes of the components that are in no scan. */
function missingComponents({ accessPoints, header }: Pass): number[] {
  const seen = new Set(
    accessPoints.scans.flatMap(({ scan }) => scan.components.map((component) => component.index)),
  );
  return header.frame.components.map((_, i) => i).filter((i) => !seen.has(i));
}

async function readChunk(pass: Pass): Promise<Uint8Array> {
  const { source, chunkSize, position, rest } = pass;
  const at = position.offset + rest.length;
  const chunk = await source.read(at, chunkSize);
  if (chunk.length > chunkSize) throw unexpectedLength(chunkSize, chunk.length);
  pass.last = chunk.length < chunkSize || (source.size !== undefined && at + chunk.length >= source.size);
  return chunk;
}

/** Decodes as far as the bytes suffice. */
function takeIn(pass: Pass, current: ScanAccessPoints, chunk: Uint8Array): void {
  const { position, rest } = pass;
  const { scan } = current;
  const engine = pass.engine();
  const parts = [rest, chunk];
  const from = position.offset;
  const end = from + rest.length + chunk.length;
  const rooms = layOutSamples(engine, scan);
  const enough = position.row + Math.ceil(mcusPerStep / scan.columns);
  pass.unfinished = false;
  for (;;) {
    const result = runRows(pass, engine, current, rooms, skipBytes(parts, position.offset - from));
    const remaining = end - position.offset;
    const isOver =
      result === outcome.exhausted ||
      position.row >= scan.rows ||
      (result === outcome.hungry && (pass.last || remaining > largestRest));
    if (isOver) {
      finishScan(pass, current, result !== outcome.reached);
      return;
    }
    pass.unfinished = result === outcome.reached && position.row >= enough;
    if (result === outcome.hungry || pass.unfinished) {
      pass.rest = concatenate(skipBytes(parts, position.offset - from));
      return;
    }
  }
}

/** Runs the module once, over as many rows of MCUs as there is room for samples, and returns its outcome. */
function runRows(
  pass: Pass,
  engine: Engine,
  current: ScanAccessPoints,
  rooms: SampleRooms,
  parts: readonly Uint8Array[],
): number {
  const { position, sizes } = pass;
  const { level8 } = pass.accessPoints;
  const { scan } = current;
  const first = position.row;
  const isBegun = position.column > 0;
  describeScan(engine, pass.tables, scan, rooms.targets(first));
  if (isBegun) prepareSamples(engine, rooms, { level8, sizes }, scan, first);
  const bounds = { stopRow: Math.min(scan.rows, first + rooms.rows), endColumn: scan.columns };
  const result = runOver(engine, "indexRows", position, bounds, {
    parts,
    final: pass.last,
    output: {
      at: rooms.entries,
      drain: (end) => {
        appendAccessPoints(current, engine.bytes().subarray(rooms.entries, end));
      },
    },
  });
  keepSamples(engine, rooms, { level8, sizes }, scan, {
    from: first,
    to: position.row + (position.column > 0 ? 1 : 0),
  });
  current.rows = position.row;
  current.damage = position.damage;
  current.end = position.offset;
  return result;
}

/** Ends a scan. A scan that is too `short` is filled with gray from its place on. */
function finishScan(pass: Pass, current: ScanAccessPoints, short: boolean): void {
  const { position } = pass;
  if (short) grayRest(pass.accessPoints.level8, pass.sizes, current.scan, position);
  current.rows = current.scan.rows;
  current.complete = true;
  // a byte that is only partly read belongs to this scan
  current.end = position.offset + (position.bit > 0 ? 1 : 0);
  pass.between = true;
  pass.rest = noBytes;
}

/** Returns the parts without the first `count` bytes of their total. */
function skipBytes(parts: readonly Uint8Array[], count: number): Uint8Array[] {
  let left = count;
  return parts.map((part) => {
    const skip = Math.min(left, part.length);
    left -= skip;
    return part.subarray(skip);
  });
}

function unexpectedLength(expected: number, received: number): ImagingError {
  return new ImagingError(
    "source",
    `Expected at most ${expected} bytes of the source file; received ${received}. Try again.`,
  );
}
