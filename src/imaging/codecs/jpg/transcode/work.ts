// One run of the transcoder module over a file: laid out for the file's frame, and fed band by band from one
// window per scan. A band is a row of MCUs.

import { type ByteSource, ImagingError } from "../../../../base/index.ts";
import type { FrameHeader } from "../markers/frame.ts";
import { codesOf, type HuffmanTable, tableNames, typicalTables } from "../markers/huffman-codes.ts";
import { isChroma } from "./header.ts";
import type { ListedScan, ScanList } from "./scans.ts";

const outputBytes = 128 * 1024;
/** Bytes of the windows of all scans together. */
const allWindows = 2 * 1024 * 1024;
/** Minimum bytes of one window. */
const leastWindow = 16 * 1024;
/** Maximum bytes of one window. */
const maxWindow = 128 * 1024;
const defaultSlice = 16;

export interface SliceOptions {
  readonly signal?: AbortSignal;
  /** Rows of MCUs between two turns of the event loop, at which `signal` is checked; 16 by default. */
  readonly slice?: number;
}

/** Position of a scan's window. */
interface Cursor {
  /** Pointer to the scan in the module. */
  readonly pointer: number;
  next: number;
  readonly end: number;
}

export interface Transcode {
  readonly wasm: TranscodeModule;
  readonly source: ByteSource;
  readonly cursors: readonly Cursor[];
  /** Number of rows of MCUs. */
  readonly bands: number;
  damaged: boolean;
}

/** Returns the size of a frame in MCUs, and of its components in blocks. */
export function geometry({ width, height, components, hMax, vMax }: FrameHeader) {
  return {
    mcusWide: Math.ceil(width / (8 * hMax)),
    bands: Math.ceil(height / (8 * vMax)),
    /** Sizes in blocks. */
    components: components.map((each) => ({
      wide: Math.ceil(each.width / 8),
      high: Math.ceil(each.height / 8),
    })),
  };
}

/**
 * Lays out an instance for a frame, with a cursor for each scan that `isRead` selects. The tables of the
 * other scans are checked too, since nothing after a scan with broken tables is read, whichever scans are
 * selected.
 */
export function startWork(
  module: WebAssembly.Module,
  source: ByteSource,
  list: ScanList,
  isRead: (scan: ListedScan) => boolean = () => true,
): Transcode {
  const wasm = new WebAssembly.Instance(module, {}).exports as unknown as TranscodeModule;
  const { frame, scans, steps, damaged } = list;
  const { mcusWide, bands, components } = geometry(frame);
  accept(wasm.begin(frame.components.length, mcusWide, outputBytes));
  const codes = new Uint32Array(wasm.memory.buffer, wasm.codesAt(), 4 * 256);
  for (const [i, name] of tableNames.entries()) codes.set(codesOf(typicalTables[name]), 256 * i);
  for (const [i, component] of frame.components.entries()) {
    const { wide, high } = components[i]!;
    const chroma = isChroma(list, i) ? 1 : 0;
    accept(wasm.component(i, component.h, component.v, wide, high, steps[i]?.[0] ?? 1, chroma));
  }

  const work: Transcode = { wasm, source, cursors: [], bands, damaged };
  const count = scans.filter(isRead).length;
  const window = Math.min(maxWindow, Math.max(leastWindow, Math.floor(allWindows / count)));
  const tables = tableBuilder(wasm);
  const cursors = work.cursors as Cursor[];
  for (const scan of scans) {
    if (!isRead(scan)) {
      if (scan.components.every(({ dc, ac }) => hasTables(tables, dc, ac))) continue;
      work.damaged = true;
      break;
    }
    const pointer = addScan(wasm, scan, { window, tables, single: frame.components.length === 1 });
    if (pointer === undefined) {
      work.damaged = true; // nothing after a scan with broken tables is read
      break;
    }
    cursors.push({ pointer, next: scan.start, end: scan.end });
  }
  return work;
}

/** Throws ImagingError `too-large`, code source_too_large, if the module could not allocate memory. */
export function accept(state: number): void {
  if (state === 0) return;
  throw new ImagingError(
    "too-large",
    "Expected a JPEG file with rows of MCUs that fit into memory; received a larger one. Convert it.",
    { code: "source_too_large" },
  );
}

/**
 * Returns a function that builds each table in the module once, and returns its pointer; 0 if it is not a
 * Huffman code.
 */
function tableBuilder(wasm: TranscodeModule) {
  const built = new Map<HuffmanTable, number>();
  return (table: HuffmanTable | undefined, largest: number): number => {
    if (!table) return 0;
    let pointer = built.get(table);
    if (pointer === undefined) {
      const bytes = new Uint8Array(wasm.memory.buffer, wasm.tableIn(), 16 + 256);
      bytes.set(table.lengths);
      bytes.set(table.symbols, 16);
      pointer = wasm.table(largest);
      built.set(table, pointer);
    }
    return pointer;
  };
}

interface ScanSetting {
  readonly window: number;
  readonly tables: ReturnType<typeof tableBuilder>;
  readonly single: boolean;
}

const hasTables = (
  tables: ScanSetting["tables"],
  dc: HuffmanTable | undefined,
  ac: HuffmanTable | undefined,
) => !((dc && tables(dc, 15) === 0) || (ac && tables(ac, 255) === 0));

function addScan(
  wasm: TranscodeModule,
  scan: ListedScan,
  { window, tables }: ScanSetting,
): number | undefined {
  const pointer = wasm.scan(scan.kind, scan.first, scan.last, scan.low, scan.interval, window);
  if (pointer === 0) accept(2);
  for (const { index, dc, ac } of scan.components) {
    if (!hasTables(tables, dc, ac)) return undefined;
    const dcTable = tables(dc, 15);
    const acTable = tables(ac, 255);
    const interleaved = scan.components.length > 1 ? 1 : 0;
    if (wasm.scanComponent(pointer, index, dcTable, acTable, interleaved) !== 0) return undefined;
  }
  return pointer;
}

/** Decodes the bands in order, and calls `done` after each. */
export async function eachBand(
  work: Transcode,
  { signal, slice = defaultSlice }: SliceOptions,
  done: (band: number) => Promise<void>,
): Promise<void> {
  const { wasm, cursors, bands } = work;
  for (let band = 0; band < bands; band++) {
    if (band % Math.max(1, slice) === 0) {
      if (band > 0) await new Promise((resolve) => setTimeout(resolve, 0));
      stopIfAborted(signal);
    }
    wasm.startBand(band);
    for (const cursor of cursors) while (wasm.advance(cursor.pointer) !== 0) await feed(work, cursor);
    await done(band);
  }
}

function stopIfAborted(signal: AbortSignal | undefined): void {
  if (!signal?.aborted) return;
  if (signal.reason instanceof ImagingError) throw signal.reason;
  throw new ImagingError("cancelled", "The conversion of the source file was cancelled.", {
    cause: signal.reason,
  });
}

/** Fills a cursor's window from the source. */
async function feed(work: Transcode, cursor: Cursor): Promise<void> {
  const { wasm, source } = work;
  const to = wasm.feedAt(cursor.pointer);
  const wanted = Math.min(wasm.feedRoom(cursor.pointer), cursor.end - cursor.next);
  const bytes = wanted > 0 ? await source.read(cursor.next, wanted) : new Uint8Array();
  if (bytes.length < wanted) work.damaged = true;
  new Uint8Array(wasm.memory.buffer, to, wanted).set(bytes.subarray(0, wanted));
  cursor.next += bytes.length;
  wasm.fed(cursor.pointer, bytes.length, bytes.length < wanted || cursor.next >= cursor.end ? 1 : 0);
}

/** Returns a copy of the output so far, and makes room for more. */
export function takeOutput(wasm: TranscodeModule): Uint8Array {
  const bytes = new Uint8Array(wasm.memory.buffer, wasm.outputAt(), wasm.outputLength()).slice();
  wasm.outputTaken();
  return bytes;
}

/** True if the part of the file read so far is truncated or violates the format. */
export function isDamaged({ wasm, damaged }: Transcode): boolean {
  return damaged || (wasm.damages.value as number) > 0;
}

/** Exports of the module "jpeg-transcode"; see wasm/jpeg/transcode.md. */
interface TranscodeModule {
  readonly memory: WebAssembly.Memory;
  readonly damages: WebAssembly.Global;
  begin(components: number, mcusWide: number, outputBytes: number): number;
  component(
    index: number,
    across: number,
    down: number,
    wide: number,
    high: number,
    step: number,
    codes: number,
  ): number;
  tableIn(): number;
  codesAt(): number;
  table(largest: number): number;
  scan(kind: number, first: number, last: number, low: number, interval: number, window: number): number;
  scanComponent(scan: number, index: number, dc: number, ac: number, interleaved: number): number;
  feedAt(scan: number): number;
  feedRoom(scan: number): number;
  fed(scan: number, bytes: number, last: number): void;
  startBand(band: number): void;
  advance(scan: number): number;
  encode(): number;
  outputAt(): number;
  outputLength(): number;
  outputTaken(): void;
  endOutput(): void;
  shrink(component: number): number;
  index(step: number, head: number): number;
}
