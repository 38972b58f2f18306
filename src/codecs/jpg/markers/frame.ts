// The marker segments of a sequential JPEG file: frame, tables, scans (ITU-T T.81, annex B; JFIF 1.02; Adobe TN 5116).

import { ServiceError } from "../../../errors.ts";
import { type ByteSource, blockwise } from "../../../lib/byte-source.ts";
import { findLineCount } from "./line-count.ts";
import { zigzag } from "./quantisation.ts";
import { standardAc, standardDc } from "./standard-tables.ts";

/** What the components are, decided as libjpeg decides it. */
export type JpegColour = "gray" | "ycc" | "rgb" | "cmyk" | "ycck";

export interface Component {
  readonly id: number;
  /** Sampling factors, 1 to 4. */
  readonly h: number;
  readonly v: number;
  readonly quantSelector: number;
  /** Size in samples. */
  readonly width: number;
  readonly height: number;
}

export interface Frame {
  readonly width: number;
  readonly height: number;
  /** Byte of the frame marker: C0 baseline, C1 extended. */
  readonly code: number;
  readonly components: readonly Component[];
  readonly hMax: number;
  readonly vMax: number;
  readonly colour: JpegColour;
  /** There is an Adobe segment: values of CMYK and YCCK are complemented. */
  readonly adobe: boolean;
}

/** A component's part in a scan, with the tables that were in force at the scan's start. */
export interface ScanComponent {
  readonly index: number;
  /** Blocks in an MCU. */
  readonly across: number;
  readonly down: number;
  /** 64 values in natural order. */
  readonly quant: Uint16Array;
  /** 16 counts and the symbols. */
  readonly dc: Uint8Array;
  readonly ac: Uint8Array;
}

export interface Scan {
  /** File offset of the marker or of the bytes before it, from which {@link readScan} finds this scan. */
  readonly headerAt: number;
  /** File offset of the first entropy-coded byte. */
  readonly start: number;
  readonly components: readonly ScanComponent[];
  /** MCUs in a restart interval, 0 for none. */
  readonly interval: number;
  /** Size in MCUs. */
  readonly columns: number;
  readonly rows: number;
  /** Entries of the index stand at column 0 and at every `step * k - 1`: 512 full-size pixels. */
  readonly step: number;
  /** All tables as they were at the scan's start, for the scan behind it. */
  readonly tables: Readonly<Tables>;
}

/** Tables as they change from segment to segment. */
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

const maxSegments = 2000;
const maxGarbage = 64 * 1024;

/**
 * Header of a file that this decoder reads: Huffman-coded, sequential, 8 bit, 1, 3 or 4 components. `undefined` for
 * other kinds of JPEG, which are for another decoder. Throws ServiceError `decode`, code `damaged_header`.
 */
export async function readHeader(bytes: ByteSource): Promise<Header | undefined> {
  const source = blockwise(bytes, 4096);
  const walk: Walk = {
    tables: { quant: [], dc: [], ac: [], interval: 0 },
    frame: undefined,
    jfif: false,
    adobe: undefined,
  };
  const start = await source.read(0, 2);
  if (start[0] !== 0xff || start[1] !== 0xd8) throw damaged("the bytes FF D8 at the start", "something else");
  const scanAt = await walkSegments(source, 2, walk);
  const raw = walk.frame;
  if (raw === "other") return undefined;
  if (scanAt === undefined) throw damaged("a scan", "the end of the image");
  if (!raw) throw damaged("a frame header before the first scan", "none");
  const height = raw.height || (await findLineCount(bytes, await dataAt(source, scanAt)));
  if (!height) throw damaged("a height of 1 or more, or a DNL segment behind the first scan", "neither");
  const frame = describeFrame({ ...raw, height }, walk);
  if (!frame) return undefined;
  const first = await scanFrom(source, 2, scanAt, frame, walk.tables);
  return { frame, first };
}

/**
 * The next scan at or behind `from`, with the tables of the scan `before` as the segments between them change them.
 * `undefined` where the image ends.
 */
export async function readScan(
  bytes: ByteSource,
  from: number,
  frame: Frame,
  before: Scan,
): Promise<Scan | undefined> {
  const source = blockwise(bytes, 4096);
  const { quant, dc, ac, interval } = before.tables;
  const tables: Tables = { quant: [...quant], dc: [...dc], ac: [...ac], interval };
  const scanAt = await walkSegments(source, from, { tables, frame: undefined, jfif: false, adobe: 0 });
  return scanAt === undefined ? undefined : scanFrom(source, from, scanAt, frame, tables);
}

/** Where the entropy-coded bytes of the scan at a marker begin. */
async function dataAt(source: ByteSource, scanAt: number): Promise<number> {
  const [high = 0, low = 0] = await source.read(scanAt + 2, 2);
  return scanAt + 2 + high * 256 + low;
}

interface RawFrame {
  readonly code: number;
  readonly width: number;
  readonly height: number;
  readonly components: readonly { id: number; h: number; v: number; quantSelector: number }[];
}

interface Walk {
  readonly tables: Tables;
  /** "other": a kind of frame that is not for this decoder. */
  frame: RawFrame | "other" | undefined;
  jfif: boolean;
  /** Transform of the Adobe segment. */
  adobe: number | undefined;
}

/** Takes in segments up to a scan's marker; its offset, or `undefined` at the end of the image. */
async function walkSegments(source: ByteSource, from: number, walk: Walk): Promise<number | undefined> {
  let at = from;
  let garbage = 0;
  for (let count = 0; count < maxSegments; count++) {
    const found = await findMarker(source, at, maxGarbage - garbage);
    if (found === undefined) return undefined;
    garbage += found - at;
    const head = await source.read(found, 4);
    const code = head[1] ?? 0;
    if (code === 0x01 || (code >= 0xd0 && code <= 0xd8)) {
      at = found + 2;
      continue;
    }
    if (code === 0xd9 || head.length < 4) return undefined;
    if (code === 0xda) return found;
    const length = head[2]! * 256 + head[3]!;
    if (length < 2) throw damaged("a segment length of 2 or more", String(length));
    const read = segments[code] ?? (code >= 0xc0 && code <= 0xcf && code !== 0xc8 ? otherFrame : undefined);
    if (read) {
      const body = await source.read(found + 4, length - 2);
      if (body.length < length - 2) throw damaged("a whole segment", "the end of the file");
      read(body, walk, code);
      if (walk.frame === "other") return undefined;
    }
    at = found + 2 + length;
  }
  throw damaged(`at most ${maxSegments} segments`, "more");
}

/** The next marker at or behind `from`, over fill bytes and stray ones. */
async function findMarker(source: ByteSource, from: number, limit: number): Promise<number | undefined> {
  for (let at = from; at - from <= limit; ) {
    const chunk = await source.read(at, 4096);
    if (chunk.length < 2) return undefined;
    for (let i = 0; i + 1 < chunk.length; i++)
      if (chunk[i] === 0xff && chunk[i + 1] !== 0xff && chunk[i + 1] !== 0) return at + i;
    at += chunk.length - 1;
  }
  throw damaged("marker segments", "other bytes between them");
}

type ReadSegment = (body: Uint8Array, walk: Walk, code: number) => void;

const otherFrame: ReadSegment = (_, walk) => {
  walk.frame ??= "other";
};

const readFrame: ReadSegment = (body, walk, code) => {
  if (walk.frame) throw damaged("one frame header", "two");
  const count = body[5] ?? 0;
  if (body.length !== 6 + 3 * count || count === 0) throw damaged("a frame header", "a broken one");
  if (body[0] !== 8) {
    walk.frame = "other";
    return;
  }
  const components = Array.from({ length: count }, (_, i) => {
    const [id = 0, factors = 0, quantSelector = 0] = body.subarray(6 + 3 * i, 9 + 3 * i);
    return { id, h: factors >> 4, v: factors & 15, quantSelector };
  });
  if (components.some(({ h, v }) => h < 1 || h > 4 || v < 1 || v > 4))
    throw damaged("sampling factors from 1 to 4", components.map(({ h, v }) => `${h}x${v}`).join(", "));
  const width = body[3]! * 256 + body[4]!;
  if (width === 0) throw damaged("a width of 1 or more", "0");
  walk.frame = { code, width, height: body[1]! * 256 + body[2]!, components };
};

const readQuant: ReadSegment = (body, { tables }) => {
  for (let at = 0; at < body.length; ) {
    const wide = body[at]! >> 4 ? 1 : 0;
    const selector = body[at++]! & 15;
    if (selector > 3 || at + (64 << wide) > body.length)
      throw damaged("a quantisation table", "a broken one");
    const table = new Uint16Array(64);
    for (let i = 0; i < 64; i++, at += 1 + wide)
      table[zigzag[i]!] = wide ? body[at]! * 256 + body[at + 1]! : body[at]!;
    tables.quant[selector] = table;
  }
};

const readHuffman: ReadSegment = (body, { tables }) => {
  for (let at = 0; at + 17 <= body.length; ) {
    const selector = body[at++]!;
    let symbols = 0;
    for (let i = 0; i < 16; i++) symbols += body[at + i]!;
    if ((selector & 15) > 3 || selector > 0x1f || symbols > 256 || at + 16 + symbols > body.length)
      throw damaged("a Huffman table", "a broken one");
    (selector >> 4 ? tables.ac : tables.dc)[selector & 15] = body.slice(at, at + 16 + symbols);
    at += 16 + symbols;
  }
};

/** Segments that matter here, by the low byte of their marker. */
const segments: Readonly<Record<number, ReadSegment>> = {
  192: readFrame,
  193: readFrame,
  196: readHuffman,
  219: readQuant,
  221: (body, { tables }) => {
    if (body.length < 2) throw damaged("a restart interval", "an empty segment");
    tables.interval = body[0]! * 256 + body[1]!;
  },
  224: (body, walk) => {
    if (body.length >= 14 && isNamed(body, "JFIF\0")) walk.jfif = true;
  },
  238: (body, walk) => {
    if (body.length >= 12 && isNamed(body, "Adobe")) walk.adobe = body[11]!;
  },
};

function isNamed(body: Uint8Array, name: string): boolean {
  for (let i = 0; i < name.length; i++) if (body[i] !== name.charCodeAt(i)) return false;
  return true;
}

function describeFrame(raw: RawFrame, { jfif, adobe }: Walk): Frame | undefined {
  const { width, height } = raw;
  const colour = colourOf(
    raw.components.map(({ id }) => id),
    jfif,
    adobe,
  );
  if (!colour) return undefined;
  const hMax = Math.max(...raw.components.map(({ h }) => h));
  const vMax = Math.max(...raw.components.map(({ v }) => v));
  const components = raw.components.map((c) => ({
    ...c,
    width: Math.ceil((width * c.h) / hMax),
    height: Math.ceil((height * c.v) / vMax),
  }));
  return { width, height, code: raw.code, components, hMax, vMax, colour, adobe: adobe !== undefined };
}

function colourOf(ids: readonly number[], jfif: boolean, adobe: number | undefined): JpegColour | undefined {
  if (ids.length === 1) return "gray";
  if (ids.length === 4) return adobe === undefined || adobe === 0 ? "cmyk" : "ycck";
  if (ids.length !== 3) return undefined;
  if (jfif) return "ycc";
  if (adobe !== undefined) return adobe === 0 ? "rgb" : "ycc";
  return String.fromCharCode(...ids) === "RGB" ? "rgb" : "ycc";
}

async function scanFrom(
  source: ByteSource,
  headerAt: number,
  at: number,
  frame: Frame,
  tables: Tables,
): Promise<Scan> {
  const head = await source.read(at + 2, 3);
  const length = (head[0] ?? 0) * 256 + (head[1] ?? 0);
  const count = head[2] ?? 0;
  const body = await source.read(at + 5, 2 * count + 3);
  if (length !== 6 + 2 * count || count < 1 || count > 4 || body.length < 2 * count + 3)
    throw damaged("a scan header", "a broken one");
  const single = count === 1;
  const seen = new Set<number>();
  const components = Array.from({ length: count }, (_, i) => {
    // several components may have one id: then they follow one another as in the frame, as libjpeg reads them
    const index = frame.components.findIndex(({ id }, k) => id === body[2 * i] && !seen.has(k));
    const component = frame.components[index];
    if (!component) throw damaged("each component of the frame once in a scan", "another");
    seen.add(index);
    const selectors = body[2 * i + 1]!;
    return {
      index,
      across: single ? 1 : component.h,
      down: single ? 1 : component.v,
      quant: tables.quant[component.quantSelector] ?? missing("quantisation"),
      dc: tables.dc[selectors >> 4] ?? standardDc[selectors >> 4] ?? missing("Huffman"),
      ac: tables.ac[selectors & 15] ?? standardAc[selectors & 15] ?? missing("Huffman"),
    };
  });
  const blocks = components.reduce((sum, { across, down }) => sum + across * down, 0);
  if (blocks > 10) throw damaged("at most 10 blocks in an MCU", String(blocks));
  const only = frame.components[components[0]!.index]!;
  const mcuWidth = single ? (8 * frame.hMax) / only.h : 8 * frame.hMax;
  return {
    headerAt,
    start: at + 2 + length,
    components,
    interval: tables.interval,
    columns: single ? Math.ceil(only.width / 8) : Math.ceil(frame.width / (8 * frame.hMax)),
    rows: single ? Math.ceil(only.height / 8) : Math.ceil(frame.height / (8 * frame.vMax)),
    step: Math.max(2, Math.floor(512 / mcuWidth)),
    tables,
  };
}

function missing(kind: string): never {
  throw damaged(`a ${kind} table for each component`, "none");
}

/** An error of the file's structure. */
export function damaged(expected: string, received: string): ServiceError {
  return new ServiceError(
    "decode",
    `Expected ${expected} in the JPEG file; received ${received}. Replace the source file.`,
    { code: "damaged_header" },
  );
}
