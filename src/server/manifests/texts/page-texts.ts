// Reads the text of pages from their files: long files in a worker, each file once.

import {
  createAskedWorkers,
  createLru,
  createSemaphore,
  createSingleFlight,
  ImagingError,
  type Platform,
  readAll,
  ServiceError,
  type TextQuestion,
} from "../../../base/index.ts";
import {
  decodeRecords,
  encodeRecords,
  type FileRecords,
  type PageText,
  pageOfRecords,
  readRecords,
  recordOf,
  recordVersion,
  soundRecords,
  TextFileError,
  textBounds,
  tooLargeText,
  weightOfRecords,
} from "../../../text/index.ts";
import { hash, masterName } from "../../images/cache-keys.ts";
import type { SourceImage } from "../../sources/source.ts";
import type { Slot } from "../../stores/slot.ts";
import type { ReadOwnText } from "./own-text.ts";
import type { TextFile } from "./text-files.ts";

export interface PageTexts {
  /** Bytes of the largest file that is read; servers that read more find other texts. */
  readonly maxBytes: number;
  /** Returns the validator of a file, which is opened for it; undefined if it is gone. */
  versionOf(file: TextFile): Promise<string | undefined>;
  /**
   * Returns the text of a page: that of the first of its files that holds any. Undefined if none does.
   * Throws TextFileError if the last of them cannot be read, `busy` if too many wait, and what sources throw.
   */
  read(files: readonly TextFile[]): Promise<PageText | undefined>;
  /**
   * Returns the record of a page as `read` finds it, or none if none of its files can be read, and the
   * validators of the files that were opened: the first with a text, and those before it. Throws `busy` and
   * what sources throw.
   */
  readRecord(files: readonly TextFile[]): Promise<PageRecord>;
  /**
   * Returns the bytes of the first of files that has text in markup, and its format; undefined if none has.
   * Throws like `read`.
   */
  readFile(files: readonly TextFile[]): Promise<TextBytes | undefined>;
  /** Ends the workers. */
  close(): void;
}

export interface PageRecord {
  readonly record?: Uint8Array | undefined;
  /** Undefined for a file that is gone. */
  readonly validators: readonly (string | undefined)[];
}

export interface TextBytes {
  readonly format: "alto" | "page" | "hocr";
  readonly bytes: Uint8Array;
}

/** Bytes of records that are cached. */
const cacheBytes = 16 * 2 ** 20;
/** Bytes of a file that is read without a worker: two milliseconds. */
const maxBytesInPlace = 64 * 1024;
/** Bytes of a file that is read on a runtime without workers: a tenth of a second. */
const maxBytesWithoutWorkers = 4 * 2 ** 20;
/** Maximum number of files in memory. */
const maxAtOnce = 2;
/** Maximum number of files that wait. */
const maxWaiting = 200;
/** Milliseconds for a worker to read a file. */
const readMs = 120_000;

/**
 * Creates a reader. The first long file starts the worker; what was read is in `slot` too, so that neither a
 * restart nor another server reads it again. Without `readOwn`, the text in images counts as missing.
 */
export function createPageTexts(
  { startWorker }: Pick<Platform, "startWorker">,
  slot: Pick<Slot, "get" | "put">,
  readOwn?: ReadOwnText,
): PageTexts {
  const workers =
    startWorker &&
    createAskedWorkers<TextQuestion, FileRecords>({
      start: () => startWorker("text-thread"),
      work: "reads the text of pages",
      replyMs: readMs,
    });
  const gate = createSemaphore(maxAtOnce, maxWaiting);
  const cache = createLru<string, FileRecords>(cacheBytes);
  const flights = createSingleFlight<FileRecords>();

  const parse = (name: string, bytes: Uint8Array): Promise<FileRecords> => {
    if (!workers) return readRecords(bytes, name, maxBytesWithoutWorkers);
    if (bytes.length <= maxBytesInPlace) return readRecords(bytes, name);
    return workers.ask({ of: "pages", name, bytes }).catch((cause: unknown) => {
      throw notReadYetError(name, cause);
    });
  };

  const store = (file: TextFile, validator: string, found: FileRecords) =>
    cache.set(nameOf(file, validator), found, weightOfRecords(found) + file.location.key.length);

  /** Returns what a version of a file holds, if it has been read before. */
  const findKnown = async (file: TextFile, validator: string): Promise<FileRecords | undefined> => {
    const cached = cache.get(nameOf(file, validator));
    if (cached) return cached;
    const stored = await slot.get(masterName(file.location), await variantOf(file, validator));
    const found = stored && decodeRecords(stored);
    if (found) store(file, validator, found);
    return found;
  };

  /** Reads what a version of a file holds. */
  const readVersion = async (
    file: TextFile,
    validator: string,
    make: () => Promise<FileRecords>,
  ): Promise<FileRecords> => {
    const known = await findKnown(file, validator);
    if (known) return known;
    const made = await gate.run(make).catch(failureOf);
    const bytes = encodeRecords(made);
    if (bytes) slot.put(masterName(file.location), await variantOf(file, validator), bytes);
    store(file, validator, made);
    return made;
  };

  /** Opens a file; `use` gets its validator, and a function that reads its bytes. */
  const withFile = async <T>(
    { location: { source, key }, name }: TextFile,
    use: (validator: string, read: () => Promise<Uint8Array>, image: SourceImage) => Promise<T>,
  ): Promise<T | undefined> => {
    // Several requests may wait for what the first one reads.
    const opened = await source.open(key);
    if (!opened) return undefined;
    try {
      const read = () =>
        readAll(opened.bytes, textBounds.bytes).catch((error: unknown) => {
          const isTooLarge = error instanceof ImagingError && error.code === "source_too_large";
          throw isTooLarge ? tooLargeText({ name, bounds: textBounds }, "bytes", "bytes") : error;
        });
      return await use(opened.validator, read, opened);
    } finally {
      await opened.close();
    }
  };

  const isRead = (file: TextFile) => !file.isImage || readOwn !== undefined;

  const records = async (file: TextFile) =>
    isRead(file)
      ? withFile(file, async (validator, read, image) => {
          const make = file.isImage
            ? () => readOwn!(file, image)
            : async () => parse(file.name, await read());
          const run = () => readVersion(file, validator, make);
          return { validator, found: await flights.run(nameOf(file, validator), run) };
        })
      : undefined;

  /** Returns what a file holds. The listed version is not opened again if it has been read before. */
  const contentOf = async (file: TextFile): Promise<FileRecords | undefined> => {
    if (!isRead(file)) return undefined;
    const { validator } = file;
    const known = validator === undefined ? undefined : await findKnown(file, validator);
    return known ?? (await records(file))?.found;
  };

  return {
    maxBytes: workers ? textBounds.bytes : maxBytesWithoutWorkers,
    versionOf: (file) => withFile(file, async (validator) => validator),
    read: (files) =>
      firstOf(files, async (file) => {
        const content = await contentOf(file);
        return content && pageOfRecords(content, file.page);
      }),
    async readRecord(files) {
      const validators: (string | undefined)[] = [];
      for (const file of files) {
        const opened = await records(file);
        validators.push(opened?.validator);
        const record = opened?.found && !("failure" in opened.found) && recordOf(opened.found, file.page);
        if (record) return { record, validators };
      }
      return { validators };
    },
    readFile: (files) =>
      firstOf(files, (file) =>
        withFile(file, async (_, read) => {
          const found = await records(file);
          if (!found) return undefined;
          const { format } = soundRecords(found.found);
          if (format === "plain" || format === "other") return undefined;
          return { format, bytes: await gate.run(read) };
        }),
      ),
    close: () => workers?.close(),
  };
}

/** Returns the first result of any file. Throws the last TextFileError if there is none. */
async function firstOf<T>(
  files: readonly TextFile[],
  read: (file: TextFile) => Promise<T | undefined>,
): Promise<T | undefined> {
  let failure: TextFileError | undefined;
  for (const file of files) {
    try {
      const found = await read(file);
      if (found !== undefined) return found;
    } catch (error) {
      if (!(error instanceof TextFileError)) throw error;
      failure = error;
    }
  }
  if (failure) throw failure;
  return undefined;
}

const nameOf = ({ location: { source, key }, isImage, page }: TextFile, validator: string) =>
  JSON.stringify([source.fingerprint, key, validator, ...(isImage ? [page] : [])]);

const variantOf = async (file: TextFile, validator: string) =>
  `records.${await hash([recordVersion, nameOf(file, validator)])}`;

function failureOf(error: unknown): FileRecords {
  if (!(error instanceof TextFileError)) throw error;
  return { failure: { code: error.code, message: error.message } };
}

const notReadYetError = (name: string, cause: unknown) =>
  new ServiceError(
    "busy",
    `The text file ${name} could not be read in time. Try again in a minute; its operator can split it into one file for each page.`,
    { cause },
  );
