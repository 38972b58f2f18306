// The scans of a JPEG file: where they lie and what decoding them takes (ITU-T T.81, annexes B and G).

import { ImagingError } from "../../../errors.ts";
import type { ByteSource } from "../../../lib/byte-source.ts";
import { type FrameHeader, isFrame, readFrameHeader } from "../markers/frame.ts";
import type { HuffmanTable } from "../markers/huffman-codes.ts";
import { readScanHeader, type ScanHeader } from "../markers/scan-header.ts";
import { readHuffmanTables, readQuantisationTables } from "../markers/tables.ts";
import { isNamed, type MarkerWalk, marker, type Segment, walkMarkers, word } from "../markers/walk.ts";

/** 64 values in zigzag order. */
export type StepTable = Uint16Array;

/** Kinds of scan, in the numbering of the module. */
export const scanKinds = { dcFirst: 0, dcRefine: 1, acFirst: 2, acRefine: 3, sequential: 4 } as const;

export interface ListedScan {
  readonly kind: (typeof scanKinds)[keyof typeof scanKinds];
  /** Spectral selection and bit position: Ss, Se and Al. */
  readonly first: number;
  readonly last: number;
  readonly low: number;
  /** MCUs between restart markers, 0 without. */
  readonly interval: number;
  /** Components by their place in the frame, with the tables in force at this scan. */
  readonly components: readonly {
    readonly index: number;
    readonly dc?: HuffmanTable | undefined;
    readonly ac?: HuffmanTable | undefined;
  }[];
  /** Where the entropy-coded data begins and ends in the file, restart markers included. */
  readonly start: number;
  readonly end: number;
}

export interface ScanList {
  readonly frame: FrameHeader;
  /** The quantisation table of each component, as it stood at the component's first scan; undefined without a scan. */
  readonly steps: readonly (StepTable | undefined)[];
  readonly scans: readonly ListedScan[];
  /** Whether there is a JFIF segment, and the transform of the Adobe segment: both decide about the colours. */
  readonly jfif: boolean;
  readonly adobe?: Uint8Array | undefined;
  /** The file ends, or breaks the rules, before its end marker; what came before is listed. */
  readonly damaged: boolean;
}

/** More scans are an attack: each costs a pass over all blocks. */
const maxScans = 100;
const maxBlocks = 10;
const windowBytes = 256 * 1024;

/**
 * Reads all of a file once, in order, and lists its scans. Throws ImagingError `unsupported` for frames that are not
 * Huffman-coded with 8 bits or cannot be interleaved, `decode` for more than 100 scans or a file without any.
 */
export async function listScans(bytes: ByteSource): Promise<ScanList> {
  const walk = walkMarkers(bytes, windowBytes);
  const seen: Seen = {
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

/** What the segments have said so far. */
interface Seen {
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

/** Takes in segment after segment up to the end of the image; false where the file ends or breaks the rules before it. */
async function takeSegments(walk: MarkerWalk, seen: Seen): Promise<boolean> {
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
    // between restart markers a reserved code is damage that decoding gets over
    found = await walk.next(segment.end, { least: seen.interval > 0 ? 0xc0 : 0x01 });
    if (!takeScan(seen, body, { start: segment.end, end: found?.at ?? walk.seen })) return false;
    if (showsAll(seen)) return found !== undefined;
  }
  return true;
}

const noBytes = new Uint8Array();

/** The parameters of a segment, empty where only its length matters; undefined where the file ends within them. */
async function parametersOf(walk: MarkerWalk, segment: Segment): Promise<Uint8Array | undefined> {
  const { code, length } = segment;
  if (length === undefined || length < 2) return undefined;
  if (!isRead(code)) return noBytes;
  const body = await walk.body(segment);
  return body.length < length - 2 ? undefined : body;
}

/** Segments of which more than the length matters. */
const isRead = (code: number) =>
  isFrame(code) ||
  code === marker.sos ||
  code === marker.dqt ||
  code === marker.dht ||
  code === marker.dri ||
  code === marker.app0 ||
  code === marker.app14;

/** Takes in a segment that is no scan header; false where it breaks the rules. */
function take(seen: Seen, segment: Segment, body: Uint8Array): boolean {
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
      return code >= 0xc0; // the lower ones are reserved
  }
}

function takeQuantisation({ quant }: Seen, body: Uint8Array): boolean {
  const { tables, rest } = readQuantisationTables(body);
  for (const { selector, values } of tables) quant[selector] = values;
  return rest === 0 && tables.every(({ precision }) => precision <= 1);
}

function takeHuffman(seen: Seen, body: Uint8Array): boolean {
  const { tables, rest } = readHuffmanTables(body);
  for (const { kind, selector, definition } of tables)
    seen[kind][selector] = { lengths: definition.subarray(0, 16), symbols: definition.subarray(16) };
  return rest === 0;
}

/** Lists a scan; false where its header breaks the rules of the frame. */
function takeScan(seen: Seen, body: Uint8Array, data: { start: number; end: number }): boolean {
  const { frame, scans } = seen;
  const header = frame && readScanHeader(body, frame);
  if (!frame || !header || typeof header === "string") return false;
  const scan = describeScan(frame, header, seen);
  if (!scan) return false;
  scans.push({ ...scan, ...data });
  if (scans.length > maxScans) throw tooMany();
  return true;
}

/** Whether a decoder that shows a sequential image while reading it ends here: its first scan has all components. */
const showsAll = ({ frame, scans }: Seen) =>
  !frame?.progressive && scans.length === 1 && scans[0]!.components.length === frame?.components.length;

/** The frame header of a file that can be transcoded, in which an only component has no sampling factors. */
function readFrame(body: Uint8Array, segment: Segment): FrameHeader {
  const isHuffman = segment.code <= 0xc2;
  if (!isHuffman || body[0] !== 8 || (body[5] ?? 0) > 4) throw unsuited("Huffman-coded data of 8 bits");
  const frame = readFrameHeader(body, segment);
  if (frame.height === 0) throw unsuited("its size in front of the scans");
  const { components } = frame;
  // the only component of an image is read block by block, whatever its factors
  if (components.length === 1)
    return { ...frame, hMax: 1, vMax: 1, components: components.map((only) => ({ ...only, h: 1, v: 1 })) };
  if (components.reduce((sum, { h, v }) => sum + h * v, 0) > maxBlocks)
    throw unsuited(`at most ${maxBlocks} blocks in an MCU`);
  return frame;
}

function unsuited(wanted: string): ImagingError {
  return new ImagingError(
    "unsupported",
    `Expected a JPEG file with ${wanted}, as an interleaved baseline copy needs; the source file has it otherwise. ` +
      "Convert it.",
  );
}

function tooMany(): ImagingError {
  return new ImagingError(
    "decode",
    `Expected at most ${maxScans} scans in a JPEG file; received more. Save the source file anew.`,
    { code: "too_many_scans" },
  );
}

/** What a scan header says; undefined where that breaks the rules of the frame, or a table is missing. */
function describeScan(
  frame: FrameHeader,
  header: ScanHeader,
  { quant, dc, ac, interval, steps }: Seen,
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

/** The kind of a scan (G.1.1.1); undefined where no scan has such parameters. */
function kindOf(progressive: boolean, { components, first, last, high, low }: ScanHeader) {
  if (!progressive) return scanKinds.sequential;
  if (first === 0 ? last !== 0 : last < first || last > 63 || components.length !== 1) return undefined;
  if ((high !== 0 && low !== high - 1) || low > 13) return undefined;
  if (first === 0) return high === 0 ? scanKinds.dcFirst : scanKinds.dcRefine;
  return high === 0 ? scanKinds.acFirst : scanKinds.acRefine;
}
