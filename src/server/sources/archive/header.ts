// One header of the central directory of a ZIP file (APPNOTE.TXT, section 4.3.12), with the extra fields that
// reading needs (4.5.3 and 4.6.9).

import { crc32 } from "../../../base/index.ts";
import { uint64 } from "./end-record.ts";
import { damagedArchiveError } from "./errors.ts";
import { decodeName } from "./names.ts";

/** A header of the directory. Lengths and offsets are in bytes. */
export interface MemberHeader {
  readonly flags: number;
  /** 0: stored, 8: deflated. */
  readonly method: number;
  readonly crc: number;
  /** Length in the archive. */
  readonly packed: number;
  readonly size: number;
  /** Position of its local header. */
  readonly offset: number;
  /** Number of the disk that holds it. */
  readonly disk: number;
  /** Type and permissions, if a Unix system made it; 0 otherwise. */
  readonly mode: number;
  readonly rawName: Uint8Array;
  /** Undefined if its bytes are no text. */
  readonly name: string | undefined;
  /** Position of the next header in the directory. */
  readonly next: number;
}

const signature = 0x02014b50;
const fixedLength = 46;
const maxUint32 = 0xffffffff;

/** Reads the header at a position of a directory. Throws ServiceError `decode` if there is none. */
export function readHeader(directory: Uint8Array, view: DataView, at: number): MemberHeader {
  if (at + fixedLength > directory.length || view.getUint32(at, true) !== signature)
    throw damagedArchiveError("its directory is damaged");
  const nameEnd = at + fixedLength + view.getUint16(at + 28, true);
  const extraEnd = nameEnd + view.getUint16(at + 30, true);
  const next = extraEnd + view.getUint16(at + 32, true);
  if (next > directory.length) throw damagedArchiveError("its directory is damaged");
  const rawName = directory.subarray(at + fixedLength, nameEnd);
  const flags = view.getUint16(at + 8, true);
  const extras = readExtras(view, nameEnd, extraEnd);
  const wide = wideValues(view, extras.get(zip64Field));
  const madeBy = view.getUint8(at + 5);
  return {
    flags,
    method: view.getUint16(at + 10, true),
    crc: view.getUint32(at + 16, true),
    // In this order, in which the wide values follow each other.
    size: wide(view.getUint32(at + 24, true)),
    packed: wide(view.getUint32(at + 20, true)),
    offset: wide(view.getUint32(at + 42, true)),
    disk: view.getUint16(at + 34, true),
    mode: madeBy === 3 || madeBy === 19 ? view.getUint16(at + 40, true) : 0,
    rawName,
    name: decodeName(rawName, flags, unicodeName(directory, view, rawName, extras.get(unicodeField))),
    next,
  };
}

const zip64Field = 0x0001;
const unicodeField = 0x7075;

interface Span {
  readonly at: number;
  readonly end: number;
}

/** Returns the extra fields by their ids; a field that is cut is none. */
function readExtras(view: DataView, start: number, end: number): ReadonlyMap<number, Span> {
  const fields = new Map<number, Span>();
  for (let at = start; at + 4 <= end; ) {
    const fieldEnd = at + 4 + view.getUint16(at + 2, true);
    if (fieldEnd > end) break;
    fields.set(view.getUint16(at, true), { at: at + 4, end: fieldEnd });
    at = fieldEnd;
  }
  return fields;
}

/** Returns a function that replaces each value that does not fit into 32 bits by the next one of ZIP64. */
function wideValues(view: DataView, field: Span | undefined): (value: number) => number {
  let at = field?.at ?? 0;
  return (value) => {
    if (value !== maxUint32 || !field) return value;
    if (at + 8 > field.end) throw damagedArchiveError("its directory is damaged");
    at += 8;
    return uint64(view, at - 8);
  };
}

/** Returns the name in UTF-8, if its field belongs to the name of the header. */
function unicodeName(
  directory: Uint8Array,
  view: DataView,
  rawName: Uint8Array,
  field: Span | undefined,
): Uint8Array | undefined {
  if (!field || field.end - field.at < 5 || view.getUint8(field.at) !== 1) return undefined;
  if (view.getUint32(field.at + 1, true) !== crc32(rawName)) return undefined;
  return directory.subarray(field.at + 5, field.end);
}
