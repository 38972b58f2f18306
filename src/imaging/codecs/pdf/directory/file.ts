// A PDF file whose objects are read by ranges, as they are needed. Its table and what was read of it stay in
// memory.

import {
  type ByteSource,
  createLru,
  ImagingError,
  type Lru,
  type NativeZlib,
} from "../../../../base/index.ts";
import { damagedPdf } from "../../damaged.ts";
import { pause } from "../pause.ts";
import { isWord, Scanner } from "../syntax/scanner.ts";
import {
  arrayOf,
  countOf,
  dictionaryOf,
  isReference,
  type PdfDictionary,
  type PdfValue,
} from "../syntax/values.ts";
import { decodeStream } from "./filters.ts";
import { type PdfObject, parseStored, readObject } from "./object.ts";
import { type ObjectLocation, type ObjectTable, readObjectTable } from "./object-table.ts";

/** Bytes of tables, and of objects and object streams, that stay in memory. */
const [tableBytes, objectBytes] = [16 * 2 ** 20, 16 * 2 ** 20];
/** Objects that one page may take: to find it, and all that it refers to. */
const maxObjects = 20_000;
/** Bytes of these objects, and of the contents of streams. */
const maxBytes = 32 * 2 ** 20;
/** Bytes of an object stream, as stored and inflated. */
const maxObjectStream = 2 * 2 ** 20;
/** Objects of an object stream; writers put some hundreds into one. */
const maxStoredObjects = 100_000;
/** Bytes that are parsed without a pause, and those that finding an object counts as. */
const [unpaused, findingBytes] = [128 * 1024, 64];
/** Failures that stay in memory. */
const maxFailures = 4096;
/** Filters of a stream that are looked at. */
const maxFilters = 8;
/** References to references that are followed. */
const maxChain = 8;

/** Memory that files share. */
export interface PdfCaches {
  readonly tables: Lru<string, ObjectTable>;
  readonly objects: Lru<string, FoundObject | StoredObjects>;
  /** Errors of files by their version, and of pages by that and their number: not parsed again. */
  readonly failures: Lru<string, ImagingError>;
}

/** An object, with the object stream that it is in. */
interface FoundObject extends PdfObject {
  readonly container?: { readonly object: number; readonly length: number };
}

/** The contents of an object stream. */
interface StoredObjects {
  readonly contents: Uint8Array;
  /** Numbers and offsets of its objects, in order. */
  readonly numbers: Int32Array;
  readonly offsets: Int32Array;
}

export const createPdfCaches = (): PdfCaches => ({
  tables: createLru(tableBytes),
  objects: createLru(objectBytes),
  failures: createLru(maxFailures),
});

/**
 * Runs `work` on a file or a page of this name, or throws the error of the file itself with which it has
 * failed before. Without a name, nothing is remembered.
 */
export async function unlessFailed<T>(
  failures: PdfCaches["failures"],
  name: string | undefined,
  work: () => Promise<T>,
): Promise<T> {
  const known = name === undefined ? undefined : failures.get(name);
  if (known) throw known;
  try {
    return await work();
  } catch (error) {
    const isOfFile = error instanceof ImagingError && ["decode", "unsupported"].includes(error.kind);
    if (isOfFile && name !== undefined) failures.set(name, error, 1);
    throw error;
  }
}

/** A stream of a file. */
export interface PdfStream {
  /** Its length, filters and their parameters are no references. */
  readonly dictionary: PdfDictionary;
  /** In the whole file. */
  readonly offset: number;
  /** Bytes as stored, not beyond the end of the file. */
  readonly length: number;
  /** The file ends before the stream does. */
  readonly isCut: boolean;
}

export interface PdfFile {
  readonly table: ObjectTable;
  /** Allows the objects of another page. */
  renew(): void;
  /** Returns the value that a reference leads to, null if there is none, or else the value itself. */
  resolve(value: PdfValue | undefined): Promise<PdfValue>;
  /** Returns undefined if a value does not lead to a dictionary or a stream. */
  dictionary(value: PdfValue | undefined): Promise<PdfDictionary | undefined>;
  /** Returns undefined if a value does not lead to a stream in this file. */
  stream(value: PdfValue | undefined): Promise<PdfStream | undefined>;
  /** As `decodeStream`; also undefined if more than `limit` bytes are stored. */
  contents(stream: PdfStream, limit: number): Promise<Uint8Array | undefined>;
}

/**
 * Opens a file to read one page. `version` identifies its bytes: what is read of it stays in memory under it.
 * Throws as `readObjectTable` does.
 */
export async function openPdf(
  bytes: ByteSource,
  zlib: NativeZlib | undefined,
  caches: PdfCaches,
  version: string | undefined,
): Promise<PdfFile> {
  const { tables, objects, failures } = version === undefined ? createPdfCaches() : caches;
  const name = version ?? "";
  const known = tables.get(name);
  const table = known ?? (await unlessFailed(failures, version, () => readObjectTable(bytes, zlib)));
  if (!known) tables.set(name, table, table.weight);
  const { start } = table;
  const read: ByteSource["read"] = (offset, length) => bytes.read(start + offset, length);
  return new OpenPdf({ bytes: { size: (bytes.size ?? 0) - start, read }, zlib, table, objects, name });
}

interface Parts {
  readonly bytes: Pick<ByteSource, "read"> & { readonly size: number };
  readonly zlib: NativeZlib | undefined;
  readonly table: ObjectTable;
  readonly objects: PdfCaches["objects"];
  readonly name: string;
  /** Objects in object streams are not read: this is one itself. */
  readonly isObjectStream?: boolean;
}

class OpenPdf implements PdfFile {
  readonly #parts: Parts;
  #left = { objects: maxObjects, bytes: maxBytes };
  /** Object streams that the page has been charged for. */
  readonly #charged = new Set<number>();
  #unpaused = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  renew(): void {
    this.#left = { objects: maxObjects, bytes: maxBytes };
    this.#charged.clear();
  }

  #spend(objects: number, bytes: number): void {
    this.#left.objects -= objects;
    this.#left.bytes -= bytes;
    if (this.#left.objects < 0 || this.#left.bytes < 0)
      throw new ImagingError(
        "unsupported",
        `Expected a page of at most ${maxObjects} objects and ${maxBytes} bytes of them, received a larger one.`,
      );
  }

  /** Charges for an object, and once for its object stream: the same whether they were in memory or not. */
  async #charge({ length, container }: FoundObject): Promise<void> {
    this.#spend(1, length);
    if (container && !this.#charged.has(container.object)) {
      this.#charged.add(container.object);
      this.#spend(1, container.length);
    }
    this.#unpaused += findingBytes + length;
    if (this.#unpaused < unpaused) return;
    this.#unpaused = 0;
    await pause();
  }

  get table(): ObjectTable {
    return this.#parts.table;
  }

  async resolve(value: PdfValue | undefined): Promise<PdfValue> {
    return (await this.#follow(value)).value;
  }

  async dictionary(value: PdfValue | undefined): Promise<PdfDictionary | undefined> {
    return dictionaryOf(await this.resolve(value));
  }

  async stream(value: PdfValue | undefined): Promise<PdfStream | undefined> {
    const object = await this.#follow(value);
    const found = dictionaryOf(object.value);
    // Data in another file (section 7.3.8.2) are not read.
    if (!found || object.data === undefined || found.has("F")) return undefined;
    const dictionary = await this.#resolveEntries(found);
    const stated = countOf(dictionary.get("Length"));
    if (stated === undefined) throw damagedPdf("the length of a stream", "none");
    const length = Math.min(stated, Math.max(0, this.#parts.bytes.size - object.data));
    const offset = this.table.start + object.data;
    return { dictionary, offset, length, isCut: length < stated };
  }

  async contents({ dictionary, offset, length }: PdfStream, limit: number): Promise<Uint8Array | undefined> {
    if (length > limit) return undefined;
    const { bytes, zlib } = this.#parts;
    const contents = await decodeStream(
      dictionary,
      await bytes.read(offset - this.table.start, length),
      limit,
      zlib,
    );
    this.#spend(0, contents?.length ?? limit);
    return contents;
  }

  /** Resolves the entries that say how a stream is stored, and the elements of those that are arrays. */
  async #resolveEntries(dictionary: PdfDictionary): Promise<PdfDictionary> {
    const resolved = new Map(dictionary);
    for (const key of ["Filter", "DecodeParms", "Length"]) {
      const value = dictionary.get(key);
      if (value === undefined) continue;
      const result = await this.resolve(value);
      const elements = arrayOf(result)?.slice(0, maxFilters);
      resolved.set(key, elements ? await Promise.all(elements.map((each) => this.resolve(each))) : result);
    }
    return resolved;
  }

  async #follow(value: PdfValue | undefined): Promise<Pick<PdfObject, "value" | "data">> {
    let found: Pick<PdfObject, "value" | "data"> = { value: value ?? null };
    for (let i = 0; isReference(found.value); i++) {
      if (i === maxChain) throw damagedPdf(`at most ${maxChain} references in a row`, "more");
      found = await this.#object(found.value.object);
    }
    return found;
  }

  async #object(number: number): Promise<Pick<PdfObject, "value" | "data">> {
    const { table, objects, name } = this.#parts;
    const location = table.find(number);
    if (!location) return { value: null };
    const key = `${name} ${number}`;
    const known = objects.get(key);
    const found = known && "value" in known ? known : await this.#read(number, location);
    if (found !== known) objects.set(key, found, objectWeight(found.length));
    await this.#charge(found);
    return found;
  }

  async #read(number: number, location: ObjectLocation): Promise<FoundObject> {
    if ("offset" in location) {
      const read = await readObject(this.#parts.bytes, location.offset);
      if (read.object !== number) throw damagedPdf(`object ${number} where the table says`, `${read.object}`);
      return read;
    }
    const { contents, numbers, offsets } = await this.#objectStream(location.stream);
    const at = numbers[location.index] === number ? location.index : numbers.indexOf(number);
    const container = { object: location.stream, length: contents.length };
    return at < 0
      ? { value: null, length: 0, container }
      : { ...parseStored(contents, offsets[at]!), container };
  }

  async #objectStream(number: number): Promise<StoredObjects> {
    const { table, objects, name } = this.#parts;
    const key = `${name} ${number}`;
    const known = objects.get(`${key} stream`);
    if (known && "contents" in known) return known;
    const location = table.find(number);
    // An object stream is in no other one (section 7.5.7).
    const { isObjectStream } = this.#parts;
    if (!location || "stream" in location || isObjectStream)
      throw damagedPdf(`the object stream ${number}`, "none");
    // Its objects are charged for it; nor may its length be in an object stream.
    const file = new OpenPdf({ ...this.#parts, isObjectStream: true });
    const stream = await file.stream({ object: number });
    const contents = stream && (await file.contents(stream, maxObjectStream));
    await pause();
    const first = countOf(stream?.dictionary.get("First"));
    const count = countOf(stream?.dictionary.get("N"));
    if (!contents || first === undefined || count === undefined || count > maxStoredObjects)
      throw damagedPdf(`the object stream ${number}`, "something else");
    const stored = openStored(contents, first, count);
    objects.set(`${key} stream`, stored, contents.length + 8 * count + 256);
    return stored;
  }
}

/** Values take more memory than their syntax: a reference of 6 bytes takes about 50. */
const objectWeight = (length: number) => 256 + 10 * length;

function openStored(contents: Uint8Array, first: number, count: number): StoredObjects {
  const scanner = new Scanner(contents);
  const [numbers, offsets] = [new Int32Array(count), new Int32Array(count)];
  for (let i = 0; i < count; i++) {
    const [number, offset] = [scanner.next(), scanner.next()];
    if (number === undefined || offset === undefined || isWord(number) || isWord(offset))
      throw damagedPdf("the numbers of the objects in an object stream", "fewer");
    [numbers[i], offsets[i]] = [countOf(number) ?? 0, first + (countOf(offset) ?? contents.length)];
  }
  // A space ends the last value.
  const ended = new Uint8Array(contents.length + 1).fill(32, contents.length);
  ended.set(contents);
  return { contents: ended, numbers, offsets };
}
