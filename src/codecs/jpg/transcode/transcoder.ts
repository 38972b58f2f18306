// A progressive or other multi-scan JPEG as an interleaved baseline file with the same coefficients, made in one pass
// with one row of MCUs in memory: every scan is read through a window of its own, all of them in lockstep.

import { ServiceError } from "../../../errors.ts";
import type { ByteSource } from "../../../lib/byte-source.ts";
import type { FrameHeader } from "../markers/frame.ts";
import { codesOf, type HuffmanTable, tableNames, typicalTables } from "../markers/huffman-codes.ts";
import { entrySize } from "../region/scan-index.ts";
import { isChroma, transcodeHeader } from "./header.ts";
import { type ListedScan, listScans, type ScanList } from "./scans.ts";

export interface TwinOptions {
  readonly signal?: AbortSignal;
  /** An overview of more bytes than this is not made; no bound unless told. */
  readonly overviewLimit?: number;
  /** Takes the next bytes of the twin, which are its own to keep; the work waits for its promise. */
  onChunk(bytes: Uint8Array): void | Promise<void>;
  /** Throws ServiceError `decode`, code damaged_image, for a file that is damaged; where it ends early, before any byte is written. */
  readonly onlySound?: boolean;
  /** Rows of MCUs between two turns of the event loop, where `signal` is looked at; 16 unless told. */
  readonly slice?: number;
}

export interface Twin {
  /** Bytes of the twin, the sum of all chunks. */
  readonly size: number;
  /** The first of them, up to the entropy-coded data, and where that ends. */
  readonly head: Uint8Array;
  readonly end: number;
  /** Where decoding can begin, in the form of `ScanIndex.entries`: in each row of MCUs the first and every 512 pixels. */
  readonly entries: Uint8Array;
  /** The twin at 1/8, as {@link Transcoder.dcPlanes} has it; undefined where it would be too large. */
  readonly planes: readonly DcPlane[] | undefined;
  /** The source is truncated or breaks the rules; the twin shows what could be read of it. */
  readonly damaged: boolean;
  /** WebAssembly memory that the work took, in bytes. */
  readonly memory: number;
}

/** Samples of one component at 1/8 of its own size: one for each of its blocks that holds picture. */
export interface DcPlane {
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
}

export interface Overview {
  /** As many as the frame has components, each in its own sampling. */
  readonly planes: readonly DcPlane[];
  /** What a twin of the file would begin with, up to the entropy-coded data. */
  readonly head: Uint8Array;
  /** The file breaks the rules, so that the planes need not be those of its twin. */
  readonly damaged: boolean;
}

export interface Transcoder {
  /**
   * Writes the baseline twin of a Huffman-coded JPEG of 8 bits with 1 to 4 components; it decodes to the same samples.
   * Reads the source twice, in ascending order within each scan. Throws ServiceError `unsupported` for other kinds of
   * JPEG, `decode` where there is nothing to show, `cancelled` after an abort.
   */
  transcode(source: ByteSource, options: TwinOptions): Promise<Twin>;
  /**
   * The DC coefficients as pictures: what an inverse transform of size 1 gives. Reads the whole file for its markers,
   * but decodes only DC scans (a sequential file has no others). Throws as `transcode` does.
   */
  dcPlanes(source: ByteSource, options?: Pick<TwinOptions, "signal" | "slice">): Promise<Overview>;
}

/** What `jpeg-transcode` exports; see wasm/jpeg/transcode.md. */
interface Exports {
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

const outputBytes = 128 * 1024;
/** Windows of all scans together, and bounds for one. */
const allWindows = 2 * 1024 * 1024;
const leastWindow = 16 * 1024;
const mostWindow = 128 * 1024;
const defaultSlice = 16;

/** A transcoder over a compiled `jpeg-transcode`. Each call has an instance of its own, so calls may overlap. */
export function openTranscoder(module: WebAssembly.Module): Transcoder {
  return {
    async transcode(source, options) {
      const { onChunk, signal, slice, onlySound, overviewLimit = Number.POSITIVE_INFINITY } = options;
      const listed = await listScans(source);
      if (onlySound && listed.damaged) throw damagedFile();
      const work = start(module, source, listed);
      const head = transcodeHeader(listed);
      const entries = entryCollector(work, listed.frame, head.length);
      const overview = overviewCollector(work, listed.frame);
      const hasOverview = overview.bytes <= overviewLimit;
      let size = 0;
      const give = async (bytes: Uint8Array) => {
        size += bytes.length;
        await onChunk(bytes);
      };
      await give(head.slice());
      await eachBand(work, { signal, slice }, async (band) => {
        while (work.wasm.encode() !== 0) await give(taken(work.wasm));
        entries.take(band);
        if (hasOverview) overview.take(band);
      });
      if (onlySound && isDamaged(work)) throw damagedFile();
      if (work.wasm.outputLength() > 0) await give(taken(work.wasm));
      work.wasm.endOutput();
      const last = taken(work.wasm);
      // a zero stuffed behind the last byte is no longer looked at
      const end = size + last.length - (last.at(-2) === 0xff ? 1 : 0);
      await give(Uint8Array.of(...last, 0xff, 0xd9));
      return {
        size,
        end,
        head,
        entries: entries.all,
        planes: hasOverview ? overview.planes : undefined,
        damaged: isDamaged(work),
        memory: work.wasm.memory.buffer.byteLength,
      };
    },

    async dcPlanes(source, { signal, slice } = {}) {
      const listed = await listScans(source);
      const work = start(module, source, listed, ({ first }) => first === 0);
      const { planes, take } = overviewCollector(work, listed.frame);
      await eachBand(work, { signal, slice }, async (band) => take(band));
      return { planes, head: transcodeHeader(listed), damaged: isDamaged(work) };
    },
  };
}

/** Takes the entries of an index from band after band. */
function entryCollector({ wasm, bands }: Work, frame: FrameHeader, headLength: number) {
  const step = Math.max(2, Math.floor(512 / (8 * frame.hMax)));
  const pointer = wasm.index(step, headLength);
  if (pointer === 0) accept(2);
  const length = entrySize * (1 + Math.floor(geometry(frame).mcusWide / step));
  const all = new Uint8Array(length * bands);
  return {
    all,
    take: (band: number) => all.set(new Uint8Array(wasm.memory.buffer, pointer, length), band * length),
  };
}

/** Takes the picture at 1/8 from band after band; nothing is allocated before the first. */
function overviewCollector({ wasm }: Work, frame: FrameHeader) {
  const planes = geometry(frame).components.map(({ wide, high }) => ({
    data: new Uint8Array(),
    width: wide,
    height: high,
  }));
  return {
    planes: planes as readonly DcPlane[],
    bytes: planes.reduce((sum, { width, height }) => sum + width * height, 0),
    take(band: number) {
      for (const [i, plane] of planes.entries()) {
        if (band === 0) plane.data = new Uint8Array(plane.width * plane.height);
        const rows = frame.components[i]!.v;
        const from = band * rows * plane.width;
        const length = Math.min(rows * plane.width, plane.data.length - from);
        if (length > 0) plane.data.set(new Uint8Array(wasm.memory.buffer, wasm.shrink(i), length), from);
      }
    },
  };
}

interface Cursor {
  readonly pointer: number;
  next: number;
  readonly end: number;
}

interface Work {
  readonly wasm: Exports;
  readonly source: ByteSource;
  readonly cursors: readonly Cursor[];
  /** Rows of MCUs. */
  readonly bands: number;
  damaged: boolean;
}

function geometry({ width, height, components, hMax, vMax }: FrameHeader) {
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
 * An instance laid out for a picture, with a cursor for each scan that is to be read. The tables of the others are looked
 * at all the same, since what follows a scan without sound ones is not read, whoever reads.
 */
function start(
  module: WebAssembly.Module,
  source: ByteSource,
  list: ScanList,
  isRead: (scan: ListedScan) => boolean = () => true,
): Work {
  const wasm = new WebAssembly.Instance(module, {}).exports as unknown as Exports;
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

  const work: Work = { wasm, source, cursors: [], bands, damaged };
  const count = scans.filter(isRead).length;
  const window = Math.min(mostWindow, Math.max(leastWindow, Math.floor(allWindows / count)));
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
      work.damaged = true; // what follows a scan without sound tables is not read either
      break;
    }
    cursors.push({ pointer, next: scan.start, end: scan.end });
  }
  return work;
}

function accept(state: number): void {
  if (state === 0) return;
  throw new ServiceError(
    "too-large",
    "Expected a JPEG file of which a row of MCUs fits into memory; received a larger one. Convert it.",
    { code: "source_too_large" },
  );
}

/** Pointers of the module's tables, each built once; 0 for one whose codes are none. */
function tableBuilder(wasm: Exports) {
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

function addScan(wasm: Exports, scan: ListedScan, { window, tables }: ScanSetting): number | undefined {
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

/** Decodes band after band, with `done` after each. */
async function eachBand(
  work: Work,
  { signal, slice = defaultSlice }: Pick<TwinOptions, "signal" | "slice">,
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
  if (signal.reason instanceof ServiceError) throw signal.reason;
  throw new ServiceError("cancelled", "The conversion of the source file was cancelled.", {
    cause: signal.reason,
  });
}

/** Fills a cursor's window. */
async function feed(work: Work, cursor: Cursor): Promise<void> {
  const { wasm, source } = work;
  const to = wasm.feedAt(cursor.pointer);
  const wanted = Math.min(wasm.feedRoom(cursor.pointer), cursor.end - cursor.next);
  const bytes = wanted > 0 ? await source.read(cursor.next, wanted) : new Uint8Array();
  if (bytes.length < wanted) work.damaged = true;
  new Uint8Array(wasm.memory.buffer, to, wanted).set(bytes.subarray(0, wanted));
  cursor.next += bytes.length;
  wasm.fed(cursor.pointer, bytes.length, bytes.length < wanted || cursor.next >= cursor.end ? 1 : 0);
}

/** A copy of the output so far, which makes room for more. */
function taken(wasm: Exports): Uint8Array {
  const bytes = new Uint8Array(wasm.memory.buffer, wasm.outputAt(), wasm.outputLength()).slice();
  wasm.outputTaken();
  return bytes;
}

function damagedFile(): ServiceError {
  return new ServiceError("decode", "Expected a sound JPEG file; it ends early or breaks the rules.", {
    code: "damaged_image",
  });
}

function isDamaged({ wasm, damaged }: Work): boolean {
  return damaged || (wasm.damages.value as number) > 0;
}
