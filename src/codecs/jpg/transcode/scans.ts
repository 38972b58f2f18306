// Where the scans of a JPEG file lie and what they need: a walk over all markers of the file (ITU-T T.81, annex B).

import { ServiceError } from "../../../errors.ts";
import type { ByteSource } from "../../../lib/byte-source.ts";
import type { HuffmanTable } from "../markers/huffman-codes.ts";

/** 64 values in zigzag order. */
export type StepTable = Uint16Array;

export interface TwinComponent {
  readonly id: number;
  readonly across: number;
  readonly down: number;
  /** Number of its quantisation table, and the table itself as it stood at the component's first scan. */
  readonly stepTable: number;
  steps?: StepTable;
}

export interface TwinFrame {
  readonly progressive: boolean;
  readonly width: number;
  readonly height: number;
  readonly components: readonly TwinComponent[];
}

/** Kinds of scan, in the numbering of the module. */
export const scanKinds = { dcFirst: 0, dcRefine: 1, acFirst: 2, acRefine: 3, sequential: 4 } as const;

export interface TwinScan {
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
    readonly dc?: HuffmanTable;
    readonly ac?: HuffmanTable;
  }[];
  /** Where the entropy-coded data begins and ends in the file, restart markers included. */
  readonly start: number;
  readonly end: number;
}

export interface TwinScans {
  readonly frame: TwinFrame;
  readonly scans: readonly TwinScan[];
  /** Whether there is a JFIF segment, and the Adobe segment's body: both decide about the colours. */
  readonly jfif: boolean;
  readonly adobe?: Uint8Array;
  /** The file ends, or breaks the rules, before its end marker; what came before is listed. */
  readonly damaged: boolean;
}

/** A picture with more scans is an attack: each costs a pass over all blocks. */
const maxScans = 100;
const maxBlocks = 10;
const windowBytes = 256 * 1024;

const marker = {
  soi: 0xd8,
  eoi: 0xd9,
  sos: 0xda,
  dqt: 0xdb,
  dht: 0xc4,
  dri: 0xdd,
  app0: 0xe0,
  app14: 0xee,
} as const;

/** Frames of Huffman-coded data in blocks, by the low byte of their marker: whether they are progressive. */
const frames: Readonly<Record<number, boolean>> = { 192: false, 193: false, 194: true };

const isFrame = (code: number) =>
  code >= 0xc0 && code <= 0xcf && code !== marker.dht && code !== 0xc8 && code !== 0xcc;
/** Markers that no segment follows: TEM and the restart markers. */
const isAlone = (code: number) => code === 0x01 || (code >= 0xd0 && code <= 0xd7);

/**
 * Reads all of a file once, in order, and lists its scans. Throws ServiceError `unsupported` for frames that are not
 * Huffman-coded with 8 bits or cannot be interleaved, `decode` for more than 100 scans or a file without any.
 */
export async function listScans(bytes: ByteSource): Promise<TwinScans> {
  const file = forward(bytes);
  const steps: (StepTable | undefined)[] = [];
  const huffman = { dc: [] as (HuffmanTable | undefined)[], ac: [] as (HuffmanTable | undefined)[] };
  const scans: TwinScan[] = [];
  let frame: TwinFrame | undefined;
  let jfif = false;
  let adobe: Uint8Array | undefined;
  let interval = 0;
  let damaged = false;
  let found = await file.marker(2);

  while (found?.code !== marker.eoi) {
    if (!found || found.code === marker.soi) {
      damaged = true;
      break;
    }
    const { at, code } = found;
    if (isAlone(code)) {
      found = await file.marker(at + 2);
      continue;
    }
    const head = await file.read(at + 2, 2);
    const length = head.length < 2 ? 0 : word(head, 0);
    const body = length < 2 ? new Uint8Array() : await file.read(at + 4, isRead(code) ? length - 2 : 0);
    if (length < 2 || (isRead(code) && body.length < length - 2)) {
      damaged = true;
      break;
    }
    const after = at + 2 + length;
    // between restart markers a reserved code is damage that decoding gets over
    found = await file.marker(after, code === marker.sos && interval > 0 ? 0xc0 : 0x01);

    let sound = true;
    if (isFrame(code)) {
      sound = frame === undefined;
      frame ??= readFrame(code, body);
    } else if (code === marker.dqt) sound = readSteps(body, steps);
    else if (code === marker.dht) sound = readHuffman(body, huffman);
    else if (code === marker.dri) interval = body.length < 2 ? 0 : word(body, 0);
    else if (code === marker.app0) jfif ||= scans.length === 0 && isNamed(body, "JFIF\0", 14);
    else if (code === marker.app14) {
      if (scans.length === 0 && isNamed(body, "Adobe", 12)) adobe = body.slice(0, 12);
    } else if (code === marker.sos) {
      const end = found?.at ?? file.end();
      const scan = frame && readScan(frame, body, { steps, huffman, interval, start: after, end });
      sound = scan !== undefined;
      if (scan) scans.push(scan);
      if (scans.length > maxScans) throw tooMany();
      // a decoder that shows a sequential picture while reading it ends with the scan that has all components
      if (
        scan &&
        !frame?.progressive &&
        scans.length === 1 &&
        scan.components.length === frame?.components.length
      ) {
        damaged = found === undefined;
        break;
      }
    } else sound = code >= 0xc0; // the lower ones are reserved
    if (!sound) {
      damaged = true;
      break;
    }
  }
  if (!frame || scans.length === 0)
    throw new ServiceError(
      "decode",
      "Expected a JPEG file with a frame and a scan; one of them is missing or broken. Replace the source file.",
      { code: "damaged_image" },
    );
  return { frame, scans, jfif, adobe, damaged };
}

const word = (data: Uint8Array, at: number) => data[at]! * 256 + data[at + 1]!;

/** Segments of which more than the length matters. */
const isRead = (code: number) => isFrame(code) || Object.values<number>(marker).includes(code);

function isNamed(body: Uint8Array, name: string, least: number): boolean {
  return body.length >= least && [...name].every((letter, i) => body[i] === letter.charCodeAt(0));
}

/** Reading in ascending order through one window. */
function forward(bytes: ByteSource) {
  let window: Uint8Array = new Uint8Array();
  let start = 0;
  let known = 0;

  const load = async (at: number) => {
    window = await bytes.read(at, windowBytes);
    start = at;
    known = Math.max(known, at + window.length);
  };

  return {
    /** Behind the last byte that was seen; the file's end after a search that found nothing. */
    end: () => known,
    async read(at: number, length: number): Promise<Uint8Array> {
      if (length > 0 && (at < start || at + length > start + window.length)) await load(at);
      return window.subarray(at - start, at - start + length);
    },
    /** The next marker from code `least` on that is no restart marker. */
    async marker(from: number, least = 0x01): Promise<{ at: number; code: number } | undefined> {
      if (from < start || from > start + window.length) await load(from);
      let at = from - start;
      for (;;) {
        at = window.indexOf(0xff, at);
        if (at < 0 || at + 1 >= window.length) {
          const next = at < 0 ? start + window.length : start + at;
          await load(next);
          if (window.length < 2) return undefined;
          at = 0;
          continue;
        }
        const code = window[at + 1]!;
        if (code >= least && code !== 0xff && !(code >= 0xd0 && code <= 0xd7))
          return { at: start + at, code };
        at += code === 0xff ? 1 : 2;
      }
    },
  };
}

function readFrame(code: number, body: Uint8Array): TwinFrame {
  const progressive = frames[code];
  const count = body[5] ?? 0;
  const broken = (expected: string, received: string) =>
    new ServiceError(
      "decode",
      `Expected ${expected} in the frame of the JPEG file; received ${received}. Replace the source file.`,
      { code: "damaged_header" },
    );
  if (progressive === undefined || body[0] !== 8 || count > 4) throw unsuited("Huffman-coded data of 8 bits");
  if (count === 0 || body.length !== 6 + 3 * count) throw broken("1 to 4 components", `${body.length} bytes`);
  const components = Array.from({ length: count }, (_, i): TwinComponent => {
    const factors = body[7 + 3 * i]!;
    // the only component of a picture is read block by block, whatever its factors
    const [across, down] = count === 1 ? [1, 1] : [factors >> 4, factors & 15];
    return { id: body[6 + 3 * i]!, across, down, stepTable: body[8 + 3 * i]! & 3 };
  });
  if (components.some(({ across, down }) => across < 1 || across > 4 || down < 1 || down > 4))
    throw broken("sampling factors from 1 to 4", "others");
  const width = word(body, 3);
  const height = word(body, 1);
  if (width === 0 || height === 0) throw unsuited("its size in front of the scans");
  if (components.reduce((sum, { across, down }) => sum + across * down, 0) > maxBlocks)
    throw unsuited(`at most ${maxBlocks} blocks in an MCU`);
  return { progressive, width, height, components };
}

function unsuited(wanted: string): ServiceError {
  return new ServiceError(
    "unsupported",
    `Expected a JPEG file with ${wanted}, as an interleaved baseline copy needs; the source file has it otherwise. ` +
      "Convert it.",
  );
}

function tooMany(): ServiceError {
  return new ServiceError(
    "decode",
    `Expected at most ${maxScans} scans in a JPEG file; received more. Save the source file anew.`,
    { code: "too_many_scans" },
  );
}

/** Takes the tables of a DQT segment; false where it is broken. */
function readSteps(body: Uint8Array, steps: (StepTable | undefined)[]): boolean {
  for (let at = 0; at < body.length; ) {
    const wide = body[at]! >> 4;
    const id = body[at]! & 15;
    const end = at + 1 + 64 * (wide + 1);
    if (wide > 1 || id > 3 || end > body.length) return false;
    const from = at + 1;
    steps[id] = Uint16Array.from({ length: 64 }, (_, i) =>
      wide ? word(body, from + 2 * i) : body[from + i]!,
    );
    at = end;
  }
  return true;
}

interface HuffmanSlots {
  readonly dc: (HuffmanTable | undefined)[];
  readonly ac: (HuffmanTable | undefined)[];
}

/** Takes the tables of a DHT segment; false where it is broken. */
function readHuffman(body: Uint8Array, slots: HuffmanSlots): boolean {
  for (let at = 0; at < body.length; ) {
    const kind = body[at]! >> 4;
    const id = body[at]! & 15;
    const lengths = body.slice(at + 1, at + 17);
    const count = lengths.reduce((sum, n) => sum + n, 0);
    const end = at + 17 + count;
    if (kind > 1 || id > 3 || count > 256 || end > body.length) return false;
    slots[kind === 0 ? "dc" : "ac"][id] = { lengths, symbols: body.slice(at + 17, end) };
    at = end;
  }
  return true;
}

interface Surroundings {
  readonly steps: readonly (StepTable | undefined)[];
  readonly huffman: HuffmanSlots;
  readonly interval: number;
  readonly start: number;
  readonly end: number;
}

/** A scan as its header describes it; undefined where that breaks the rules of the frame. */
function readScan(frame: TwinFrame, body: Uint8Array, around: Surroundings): TwinScan | undefined {
  const count = body[0] ?? 0;
  if (count < 1 || count > frame.components.length || body.length !== 4 + 2 * count) return undefined;
  const first = body[1 + 2 * count]!;
  const last = body[2 + 2 * count]!;
  const high = body[3 + 2 * count]! >> 4;
  const low = body[3 + 2 * count]! & 15;
  const kind = kindOf(frame.progressive, { count, first, last, high, low });
  if (kind === undefined) return undefined;

  const needsDc = kind === scanKinds.dcFirst || kind === scanKinds.sequential;
  const needsAc = kind >= scanKinds.acFirst;
  const components: { index: number; dc?: HuffmanTable; ac?: HuffmanTable }[] = [];
  for (let i = 0; i < count; i++) {
    const id = body[1 + 2 * i]!;
    const index = frame.components.findIndex((c, k) => c.id === id && !components.some((o) => o.index === k));
    const component = frame.components[index];
    if (!component) return undefined;
    const selectors = body[2 + 2 * i]!;
    const dc = needsDc ? around.huffman.dc[selectors >> 4] : undefined;
    const ac = needsAc ? around.huffman.ac[selectors & 15] : undefined;
    component.steps ??= around.steps[component.stepTable];
    if ((needsDc && !dc) || (needsAc && !ac) || !component.steps) return undefined;
    components.push({ index, dc, ac });
  }
  const { interval, start, end } = around;
  const whole = kind === scanKinds.sequential;
  return {
    kind,
    first: whole ? 0 : first,
    last: whole ? 63 : last,
    low: whole ? 0 : low,
    interval,
    components,
    start,
    end,
  };
}

interface Parameters {
  readonly count: number;
  readonly first: number;
  readonly last: number;
  readonly high: number;
  readonly low: number;
}

/** The kind of a scan (G.1.1.1); undefined where no scan has such parameters. */
function kindOf(progressive: boolean, { count, first, last, high, low }: Parameters) {
  if (!progressive) return scanKinds.sequential;
  if (first === 0 ? last !== 0 : last < first || last > 63 || count !== 1) return undefined;
  if ((high !== 0 && low !== high - 1) || low > 13) return undefined;
  if (first === 0) return high === 0 ? scanKinds.dcFirst : scanKinds.dcRefine;
  return high === 0 ? scanKinds.acFirst : scanKinds.acRefine;
}
