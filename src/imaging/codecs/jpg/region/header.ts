// Reads the header of a file for decoding by regions: its frame, and each scan with the tables in force at
// its start (ITU-T T.81, annex B; JFIF 1.02; Adobe TN 5116).

import type { ByteSource } from "../../../../base/index.ts";
import { damagedJpgHeader } from "../../damaged.ts";
import {
  type Frame,
  type FrameHeader,
  frameOfHeight,
  type JpegColour,
  readFrameHeader,
} from "../markers/frame.ts";
import { findLineCount } from "../markers/line-count.ts";
import { zigzag } from "../markers/quantisation.ts";
import { readScanHeader } from "../markers/scan-header.ts";
import { standardAc, standardDc } from "../markers/standard-tables.ts";
import { readHuffmanTables, readQuantisationTables } from "../markers/tables.ts";
import { isNamed, type MarkerWalk, marker, type Segment, walkMarkers, word } from "../markers/walk.ts";

/** A component's part in a scan, with the tables in effect at the scan's start. */
export interface ScanComponent {
  readonly index: number;
  /** Blocks of an MCU in each direction. */
  readonly across: number;
  readonly down: number;
  /** Quantisation table: 64 values in natural order. */
  readonly quant: Uint16Array;
  /** Huffman tables: 16 counts, then the symbols. */
  readonly dc: Uint8Array;
  readonly ac: Uint8Array;
}

export interface Scan {
  /** File offset of the marker, or of bytes before it, from which {@link readScan} finds this scan. */
  readonly headerAt: number;
  /** File offset of the first entropy-coded byte. */
  readonly start: number;
  readonly components: readonly ScanComponent[];
  /** MCUs in a restart interval; 0 for no restarts. */
  readonly interval: number;
  /** Size in MCUs. */
  readonly columns: number;
  readonly rows: number;
  /**
   * Columns between access points: they are at column 0 and at every column `step * k - 1`, 512 full-size
   * pixels apart.
   */
  readonly step: number;
  /** All tables in force at the scan's start. The next scan inherits them. */
  readonly tables: Readonly<Tables>;
}

/** Tables in force; they change from segment to segment. */
interface Tables {
  readonly quant: (Uint16Array | undefined)[];
  readonly dc: (Uint8Array | undefined)[];
  readonly ac: (Uint8Array | undefined)[];
  interval: number;
}

export interface Header {
  readonly frame: Frame;
  readonly first: Scan;
}

const windowBytes = 4096;

/**
 * Reads the header of a file that this decoder supports: Huffman-coded, sequential, 8 bits, 1, 3 or 4
 * components. Returns undefined for other kinds of JPEG, which need another decoder. Throws ImagingError
 * `decode`, code `damaged_header`.
 */
export async function readHeader(bytes: ByteSource): Promise<Header | undefined> {
  const walk = walkMarkers(bytes, windowBytes);
  if (!(await walk.isImage())) throw damagedJpgHeader("the bytes FF D8 at the start", "something else");
  const seen: ScanSegments = {
    tables: { quant: [], dc: [], ac: [], interval: 0 },
    frame: undefined,
    jfif: false,
    adobe: undefined,
  };
  const scanAt = await findScan(walk, 2, seen);
  if (seen.frame === "other") return undefined;
  if (!scanAt) throw damagedJpgHeader("a scan", "the end of the image");
  if (!seen.frame) throw damagedJpgHeader("a frame header before the first scan", "none");
  const height = seen.frame.height || (await findLineCount(bytes, scanAt.end));
  if (!height)
    throw damagedJpgHeader("a height of 1 or more, or a DNL segment behind the first scan", "neither");
  const colour = colourOf(seen.frame, seen);
  if (!colour) return undefined;
  const frame = { ...frameOfHeight(seen.frame, height), colour };
  return { frame, first: await describeScan(walk, 2, scanAt, frame, seen.tables) };
}

/**
 * Reads the next scan at or after `from`. Its tables are those of the scan `before`, as modified by the
 * segments between them. Returns undefined at the end of the image.
 */
export async function readScan(
  bytes: ByteSource,
  from: number,
  frame: Frame,
  before: Scan,
): Promise<Scan | undefined> {
  const walk = walkMarkers(bytes, windowBytes);
  const { quant, dc, ac, interval } = before.tables;
  const tables: Tables = { quant: [...quant], dc: [...dc], ac: [...ac], interval };
  const scanAt = await findScan(walk, from, { tables, frame: undefined, jfif: false, adobe: undefined });
  return scanAt && describeScan(walk, from, scanAt, frame, tables);
}

/** Values collected from the segments before a scan. */
interface ScanSegments {
  readonly tables: Tables;
  /** The frame header; "other" for a kind of frame that this decoder does not support. */
  frame: FrameHeader | "other" | undefined;
  jfif: boolean;
  /** Colour transform of the Adobe segment. */
  adobe: number | undefined;
}

/**
 * Applies the segments up to the next scan header and returns that segment. Returns undefined at the end of
 * the image, or if the frame is of another kind.
 */
async function findScan(walk: MarkerWalk, from: number, seen: ScanSegments): Promise<Segment | undefined> {
  for await (const found of walk.segments(from)) {
    const { code, length } = found;
    if (code === marker.soi) continue;
    if (length === undefined) return undefined;
    if (code === marker.sos) return found;
    const take = takers[code] ?? (isOtherFrame(code) ? takeOtherFrame : undefined);
    if (!take) continue;
    const body = await walk.body(found);
    if (body.length < length - 2) throw damagedJpgHeader("a whole segment", "the end of the file");
    take(body, seen, found);
    if (seen.frame === "other") return undefined;
  }
  return undefined;
}

/**
 * True for the codes from C0 to CF except JPG. It is asked about codes that {@link takers} does not name:
 * frames of other kinds, and DAC, which announces arithmetic coding.
 */
const isOtherFrame = (code: number) => code >= 0xc0 && code <= 0xcf && code !== marker.jpg;

type TakeSegment = (body: Uint8Array, seen: ScanSegments, segment: Segment) => void;

const takeOtherFrame: TakeSegment = (_, seen) => {
  seen.frame ??= "other";
};

const takeFrame: TakeSegment = (body, seen, segment) => {
  if (seen.frame) throw damagedJpgHeader("one frame header", "two");
  const frame = readFrameHeader(body, segment);
  seen.frame = frame.precision === 8 ? frame : "other";
};

const takeQuantisation: TakeSegment = (body, { tables }) => {
  const { tables: defined, rest } = readQuantisationTables(body);
  if (rest > 0) throw damagedJpgHeader("a quantisation table", "a broken one");
  for (const { selector, values } of defined) {
    const table = new Uint16Array(64);
    for (let i = 0; i < 64; i++) table[zigzag[i]!] = values[i]!;
    tables.quant[selector] = table;
  }
};

const takeHuffman: TakeSegment = (body, { tables }) => {
  const { tables: defined, rest } = readHuffmanTables(body);
  // fewer bytes cannot be a table: libjpeg ignores them too
  if (rest >= 17) throw damagedJpgHeader("a Huffman table", "a broken one");
  for (const { kind, selector, definition } of defined) tables[kind][selector] = definition;
};

const takeInterval: TakeSegment = (body, { tables }) => {
  if (body.length < 2) throw damagedJpgHeader("a restart interval", "an empty segment");
  tables.interval = word(body, 0);
};

const takeJfif: TakeSegment = (body, seen) => {
  if (isNamed(body, "JFIF\0", 14)) seen.jfif = true;
};

const takeAdobe: TakeSegment = (body, seen) => {
  if (isNamed(body, "Adobe", 12)) seen.adobe = body[11]!;
};

/** Functions for the segments that affect decoding. */
const takers: Readonly<Record<number, TakeSegment>> = {
  192: takeFrame,
  193: takeFrame,
  [marker.dht]: takeHuffman,
  [marker.dqt]: takeQuantisation,
  [marker.dri]: takeInterval,
  [marker.app0]: takeJfif,
  [marker.app14]: takeAdobe,
};

export function colourOf(
  { components }: Pick<FrameHeader, "components">,
  { jfif, adobe }: Pick<ScanSegments, "jfif" | "adobe">,
): JpegColour | undefined {
  const ids = components.map(({ id }) => id);
  if (ids.length === 1) return "gray";
  if (ids.length === 4) return adobe === undefined || adobe === 0 ? "cmyk" : "ycck";
  if (ids.length !== 3) return undefined;
  if (jfif) return "ycc";
  if (adobe !== undefined) return adobe === 0 ? "rgb" : "ycc";
  return String.fromCharCode(...ids) === "RGB" ? "rgb" : "ycc";
}

async function describeScan(
  walk: MarkerWalk,
  headerAt: number,
  segment: Segment,
  frame: Frame,
  tables: Tables,
): Promise<Scan> {
  const header = readScanHeader(await walk.body(segment), frame);
  if (header === "broken") throw damagedJpgHeader("a scan header", "a broken one");
  if (header === "unknown component")
    throw damagedJpgHeader("each component of the frame once in a scan", "another");
  const single = header.components.length === 1;
  const components = header.components.map(({ index, dcSelector, acSelector }): ScanComponent => {
    const { h, v, quantSelector } = frame.components[index]!;
    return {
      index,
      across: single ? 1 : h,
      down: single ? 1 : v,
      quant: tables.quant[quantSelector] ?? refuseMissing("quantisation"),
      dc: tables.dc[dcSelector] ?? standardDc[dcSelector] ?? refuseMissing("Huffman"),
      ac: tables.ac[acSelector] ?? standardAc[acSelector] ?? refuseMissing("Huffman"),
    };
  });
  const blocks = components.reduce((sum, { across, down }) => sum + across * down, 0);
  if (blocks > 10) throw damagedJpgHeader("at most 10 blocks in an MCU", String(blocks));
  const only = frame.components[components[0]!.index]!;
  const mcuWidth = single ? (8 * frame.hMax) / only.h : 8 * frame.hMax;
  return {
    headerAt,
    start: segment.end,
    components,
    interval: tables.interval,
    columns: single ? Math.ceil(only.width / 8) : Math.ceil(frame.width / (8 * frame.hMax)),
    rows: single ? Math.ceil(only.height / 8) : Math.ceil(frame.height / (8 * frame.vMax)),
    step: Math.max(2, Math.floor(512 / mcuWidth)),
    tables,
  };
}

function refuseMissing(kind: string): never {
  throw damagedJpgHeader(`a ${kind} table for each component`, "none");
}
