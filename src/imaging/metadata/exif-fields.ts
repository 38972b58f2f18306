// EXIF as directories of fields: taken apart, and laid out again for another container (TIFF 6.0, section 2;
// EXIF 2.32, 4.6).

import { concatenate } from "../../base/index.ts";

/** A field with its value in the byte order of its file, or the directory that it points to. */
export interface ExifField {
  readonly tag: number;
  readonly type: number;
  readonly value: Uint8Array;
  readonly fields?: readonly ExifField[];
}

export interface ExifFields {
  readonly little: boolean;
  /** Fields of the first directory. The second one, a thumbnail, is left out. */
  readonly fields: readonly ExifField[];
}

/** By type, the bytes of one value and of the numbers in it, whose byte order differs (TIFF 6.0, page 15). */
export const fieldTypes: Readonly<Record<number, { readonly size: number; readonly unit: number }>> = {
  1: { size: 1, unit: 1 },
  2: { size: 1, unit: 1 },
  3: { size: 2, unit: 2 },
  4: { size: 4, unit: 4 },
  5: { size: 8, unit: 4 },
  6: { size: 1, unit: 1 },
  7: { size: 1, unit: 1 },
  8: { size: 2, unit: 2 },
  9: { size: 4, unit: 4 },
  10: { size: 8, unit: 4 },
  11: { size: 4, unit: 4 },
  12: { size: 8, unit: 8 },
};
const long = 4;

/** The directories that fields point to, by directory. */
const pointers = {
  first: { 34665: "exif", 34853: "gps" },
  exif: { 40965: "interoperability" },
  gps: {},
  interoperability: {},
} as const satisfies Record<string, Readonly<Record<number, string>>>;

export type ExifDirectory = keyof typeof pointers;

/** The directory that a field of another points to. */
export function directoryOfPointer(directory: ExifDirectory, tag: number): ExifDirectory | undefined {
  return (pointers[directory] as Readonly<Record<number, ExifDirectory>>)[tag];
}

/** Fields of the first directory that describe the picture, and not how it is stored. */
export const descriptive: ReadonlySet<number> = new Set([
  269, // DocumentName
  270, // ImageDescription
  271, // Make
  272, // Model
  285, // PageName
  305, // Software
  306, // DateTime
  315, // Artist
  316, // HostComputer
  0x4746, // Rating
  0x4749, // RatingPercent
  33432, // Copyright
  ...[0x9c9b, 0x9c9c, 0x9c9d, 0x9c9e, 0x9c9f], // XPTitle, XPComment, XPAuthor, XPKeywords, XPSubject
]);

const makerNote = 0x927c;
const entrySize = 12;

/** Returns the fields of a block; undefined if it has no TIFF header. Damaged fields are left out. */
export function readExifFields(block: Uint8Array): ExifFields | undefined {
  const view = new DataView(block.buffer, block.byteOffset, block.length);
  if (view.byteLength < 8) return undefined;
  const little = view.getUint16(0) === 0x4949;
  if ((!little && view.getUint16(0) !== 0x4d4d) || view.getUint16(2, little) !== 42) return undefined;
  let left = block.length; // fields may share bytes, so together they could be many times as long

  const read = (at: number, directory: ExifDirectory): ExifField[] => {
    const found: ExifField[] = [];
    const seen = new Set<number>();
    if (at + 2 > block.length) return found;
    const count = Math.min(view.getUint16(at, little), Math.floor((block.length - at - 2) / entrySize));
    for (let i = 0; i < count; i++) {
      const entry = at + 2 + i * entrySize;
      const tag = view.getUint16(entry, little);
      const type = view.getUint16(entry + 2, little);
      if (seen.has(tag)) continue;
      seen.add(tag);
      const target = directoryOfPointer(directory, tag);
      if (target) {
        const fields = read(view.getUint32(entry + 8, little), target);
        if (fields.length > 0) found.push({ tag, type: long, value: new Uint8Array(), fields });
        continue;
      }
      const length = view.getUint32(entry + 4, little) * (fieldTypes[type]?.size ?? 0);
      const start = length <= 4 ? entry + 8 : view.getUint32(entry + 8, little);
      if (length === 0 || length > left || start + length > block.length) continue;
      left -= length;
      found.push({ tag, type, value: block.subarray(start, start + length) });
    }
    return found;
  };
  return { little, fields: read(view.getUint32(4, little), "first") };
}

/** Returns a block with these fields; undefined if there are none. */
export function exifBlock({ little, fields }: ExifFields): Uint8Array | undefined {
  if (fields.length === 0) return undefined;
  const header = little ? [0x49, 0x49, 42, 0, 8, 0, 0, 0] : [0x4d, 0x4d, 0, 42, 0, 0, 0, 8];
  return concatenate([header, directoryBytes(fields, 8, little)]);
}

/** Returns the block without its largest and least useful parts: the thumbnail and the maker notes. */
export function shortenedExif(block: Uint8Array): Uint8Array | undefined {
  const read = readExifFields(block);
  const removeMakerNotes = (fields: readonly ExifField[]): ExifField[] =>
    fields
      .filter(({ tag }) => tag !== makerNote)
      .map((field) => (field.fields ? { ...field, fields: removeMakerNotes(field.fields) } : field));
  return read && exifBlock({ ...read, fields: removeMakerNotes(read.fields) });
}

/** Fields in the other byte order. */
export function swapBytes(fields: readonly ExifField[]): ExifField[] {
  return fields.map((field) => {
    if (field.fields) return { ...field, fields: swapBytes(field.fields) };
    const unit = fieldTypes[field.type]?.unit ?? 1;
    const value = field.value.slice();
    for (let at = 0; unit > 1 && at + unit <= value.length; at += unit)
      value.subarray(at, at + unit).reverse();
    return { ...field, value };
  });
}

/**
 * Returns a directory with its values and the directories below it, for the offset `at` (even) of a file.
 * `entries`: fields that already are in a directory of that file, 12 bytes each.
 */
export function directoryBytes(
  fields: readonly ExifField[],
  at: number,
  little: boolean,
  entries: readonly Uint8Array[] = [],
): Uint8Array {
  const count = fields.length + entries.length;
  const head = new Uint8Array(2 + count * entrySize + 4);
  const parts: Uint8Array[] = [head];
  let end = at + head.length;
  const append = (bytes: Uint8Array): number => {
    const start = end;
    parts.push(bytes, new Uint8Array(bytes.length & 1));
    end += bytes.length + (bytes.length & 1);
    return start;
  };
  const entryOf = ({ tag, type, value, fields: below }: ExifField): Uint8Array => {
    const entry = new Uint8Array(entrySize);
    const view = new DataView(entry.buffer);
    view.setUint16(0, tag, little);
    view.setUint16(2, type, little);
    view.setUint32(4, below ? 1 : value.length / (fieldTypes[type]?.size ?? 1), little);
    if (below) view.setUint32(8, append(directoryBytes(below, end, little)), little);
    else if (value.length <= 4) entry.set(value, 8);
    else view.setUint32(8, append(value), little);
    return entry;
  };
  const tagOf = (entry: Uint8Array) => new DataView(entry.buffer, entry.byteOffset).getUint16(0, little);
  const all = [...entries, ...fields.map(entryOf)].sort((a, b) => tagOf(a) - tagOf(b));
  new DataView(head.buffer).setUint16(0, count, little);
  for (const [i, entry] of all.entries()) head.set(entry, 2 + i * entrySize);
  return concatenate(parts);
}
