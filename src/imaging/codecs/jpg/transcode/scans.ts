// Lists the scans of a JPEG file: their positions, and the parameters for decoding them (ITU-T T.81, annexes
// B and G).

import { type ByteSource, ImagingError } from "../../../../base/index.ts";
import { type FrameHeader, isFrame, readFrameHeader } from "../markers/frame.ts";
import type { HuffmanTable } from "../markers/huffman-codes.ts";
import { readScanHeader, type ScanHeader } from "../markers/scan-header.ts";
import { readHuffmanTables, readQuantisationTables } from "../markers/tables.ts";
import { isNamed, type MarkerWalk, marker, type Segment, walkMarkers, word } from "../markers/walk.ts";

/** Quantisation steps: 64 values in zigzag order. */
export type StepTable = Uint16Array;

/** Kinds of scan, in the numbering of the module. */
export const scanKinds = { dcFirst: 0, dcRefine: 1, acFirst: 2, acRefine: 3, sequential: 4 } as const;

export interface ListedScan {
  readonly kind: (typeof scanKinds)[keyof typeof scanKinds];
  /** Spectral selection and bit position: Ss, Se and Al. */
  readonly first: number;
  readonly last: number;
  readonly low: number;
  /** MCUs between restart markers; 0 if there are none. */
  readonly interval: number;
  /** Components by their index in the frame, with the tables in force at this scan. */
  readonly components: readonly {
    readonly index: number;
    readonly dc?: HuffmanTable | undefined;
    readonly ac?: HuffmanTable | undefined;
  }[];
  /** Start and end of the entropy-coded data in the file, including restart markers. */
  readonly start: number;
  readonly end: number;
}

export interface ScanList {
  readonly frame: FrameHeader;
  /**
   * Quantisation table of each component, as in effect at its first scan; undefined for a component without a
   * scan.
   */
  readonly steps: readonly (StepTable | undefined)[];
  readonly scans: readonly ListedScan[];
  /**
   * Presence of a JFIF segment, and the Adobe segment with its transform. Together they determine the
   * colours.
   */
  readonly jfif: boolean;
  readonly adobe?: Uint8Array | undefined;
  /**
   * True if the file ends, or breaks the rules, before its end marker. The scans before that point are
   * listed.
   */
  readonly damaged: boolean;
}

/** Maximum number of scans. More are an attack, since each costs a pass over all blocks. */
const maxScans = 100;
const maxBlocks = 10;
const windowBytes = 256 * 1024;

/**
 * Reads a whole file once, in order, and lists its scans. Throws ImagingError `unsupported` for frames that
 * are not Huffman-coded with 8 bits or cannot be interleaved, and `decode` for more than 100 scans or a file
 * without any.
 */
export async function listScans(bytes: ByteSource): Promise<ScanList> {
  const walk = walkMarkers(bytes, windowBytes);
  const seen: TranscodeSegments = {
    quant: [],
    dc: [],
    ac: [],
    interval: 0,
    frame: undefined,
    steps: [],
    scans: [],
    jfif: false,
  };
  const damaged = !(await takeSegments(walk, seen));
  const { frame, steps, scans, jfif, adobe } = seen;
  if (!frame || scans.length === 0)
    throw new ImagingError(
      "decode",
      "Expected a JPEG file with a frame and a scan; one of them is missing or broken. Replace the source file.",
      { code: "damaged_image" },
    );
  return { frame, steps, scans, jfif, adobe, damaged };
}

/** Values collected from the segments so far. */
interface TranscodeSegments {
  readonly quant: (StepTable | undefined)[];
  readonly dc: (HuffmanTable | undefined)[];
  readonly ac: (HuffmanTable | undefined)[];
  interval: number;
  frame: FrameHeader | undefined;
  readonly steps: (StepTable | undefined)[];
  readonly scans: ListedScan[];
  jfif: boolean;
  adobe?: Uint8Array;
}

/**
 * Reads segments up to the end of the image. Returns false if the file ends or violates the format before
 * that.
 */
async function takeSegments(walk: MarkerWalk, seen: TranscodeSegments): Promise<boolean> {
  let found = await walk.next(2);
  while (found?.code !== marker.eoi) {
    if (!found || found.code === marker.soi) return false;
    const segment: Segment = found;
    const { code } = segment;
    if (code === marker.tem) {
      found = await walk.next(segment.end);
      continue;
    }
    const body = await parametersOf(walk, segment);
    if (!body) return false;
    if (code !== marker.sos) {
      if (!take(seen, segment, body)) return false;
      found = await walk.next(segment.end);
      continue;
    }
    // between restart markers, a reserved code is damage from which decoding recovers
    found = await walk.next(segment.end, { least: seen.interval > 0 ? 0xc0 : 0x01 });
    if (!takeScan(seen, body, { start: segment.end, end: found?.at ?? walk.seen })) return false;
    if (showsAll(seen)) return found !== undefined;
  }
  return true;
}

const noBytes = new Uint8Array();

/**
 * Returns the parameters of a segment; empty if only its length matters, undefined if the file ends within
 * them.
 */
async function parametersOf(walk: MarkerWalk, segment: Segment): Promise<Uint8Array | undefined> {
  const { code, length } = segment;
  if (length === undefined || length < 2) return undefined;
  if (!isRead(code)) return noBytes;
  const body = await walk.body(segment);
  return body.length < length - 2 ? undefined : body;
}

/** True for segments whose parameters matter, not only their length. */
const isRead = (code: number) =>
  isFrame(code) ||
  code === marker.sos ||
  code === marker.dqt ||
  code === marker.dht ||
  code === marker.dri ||
  code === marker.app0 ||
  code === marker.app14;

/** Reads a segment other than a scan header; returns false if it violates the format. */
function take(seen: TranscodeSegments, segment: Segment, body: Uint8Array): boolean {
  const { code } = segment;
  if (isFrame(code)) {
    if (seen.frame) return false;
    seen.frame = readFrame(body, segment);
    return true;
  }
  switch (code) {
    case marker.dqt:
      return takeQuantisation(seen, body);
    case marker.dht:
      return takeHuffman(seen, body);
    case marker.dri:
      seen.interval = body.length < 2 ? 0 : word(body, 0);
      return true;
    case marker.app0:
      seen.jfif ||= seen.scans.length === 0 && isNamed(body, "JFIF\0", 14);
      return true;
    case marker.app14:
      if (seen.scans.length === 0 && isNamed(body, "Adobe", 12)) seen.adobe = body.slice(0, 12);
      return true;
    default:
      return code >= 0xc0; // lower codes are reserved
  }
}

function takeQuantisation({ quant }: TranscodeSegments, body: Uint8Array): boolean {
  const { tables, rest } = readQuantisationTables(body);
  for (const { selector, values } of tables) quant[selector] = values;
  return rest === 0 && tables.every(({ precision }) => precision <= 1);
}

function takeHuffman(seen: TranscodeSegments, body: Uint8Array): boolean {
  const { tables, rest } = readHuffmanTables(body);
  for (const { kind, selector, definition } of tables)
    seen[kind][selector] = { lengths: definition.subarray(0, 16), symbols: definition.subarray(16) };
  return rest === 0;
}

/** Adds a scan. Returns false if its header does not agree with the frame. */
function takeScan(seen: TranscodeSegments, body: Uint8Array, data: { start: number; end: number }): boolean {
  const { frame, scans } = seen;
  const header = frame && readScanHeader(body, frame);
  if (!frame || !header || typeof header === "string") return false;
  const scan = describeScan(frame, header, seen);
  if (!scan) return false;
  scans.push({ ...scan, ...data });
  if (scans.length > maxScans) throw tooMany();
  return true;
}

/**
 * True if a decoder that shows a sequential image while reading it would stop here: its first scan has all
 * components.
 */
const showsAll = ({ frame, scans }: TranscodeSegments) =>
  !frame?.progressive && scans.length === 1 && scans[0]!.components.length === frame?.components.length;

/**
 * Reads the frame header of a file that can be transcoded. A single component gets sampling factors of 1.
 * Throws ImagingError `unsupported` for other files.
 */
function readFrame(body: Uint8Array, segment: Segment): FrameHeader {
  const isHuffman = segment.code <= 0xc2;
  if (!isHuffman || body[0] !== 8 || (body[5] ?? 0) > 4) throw unsuitedError("Huffman-coded data of 8 bits");
  const frame = readFrameHeader(body, segment);
  if (frame.height === 0) throw unsuitedError("its size in front of the scans");
  const { components } = frame;
  // the only component of an image is read block by block, whatever its factors
  if (components.length === 1)
    return { ...frame, hMax: 1, vMax: 1, components: components.map((only) => ({ ...only, h: 1, v: 1 })) };
  if (components.reduce((sum, { h, v }) => sum + h * v, 0) > maxBlocks)
    throw unsuitedError(`at most ${maxBlocks} blocks in an MCU`);
  return frame;
}

function unsuitedError(wanted: string): ImagingError {
  return new ImagingError(
    "unsupported",
    `Expected a JPEG file with ${wanted}, as an interleaved baseline copy needs; the source file is different. ` +
      "Convert it.",
  );
}

function tooMany(): ImagingError {
  return new ImagingError(
    "decode",
    `Expected at most ${maxScans} scans in a JPEG file; received more. Save the source file again.`,
    { code: "too_many_scans" },
  );
}

/**
 * Describes a scan by its header; undefined if the header does not agree with the frame, or a table is
 * missing.
 */
function describeScan(
  frame: FrameHeader,
  header: ScanHeader,
  { quant, dc, ac, interval, steps }: TranscodeSegments,
): Omit<ListedScan, "start" | "end"> | undefined {
  const kind = kindOf(frame.progressive, header);
  if (kind === undefined) return undefined;
  const needsDc = kind === scanKinds.dcFirst || kind === scanKinds.sequential;
  const needsAc = kind >= scanKinds.acFirst;
  const components: ListedScan["components"][number][] = [];
  for (const { index, dcSelector, acSelector } of header.components) {
    const tables = { dc: needsDc ? dc[dcSelector] : undefined, ac: needsAc ? ac[acSelector] : undefined };
    steps[index] ??= quant[frame.components[index]!.quantSelector & 3];
    if ((needsDc && !tables.dc) || (needsAc && !tables.ac) || !steps[index]) return undefined;
    components.push({ index, ...tables });
  }
  const { first, last, low } = kind === scanKinds.sequential ? everything : header;
  return { kind, first, last, low, interval, components };
}

/** Coefficients of a sequential scan, whatever its header says. */
const everything = { first: 0, last: 63, low: 0 };

/** Returns the kind of a scan (G.1.1.1); undefined for invalid parameters. */
function kindOf(progressive: boolean, { components, first, last, high, low }: ScanHeader) {
  if (!progressive) return scanKinds.sequential;
  if (first === 0 ? last !== 0 : last < first || last > 63 || components.length !== 1) return undefined;
  if ((high !== 0 && low !== high - 1) || low > 13) return undefined;
  if (first === 0) return high === 0 ? scanKinds.dcFirst : scanKinds.dcRefine;
  return high === 0 ? scanKinds.acFirst : scanKinds.acRefine;
}
