// Directories as bytes, little-endian: TIFF 6.0 section 2, and BigTIFF with its offsets of 8 bytes.

import { concatenate } from "../../../../base/index.ts";
import type { tags } from "../directory/tags.ts";

/** A field of a directory. Values of `rational` are rounded to multiples of {@link rationalStep}. */
export interface Field {
  readonly tag: (typeof tags)[keyof typeof tags];
  /**
   * `sizes`: offsets or counts of bytes, as wide as the offsets of the file. They follow all other values,
   * so that what a reader needs first lies together.
   */
  readonly type: keyof typeof types;
  readonly values: ArrayLike<number>;
}

/** By type: its number, and the bytes of a value, in a classic file and in a BigTIFF. */
const types = {
  short: { classic: [3, 2], big: [3, 2] },
  long: { classic: [4, 4], big: [4, 4] },
  rational: { classic: [5, 8], big: [5, 8] },
  bytes: { classic: [7, 1], big: [7, 1] },
  sizes: { classic: [4, 4], big: [16, 8] },
} as const satisfies Record<
  string,
  Readonly<Record<FileVariant, readonly [number: number, valueBytes: number]>>
>;

export type FileVariant = "classic" | "big";

/** Sizes in bytes: of the count of fields, of a field, of the values that fit inside it, of an offset. */
const layouts = {
  classic: { count: 2, entry: 12, inside: 4, offset: 4 },
  big: { count: 8, entry: 20, inside: 8, offset: 8 },
} as const;

const rationalBase = 10_000;
export const rationalStep = 1 / rationalBase;

/** Bytes that {@link fileHeader} returns, in both variants. */
export const headerBytes = 16;

/**
 * Returns the header of a file whose first directory is at `first`. A classic header has 8 bytes; zeros
 * follow.
 */
export function encodeHeader(first: number, variant: FileVariant): Uint8Array {
  const header = new Uint8Array(headerBytes);
  const view = new DataView(header.buffer);
  view.setUint16(0, 0x4949); // "II": little-endian
  if (variant === "classic") {
    view.setUint16(2, 42, true);
    view.setUint32(4, first, true);
  } else {
    view.setUint16(2, 43, true);
    view.setUint16(4, layouts.big.offset, true);
    view.setBigUint64(8, BigInt(first), true);
  }
  return header;
}

/**
 * Returns a chain of directories for the offset `at` (even) of a file: all directories first, then the values
 * that do not fit into them.
 */
export function encodeDirectories(
  directories: readonly (readonly Field[])[],
  at: number,
  variant: FileVariant,
): Uint8Array {
  const { count, entry, inside, offset } = layouts[variant];
  const size = (fields: readonly Field[]) => count + fields.length * entry + offset;
  const length = directories.reduce((sum, fields) => sum + size(fields), 0);
  const chain = new Uint8Array(length);
  const view = new DataView(chain.buffer);
  const setOffset = (to: number, value: number) => setNumber(view, to, offset, value);
  /** Values that do not fit, and where their offset is written. */
  const distant: { readonly field: Field; readonly bytes: Uint8Array; readonly link: number }[] = [];
  let start = 0;
  for (const [n, unsorted] of directories.entries()) {
    const fields = unsorted.toSorted((a, b) => a.tag - b.tag);
    setNumber(view, start, count, fields.length);
    for (const [i, field] of fields.entries()) {
      const to = start + count + i * entry;
      const bytes = encodeValues(field, variant);
      view.setUint16(to, field.tag, true);
      view.setUint16(to + 2, types[field.type][variant][0], true);
      setNumber(view, to + 4, offset, field.values.length);
      const link = to + 4 + offset;
      if (bytes.length <= inside) chain.set(bytes, link);
      else distant.push({ field, bytes, link });
    }
    start += size(fields);
    setOffset(start - offset, n + 1 < directories.length ? at + start : 0);
  }
  const rankOf = ({ field }: { readonly field: Field }) => Number(field.type === "sizes");
  const parts: Uint8Array[] = [chain];
  let end = at + length;
  for (const { bytes, link } of distant.toSorted((a, b) => rankOf(a) - rankOf(b))) {
    setOffset(link, end);
    parts.push(bytes, new Uint8Array(bytes.length & 1));
    end += bytes.length + (bytes.length & 1);
  }
  return concatenate(parts);
}

/** Returns the values of a field as stored. */
function encodeValues({ type, values }: Field, variant: FileVariant): Uint8Array {
  const [, size] = types[type][variant];
  const bytes = new Uint8Array(values.length * size);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < values.length; i++) {
    if (type === "rational") {
      view.setUint32(i * size, Math.min(0xffffffff, Math.round(values[i]! * rationalBase)), true);
      view.setUint32(i * size + 4, rationalBase, true);
    } else setNumber(view, i * size, size, values[i]!);
  }
  return bytes;
}

function setNumber(view: DataView, at: number, bytes: 1 | 2 | 4 | 8, value: number): void {
  if (bytes === 1) view.setUint8(at, value);
  else if (bytes === 2) view.setUint16(at, value, true);
  else if (bytes === 4) view.setUint32(at, value, true);
  else view.setBigUint64(at, BigInt(value), true);
}
