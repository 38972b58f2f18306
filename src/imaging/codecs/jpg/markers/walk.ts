// Walks over the marker segments of a JPEG file (ITU-T T.81, B.1.1). Header, scans and metadata are all read
// with it.

import type { ByteSource } from "../../../../base/index.ts";
import { damagedJpgHeader } from "../../damaged.ts";

export const marker = {
  tem: 0x01,
  dht: 0xc4,
  jpg: 0xc8,
  soi: 0xd8,
  eoi: 0xd9,
  sos: 0xda,
  dqt: 0xdb,
  dnl: 0xdc,
  dri: 0xdd,
  dhp: 0xde,
  app0: 0xe0,
  app1: 0xe1,
  app2: 0xe2,
  app13: 0xed,
  app14: 0xee,
  app15: 0xef,
  com: 0xfe,
} as const;

/** A marker and the segment after it. */
export interface Segment {
  /** File offset of the marker. */
  readonly at: number;
  /** Second byte of the marker. */
  readonly code: number;
  /**
   * Bytes of the length field and the parameters; undefined for SOI, EOI and TEM, and if the file ends before
   * the field.
   */
  readonly length: number | undefined;
  /** File offset of the first byte after the segment. */
  readonly end: number;
}

export interface NextOptions {
  /** Smallest code to find; smaller ones are skipped like stray bytes. */
  readonly least?: number;
  /** File offset at which the search stops. */
  readonly until?: number;
}

export interface SegmentsOptions {
  /** Stops at the first byte that is neither a marker nor a fill byte, instead of skipping it. */
  readonly fillBytesOnly?: boolean;
}

export interface MarkerWalk {
  /** True if the file begins with SOI. */
  isImage(): Promise<boolean>;
  /**
   * Returns the next marker at or after `from`; undefined if there is none. Skips fill bytes, stray bytes,
   * stuffed zeros and restart markers.
   */
  next(from: number, options?: NextOptions): Promise<Segment | undefined>;
  /**
   * Yields the segments from `from` on, one after another, to the end of the file. Meant for the part before
   * the first scan: at most 2000 segments, with 64 KiB of stray bytes between them. Skips TEM. Throws
   * ImagingError `decode`, code damaged_header.
   */
  segments(from: number, options?: SegmentsOptions): AsyncGenerator<Segment>;
  /**
   * Returns a segment's parameters, or the first `max` bytes of them; fewer at the end of the file. The
   * bytes must not be modified.
   */
  body(segment: Segment, max?: number): Promise<Uint8Array>;
  /** Bytes of the file seen so far; all of them once `next` has found nothing. */
  readonly seen: number;
}

const maxSegments = 2000;
const maxStrayBytes = 64 * 1024;

const isRestart = (code: number) => code >= 0xd0 && code <= 0xd7;
const hasNoSegment = (code: number) => code === marker.tem || code === marker.soi || code === marker.eoi;

/** Returns a walk over a file, which is read in windows of `windowBytes`. */
export function walkMarkers(bytes: ByteSource, windowBytes: number): MarkerWalk {
  const window = openWindow(bytes, windowBytes);

  const segmentAt = async (at: number, code: number): Promise<Segment> => {
    const found = hasNoSegment(code) ? noBytes : window.from(at + 2, 2);
    const field = found instanceof Uint8Array ? found : await found;
    const length = field.length < 2 ? undefined : word(field, 0);
    return { at, code, length, end: at + 2 + (length ?? 0) };
  };

  const next = async (from: number, options: NextOptions = {}): Promise<Segment | undefined> => {
    const { least = 0x01, until = Number.POSITIVE_INFINITY } = options;
    for (let at = from; at <= until; ) {
      const found = window.from(at, 2);
      const data = found instanceof Uint8Array ? found : await found;
      if (data.length < 2) return undefined;
      for (let i = data.indexOf(0xff); i >= 0 && i + 1 < data.length; i = data.indexOf(0xff, i + 1)) {
        const code = data[i + 1]!;
        if (code >= least && code !== 0xff && !isRestart(code)) return segmentAt(at + i, code);
      }
      at += data.length - 1; // the last byte may be the first of a marker
    }
    return undefined;
  };

  const isFill = async (from: number, to: number): Promise<boolean> =>
    (await window.from(from, to - from)).subarray(0, to - from).every((byte) => byte === 0xff);

  return {
    next,
    async isImage() {
      const start = await window.from(0, 2);
      return start[0] === 0xff && start[1] === marker.soi;
    },
    async *segments(from, { fillBytesOnly = false } = {}) {
      let at = from;
      let stray = 0;
      for (let count = 0; count < maxSegments; count++) {
        const until = at + maxStrayBytes - stray;
        const found = await next(at, { until });
        if (!found && window.seen > until)
          throw damagedJpgHeader("marker segments", "other bytes between them");
        if (!found || (fillBytesOnly && !(await isFill(at, found.at)))) return;
        const { code, length } = found;
        if (length !== undefined && length < 2)
          throw damagedJpgHeader("a segment length of 2 or more", String(length));
        stray += found.at - at;
        at = found.end;
        if (code !== marker.tem) yield found;
      }
      throw damagedJpgHeader(`at most ${maxSegments} segments before the first scan`, "more");
    },
    async body({ at, length = 2 }, max = Number.POSITIVE_INFINITY) {
      const wanted = Math.max(0, Math.min(max, length - 2));
      return wanted === 0 ? noBytes : (await window.from(at + 4, wanted)).subarray(0, wanted);
    },
    get seen() {
      return window.seen;
    },
  };
}

/**
 * Yields the APPn segments after SOI of a valid file in memory, including their markers. They are not copied.
 */
export function* applicationSegments(file: Uint8Array): Generator<Uint8Array> {
  for (let at = 2; file[at] === 0xff && file[at + 1]! >= marker.app0 && file[at + 1]! <= marker.app15; ) {
    const end = at + 2 + word(file, at + 2);
    yield file.subarray(at, end);
    at = end;
  }
}

const noBytes = new Uint8Array();

/** Opens a window onto a file that is mostly read in ascending order. */
function openWindow(bytes: ByteSource, size: number) {
  let data: Uint8Array = noBytes;
  let start = 0;
  let seen = 0;
  const load = async (at: number, least: number): Promise<Uint8Array> => {
    data = await bytes.read(at, Math.max(size, least));
    start = at;
    seen = Math.max(seen, at + data.length);
    return data;
  };
  return {
    /**
     * Returns the bytes available from `at` on: at least `least`, fewer only at the end of the file. Returns
     * a promise only if it has to read.
     */
    from(at: number, least: number): Uint8Array | Promise<Uint8Array> {
      return at < start || at + least > start + data.length ? load(at, least) : data.subarray(at - start);
    },
    get seen() {
      return seen;
    },
  };
}

/** Returns a number of two bytes. */
export const word = (data: Uint8Array, at: number): number => data[at]! * 256 + data[at + 1]!;

/** True if an application segment has this identifier and at least `least` bytes of parameters. */
export function isNamed(body: Uint8Array, name: string, least: number): boolean {
  if (body.length < least) return false;
  for (let i = 0; i < name.length; i++) if (body[i] !== name.charCodeAt(i)) return false;
  return true;
}
