// Interface of sources, from which masters are read. Nothing is ever written to them, since they belong to
// the operator.

import type { ByteRange, ByteSource, Counts, Finding, TraceContext } from "../../base/index.ts";

/** Counters of a source. */
export const sourceCounts = ["opens", "notFound", "errors", "reads", "bytes"] as const;

export type SourceCounts = Counts<(typeof sourceCounts)[number]>;

/** A file by its resolved absolute path, with facts that prove that it is still the checked one. */
export interface MasterFile {
  readonly path: string;
  readonly size: number;
  /** File number, if the runtime has it. */
  readonly id?: string;
  /** The part of the file that is the master; absent if that is the whole file. */
  readonly section?: ByteRange;
}

/** An opened master. `close` is called once, when the request has finished with it. */
export interface SourceImage {
  readonly bytes: ByteSource;
  /**
   * Validator of the bytes, different whenever they change: size, modification time and file number, or an
   * entity tag.
   */
  readonly validator: string;
  readonly modified?: Date;
  /** True if its bytes are on another machine, so that a read may take long. */
  readonly remote?: true;
  /** The file and its required facts, if a worker can open the same bytes itself. */
  readonly file?: MasterFile;
  /** True if the bytes no longer match the validator; absent if reading itself detects that. */
  hasChanged?(): Promise<boolean>;
  close(): Promise<void>;
}

export interface SourceEntry {
  readonly name: string;
  readonly kind: "image" | "directory" | "other";
  /** Validator that `open` would return for this file, if the listing has it. */
  readonly validator?: string;
}

export interface Source {
  readonly name: string;
  readonly backend: "filesystem" | "http" | "s3" | "sample";
  /**
   * Prefix of the identifiers that belong to this source; it is removed before `open` gets the key. "": the
   * default source.
   */
  readonly prefix: string;
  /** Type and root, URL or bucket, as part of the keys of cached bytes. Contains no secret. */
  readonly fingerprint: string;
  readonly counts: SourceCounts;
  /** Returns the form of a key that all its spellings share; absent if each key has one spelling. */
  keyOf?(key: string): string;
  /**
   * Opens a master; returns undefined if it does not exist. Throws ServiceError `source` if that cannot be
   * determined, `bad-request` for a key that no file may have. `trace`: passed on to the origin.
   */
  open(key: string, signal?: AbortSignal, trace?: TraceContext): Promise<SourceImage | undefined>;
  /** Drops the remembered facts of a key, which turned out to have changed. */
  forget?(key: string): void;
  /**
   * Stops the use and storage of all bytes read so far of a key, or of all keys, also by readers that have it
   * open. The caller empties the slot with the bytes.
   */
  purge?(key?: string): void;
  /**
   * Lists a directory, "" for the top; returns undefined if it does not exist. `enough` is called during a
   * long listing, and ends it early by returning true, with the entries found so far. `validators`: true to
   * include those of files if available, even if each file has to be checked.
   */
  list?(
    prefix: string,
    enough?: () => boolean,
    validators?: boolean,
  ): Promise<readonly SourceEntry[] | undefined>;
  /**
   * Returns whether there is a file or folder of a key; absent if that costs more than a look at a disk.
   * Follows links.
   */
  has?(key: string): Promise<boolean>;
  /**
   * Returns a text that differs whenever the names in a folder, or the bytes of a file, have changed. Returns
   * undefined if nothing exists, and for two seconds after a change: file systems have coarse clocks, so
   * further changes might be missed. Follows links.
   */
  stateOf?(key: string): Promise<string | undefined>;
  /**
   * True if the source did not respond recently, so that it is not asked about masters that can be served
   * without it.
   */
  isAway?(): boolean;
  /** Returns what is wrong with the archive of a key; nothing for any other key. Throws as `list` does. */
  findingsOf?(key: string): Promise<readonly Finding[]>;
  /**
   * Itself for keys of archives and below them, which it can list although it can list no folders; absent if
   * it can list all that it has.
   */
  readonly inArchives?: Source;
  /** Resolves if the source can be used; throws the reason otherwise, in words for the operator. */
  check(): Promise<void>;
}
