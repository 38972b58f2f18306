// The cross-reference table of a PDF: positions of objects, from tables and streams, of the file and all its
// updates (ISO 32000-2, section 7.5).

import { type ByteSource, ImagingError, type NativeZlib } from "../../../../base/index.ts";
import { damagedPdf } from "../../damaged.ts";
import { pause } from "../pause.ts";
import { isWord, Scanner } from "../syntax/scanner.ts";
import { arrayOf, countOf, type PdfDictionary } from "../syntax/values.ts";
import { decodeStream } from "./filters.ts";
import { readObject } from "./object.ts";

/** Bytes at the end of a file that contain the offset of the table; more if something follows it. */
const tails = [1024, 64 * 1024] as const;
/** Bytes that are read of a section first, and of a trailer at most. */
const sectionBytes = 16 * 1024;
/** Objects of a file, and sections of its table: one for each update. */
const [maxObjects, maxSections] = [500_000, 500];
/** Entries of all sections together. */
const maxEntries = 4 * maxObjects;
/** Bytes of all sections together, and of the contents of one in a stream. */
const [maxTableBytes, maxStreamBytes] = [32 * 2 ** 20, 16 * 2 ** 20];
/** Entries that are read without a pause. */
const together = 10_000;
const entryBytes = 20;
/** Bytes in which the header begins; offsets count from it. */
const maxFront = 1024;

/** Where each object is. */
export interface ObjectTable {
  /** Offset of the header in the file, from which all other offsets count. */
  readonly start: number;
  readonly trailer: PdfDictionary;
  /** Returns undefined for an object that does not exist. */
  find(object: number): ObjectLocation | undefined;
  /** Number of the highest object, plus 1. */
  readonly size: number;
  /** Bytes of the table in memory. */
  readonly weight: number;
}

/** An object by itself in the file, or one of an object stream by its index there. */
export type ObjectLocation =
  | { readonly offset: number }
  | { readonly stream: number; readonly index: number };

/** A file whose table is being read. */
interface TableSource {
  readonly bytes: ByteSource & { readonly size: number };
  readonly zlib: NativeZlib | undefined;
  /** Bytes that all sections together may still take. */
  left: number;
  /** Entries that they may still have, and those since the latest pause. */
  entries: number;
  unpaused: number;
}

/**
 * Reads the table. Throws ImagingError `decode` if it is damaged, and `unsupported` if the length of the
 * source is unknown, the file is encrypted, or there are too many objects.
 */
export async function readObjectTable(bytes: ByteSource, zlib: NativeZlib | undefined): Promise<ObjectTable> {
  const { size } = bytes;
  if (size === undefined)
    throw new ImagingError("unsupported", "Expected a PDF file of known length, received one without.");
  const start = Math.max(0, findPdfHeader(await bytes.read(0, Math.min(size, maxFront))));
  const read: ByteSource["read"] = (offset, length) => bytes.read(start + offset, length);
  const sized = { size: size - start, read };
  const source: TableSource = { bytes: sized, zlib, left: maxTableBytes, entries: maxEntries, unpaused: 0 };
  const entries = new Entries();
  let trailer: PdfDictionary | undefined;
  const seen = new Set<number>();
  const waiting = [await findStart(source)];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (seen.has(at)) continue;
    if (seen.size === maxSections) throw tooLarge(`${maxSections} updates`);
    seen.add(at);
    const section = await readSection(source, at, entries);
    trailer ??= section;
    const previous = countOf(section.get("Prev"));
    if (previous !== undefined) waiting.push(previous);
  }
  if (!trailer) throw damagedPdf("a cross-reference table", "none");
  if (trailer.has("Encrypt"))
    throw new ImagingError(
      "unsupported",
      "This PDF file is encrypted. Remove the encryption with `qpdf --decrypt IN.pdf OUT.pdf`.",
      { code: "encrypted_pdf" },
    );
  return { ...entries.table(trailer), start };
}

/** Returns the offset of "%PDF-" in the first bytes of a file, as other readers look for it; or -1. */
export const findPdfHeader = (head: Uint8Array): number =>
  new TextDecoder("latin1").decode(head.subarray(0, maxFront)).indexOf("%PDF-");

const tooLarge = (limit: string) =>
  new ImagingError("unsupported", `Expected a PDF file of at most ${limit}, received one of more.`);

function spend(source: TableSource, bytes: number): void {
  source.left -= bytes;
  if (source.left < 0) throw tooLarge(`${maxTableBytes} bytes of cross-reference tables`);
}

/** Counts entries that were read. */
async function countEntries(source: TableSource, count: number): Promise<void> {
  source.entries -= count;
  if (source.entries < 0) throw tooLarge(`${maxEntries} entries of cross-reference tables`);
  source.unpaused += count;
  if (source.unpaused < together) return;
  source.unpaused = 0;
  await pause();
}

async function findStart({ bytes }: TableSource): Promise<number> {
  for (const length of tails) {
    const from = Math.max(0, bytes.size - length);
    const tail = new TextDecoder("latin1").decode(await bytes.read(from, bytes.size - from));
    const last = tail.slice(Math.max(0, tail.lastIndexOf("startxref")));
    const offset = /^startxref\s+(\d{1,15})(?!\d)/.exec(last)?.[1];
    if (offset !== undefined) return Number(offset);
  }
  throw damagedPdf("`startxref` near the end", "none");
}

/** Adds the entries of a section that are not known yet, and returns its trailer. */
async function readSection(source: TableSource, at: number, entries: Entries): Promise<PdfDictionary> {
  const cursor = new Cursor(source, at);
  const word = new Scanner(await cursor.peek(sectionBytes)).next();
  const isTable = word !== undefined && isWord(word) && word.word === "xref";
  if (!isTable) return readStream(source, at, entries);
  const freed: number[] = [];
  const trailer = await readTable(cursor, entries, freed);
  // Objects that a stream alone lists are free in the table, for older readers (section 7.5.8.4).
  const hidden = countOf(trailer.get("XRefStm"));
  if (hidden !== undefined) await readStream(source, hidden, entries);
  for (const object of freed) entries.add(object, undefined);
  return trailer;
}

/** Reads a section in order. */
class Cursor {
  readonly source: TableSource;
  #data: Uint8Array = new Uint8Array();
  #at: number;

  constructor(source: TableSource, at: number) {
    this.source = source;
    this.#at = at;
  }

  /** Returns the next `length` bytes or more, fewer only at the end of the file. */
  async peek(length: number): Promise<Uint8Array> {
    if (this.#data.length >= length) return this.#data;
    const { bytes } = this.source;
    if (this.#at < 0 || this.#at >= bytes.size)
      throw damagedPdf("a cross-reference table inside of the file", `one at offset ${this.#at}`);
    const wanted = Math.min(Math.max(length, sectionBytes), bytes.size - this.#at);
    if (wanted > this.#data.length) {
      spend(this.source, wanted);
      this.#data = await bytes.read(this.#at, wanted);
    }
    return this.#data;
  }

  skip(length: number): void {
    this.#data = this.#data.subarray(length);
    this.#at += length;
  }
}

/** Reads subsections of entries of 20 bytes, then the trailer (section 7.5.4). */
async function readTable(cursor: Cursor, entries: Entries, freed: number[]): Promise<PdfDictionary> {
  for (;;) {
    const scanner = new Scanner(await cursor.peek(64));
    let item = scanner.next();
    if (item !== undefined && isWord(item) && item.word === "xref") item = scanner.next();
    if (item !== undefined && isWord(item)) {
      if (item.word !== "trailer") throw damagedPdf("`trailer` after the entries", "another word");
      const trailer = new Scanner(await cursor.peek(sectionBytes), scanner.at).next();
      if (trailer instanceof Map) return trailer;
      throw damagedPdf("a trailer of at most 16 KiB", "none");
    }
    const count = scanner.next();
    scanner.skipWhite();
    cursor.skip(scanner.at);
    const [first, length] = [
      countOf(item),
      count !== undefined && isWord(count) ? undefined : countOf(count),
    ];
    if (first === undefined || length === undefined)
      throw damagedPdf("the number of entries in the cross-reference table", "none");
    await readEntries(cursor, first, length, (object, offset) => {
      if (offset === undefined) freed.push(object);
      else entries.add(object, { offset });
    });
  }
}

/** Takes an object with its offset, or a free one. */
type TakeEntry = (object: number, offset: number | undefined) => void;

async function readEntries(cursor: Cursor, first: number, count: number, take: TakeEntry): Promise<void> {
  if (first + count > maxObjects) throw tooLarge(`${maxObjects} objects`);
  for (let done = 0; done < count; done += together) {
    const length = Math.min(count - done, together);
    const data = await cursor.peek(length * entryBytes);
    if (data.length < length * entryBytes)
      throw damagedPdf("all entries of the cross-reference table", "fewer");
    for (let i = 0; i < length; i++) take(first + done + i, offsetAt(data, i * entryBytes));
    cursor.skip(length * entryBytes);
    await countEntries(cursor.source, length);
  }
}

const [inUse, free] = ["n".charCodeAt(0), "f".charCodeAt(0)];

/** Reads an entry: ten digits, a space, five digits, a space and the kind. undefined: it is free. */
function offsetAt(data: Uint8Array, at: number): number | undefined {
  const kind = data[at + 17];
  if (kind !== inUse && kind !== free)
    throw damagedPdf("entries of 20 bytes in the cross-reference table", "others");
  let offset = 0;
  for (let i = at; i < at + 10; i++) offset = offset * 10 + (data[i]! - 48);
  return kind === inUse && offset > 0 ? offset : undefined;
}

/** Reads a section in a stream, whose dictionary is the trailer too (section 7.5.8). */
async function readStream(source: TableSource, at: number, entries: Entries): Promise<PdfDictionary> {
  const { value, data } = await readObject(source.bytes, at);
  if (!(value instanceof Map) || !data)
    throw damagedPdf("a cross-reference table or stream", "something else");
  const length = countOf(value.get("Length")) ?? 0;
  spend(source, length);
  const coded = await source.bytes.read(data, length);
  const contents = await decodeStream(value, coded, maxStreamBytes, source.zlib);
  spend(source, contents?.length ?? 0);
  const widths = arrayOf(value.get("W"))?.map((width) => countOf(width) ?? 0) ?? [];
  const [kind = 0, second = 0, third = 0] = widths;
  const row = kind + second + third;
  if (!contents || row === 0 || Math.max(kind, second, third) > 8)
    throw damagedPdf("a cross-reference stream with entries of three fields", "another");
  const index = arrayOf(value.get("Index")) ?? [0, countOf(value.get("Size")) ?? 0];
  let from = 0;
  for (let pair = 0; pair + 1 < index.length; pair += 2) {
    const object = countOf(index[pair]) ?? 0;
    const count = Math.min(countOf(index[pair + 1]) ?? 0, Math.floor((contents.length - from) / row));
    for (let done = 0; done < count; done += together) {
      const length = Math.min(count - done, together);
      for (let i = done; i < done + length; i++, from += row)
        entries.add(object + i, fieldsAt(contents, from, widths));
      await countEntries(source, length);
    }
  }
  return value;
}

function fieldsAt(data: Uint8Array, at: number, [first = 0, second = 0, third = 0]: readonly number[]) {
  const kind = first === 0 ? 1 : integerAt(data, at, first);
  const middle = integerAt(data, at + first, second);
  if (kind === 1) return middle > 0 ? { offset: middle } : undefined;
  return kind === 2 ? { stream: middle, index: integerAt(data, at + first + second, third) } : undefined;
}

function integerAt(data: Uint8Array, at: number, width: number): number {
  let value = 0;
  for (let i = at; i < at + width; i++) value = value * 256 + data[i]!;
  return Number.isSafeInteger(value) ? value : 0;
}

/** The entries of all sections. The first one that is added for an object counts: sections go backwards. */
class Entries {
  /** Offset of an object plus 1, or the negative number of its object stream; -Infinity: free, 0: unknown. */
  #positions = new Float64Array(1024);
  #indexes = new Int32Array(1024);
  #size = 0;

  add(object: number, location: ObjectLocation | undefined): void {
    if (object >= maxObjects) throw tooLarge(`${maxObjects} objects`);
    if (object >= this.#positions.length) this.#grow(object + 1);
    if (this.#positions[object] !== 0) return;
    this.#size = Math.max(this.#size, object + 1);
    if (!location) this.#positions[object] = Number.NEGATIVE_INFINITY;
    else if ("offset" in location) this.#positions[object] = location.offset + 1;
    else {
      this.#positions[object] = -Math.max(1, location.stream);
      this.#indexes[object] = location.index;
    }
  }

  #grow(size: number): void {
    const length = Math.min(maxObjects, Math.max(size, 2 * this.#positions.length));
    const [positions, indexes] = [new Float64Array(length), new Int32Array(length)];
    positions.set(this.#positions);
    indexes.set(this.#indexes);
    [this.#positions, this.#indexes] = [positions, indexes];
  }

  table(trailer: PdfDictionary): Omit<ObjectTable, "start"> {
    const [size, positions, indexes] = [this.#size, this.#positions, this.#indexes];
    return {
      trailer,
      size,
      weight: 12 * positions.length + 1024,
      find(object) {
        const position = object < size ? positions[object]! : 0;
        if (position > 0) return { offset: position - 1 };
        if (position === 0 || position === Number.NEGATIVE_INFINITY) return undefined;
        return { stream: -position, index: indexes[object]! };
      },
    };
  }
}
