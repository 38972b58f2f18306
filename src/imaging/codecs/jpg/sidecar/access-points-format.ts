// Access points as bytes: a checksum, facts of the file, and the differences between consecutive points as
// variable-length numbers.

import { type ByteSource, crc32, ImagingError } from "../../../../base/index.ts";
import type { Frame } from "../markers/frame.ts";
import {
  type AccessPoints,
  accessPointAt,
  accessPointBytes,
  appendAccessPoints,
  createScanAccessPoints,
  level8Size,
} from "../region/access-points.ts";
import { type Header, readScan, type Scan } from "../region/header.ts";

/** Version of the format; it changes with every change of the format. */
const version = 1;
const maxScans = 4;

/**
 * Returns the complete access points of a file of `size` bytes (0 if unknown) as bytes, without the reduced
 * level.
 */
export function saveAccessPoints(frame: Frame, accessPoints: AccessPoints, size: number): Uint8Array {
  const out = writer();
  for (const fact of [version, size, frame.width, frame.height, frame.code, accessPoints.scans.length])
    out.number(fact);
  for (const { scan, perRow, count, end, damage } of accessPoints.scans) {
    for (const fact of [...factsOf(scan), end, damage, count]) out.number(fact);
    const current = accessPoints.scans.find((other) => other.scan === scan)!;
    let bits = 0;
    const predictors = scan.components.map(() => 0);
    for (let n = 0; n < count; n++) {
      const point = accessPointAt(current, Math.floor(n / perRow), n % perRow)!;
      const position = point.offset * 8 + point.bit;
      out.number((position - bits) * 2 + (point.spent ? 1 : 0));
      bits = position;
      point.predictors.forEach((predictor, i) => {
        const difference = predictor - predictors[i]!;
        out.number(difference < 0 ? -2 * difference - 1 : 2 * difference);
        predictors[i] = predictor;
      });
    }
  }
  const body = out.done();
  const result = new Uint8Array(4 + body.length);
  new DataView(result.buffer).setUint32(0, crc32(body));
  result.set(body, 4);
  return result;
}

/** Returns the facts that identify a scan. */
function factsOf(scan: Scan): number[] {
  return [
    scan.headerAt,
    scan.start,
    scan.components.length,
    scan.interval,
    scan.columns,
    scan.rows,
    scan.step,
  ];
}

/**
 * Parses the output of {@link saveAccessPoints}. Returns undefined if any of it is invalid, or does not agree
 * with the file's header, its size, or the headers of further scans, which are read again.
 */
export async function loadAccessPoints(
  stored: Uint8Array,
  header: Header,
  source: ByteSource,
  level8: readonly Uint8Array[] | undefined,
): Promise<AccessPoints | undefined> {
  if (stored.length < 5) return undefined;
  const view = new DataView(stored.buffer, stored.byteOffset, stored.length);
  if (view.getUint32(0) !== crc32(stored.subarray(4))) return undefined;
  const numbers = reader(stored.subarray(4));
  const { frame, first } = header;
  const agrees = (facts: readonly number[]) => facts.map((fact) => numbers.next() === fact).every(Boolean);
  if (!agrees([version, source.size ?? 0, frame.width, frame.height, frame.code])) return undefined;
  const scanCount = numbers.next();
  if (scanCount < 1 || scanCount > maxScans) return undefined;
  const limit = source.size ?? Number.MAX_SAFE_INTEGER / 16;

  const accessPoints: AccessPoints = { scans: [], level8: soundLevel8(frame, level8), complete: true };
  for (let i = 0; i < scanCount; i++) {
    const headerAt = numbers.next();
    if (!(headerAt <= limit)) return undefined;
    const scan =
      i === 0
        ? first
        : await readScan(source, headerAt, frame, accessPoints.scans[i - 1]!.scan).catch(undefinedIfDamaged);
    if (!scan || headerAt !== scan.headerAt || !agrees(factsOf(scan).slice(1))) return undefined;
    const current = createScanAccessPoints(scan);
    const end = numbers.next();
    const damage = numbers.next();
    const count = numbers.next();
    if (!(end >= scan.start && end <= limit && count <= current.perRow * scan.rows)) return undefined;
    const raw = readPoints(numbers, scan, count, end);
    if (!raw) return undefined;
    appendAccessPoints(current, raw);
    Object.assign(current, { end, damage, rows: scan.rows, complete: true });
    accessPoints.scans.push(current);
  }
  return numbers.atEnd() ? accessPoints : undefined;
}

/**
 * Turns the error of a missing scan header into undefined, since the stored access points are then invalid.
 * Rethrows other errors, such as those of the source.
 */
function undefinedIfDamaged(error: unknown): undefined {
  if (error instanceof ImagingError && error.kind === "decode") return undefined;
  throw error;
}

/** Reads access points; undefined unless they are in ascending order between the scan's start and end. */
function readPoints(numbers: Numbers, scan: Scan, count: number, end: number): Uint8Array | undefined {
  if (count > numbers.remaining()) return undefined;
  const raw = new Uint8Array(count * accessPointBytes);
  const view = new DataView(raw.buffer);
  let bits = 0;
  const predictors = scan.components.map(() => 0);
  for (let n = 0; n < count; n++) {
    const difference = numbers.next();
    bits += Math.floor(difference / 2);
    if (!(bits >= scan.start * 8 && bits <= end * 8)) return undefined;
    view.setUint32(n * accessPointBytes, bits % 2 ** 32, true);
    view.setUint32(
      n * accessPointBytes + 4,
      Math.floor(bits / 2 ** 32) + (difference % 2) * 0x80000000,
      true,
    );
    for (let i = 0; i < predictors.length; i++) {
      const coded = numbers.next();
      predictors[i]! += coded % 2 ? -(coded + 1) / 2 : coded / 2;
      if (!(Math.abs(predictors[i]!) <= 32768)) return undefined;
      view.setInt16(n * accessPointBytes + 8 + 2 * i, predictors[i]!, true);
    }
  }
  return raw;
}

function soundLevel8(
  frame: Frame,
  level8: readonly Uint8Array[] | undefined,
): readonly Uint8Array[] | undefined {
  const sound =
    level8?.length === frame.components.length &&
    level8.every((plane, i) => {
      const { width, height } = level8Size(frame, i);
      return plane.length === width * height;
    });
  return sound ? level8 : undefined;
}

interface Writer {
  number(value: number): void;
  done(): Uint8Array;
}

/**
 * Returns a writer of whole numbers: 7 bits per byte, lowest first, with the highest bit set if more follow.
 */
function writer(): Writer {
  let bytes = new Uint8Array(4096);
  let used = 0;
  return {
    number(value) {
      if (used + 10 > bytes.length) {
        const larger = new Uint8Array(2 * bytes.length);
        larger.set(bytes);
        bytes = larger;
      }
      let rest = value;
      for (; rest >= 128; rest = Math.floor(rest / 128)) bytes[used++] = (rest % 128) + 128;
      bytes[used++] = rest;
    },
    done: () => bytes.slice(0, used),
  };
}

interface Numbers {
  /** Returns the next number; NaN at the end. */
  next(): number;
  atEnd(): boolean;
  remaining(): number;
}

function reader(bytes: Uint8Array): Numbers {
  let at = 0;
  return {
    next() {
      let value = 0;
      for (let scale = 1; at < bytes.length && scale < 2 ** 56; scale *= 128) {
        const byte = bytes[at++]!;
        value += (byte % 128) * scale;
        if (byte < 128) return value;
      }
      return Number.NaN;
    },
    atEnd: () => at === bytes.length,
    remaining: () => bytes.length - at,
  };
}
