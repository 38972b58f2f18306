// Where masters are read. Sources belong to the operator: nothing is ever written to them.

import type { ByteSource } from "../imaging/lib/byte-source.ts";
import type { Counts } from "../lib/telemetry/count.ts";
import type { TraceContext } from "../lib/telemetry/trace-context.ts";

/** What a source counts. */
export const sourceCounts = ["opens", "notFound", "errors", "reads", "bytes"] as const;

export type SourceCounts = Counts<(typeof sourceCounts)[number]>;

/** A file by its absolute path, all links resolved, with what tells that it is still the one that was checked. */
export interface MasterFile {
  readonly path: string;
  readonly size: number;
  /** File number, where the runtime tells. */
  readonly id?: string;
}

/** An opened master. `close` is called once, when the request is done with it. */
export interface SourceImage {
  readonly bytes: ByteSource;
  /** Changes when the bytes change: size, modification time and file number, or an entity tag. */
  readonly validator: string;
  readonly modified?: Date;
  /** Its bytes are on another machine, so that a read may take long. */
  readonly remote?: true;
  /** Where a worker can open the same bytes by itself, and what it has to find there. */
  readonly file?: MasterFile;
  /** Whether the bytes are others now than those that the validator stands for; missing where reading itself finds that out. */
  changed?(): Promise<boolean>;
  close(): Promise<void>;
}

export interface SourceEntry {
  readonly name: string;
  readonly kind: "image" | "directory" | "other";
  /** What `open` would find as the validator of this file, where the listing says it. */
  readonly validator?: string;
}

export interface Source {
  readonly name: string;
  readonly backend: "filesystem" | "http" | "s3" | "sample";
  /** Identifiers that begin with it belong to this source; it is taken off before `open` sees the key. "": the default source. */
  readonly prefix: string;
  /** Type and root, url or bucket: part of what cached bytes depend on. Holds no secret. */
  readonly fingerprint: string;
  readonly counts: SourceCounts;
  /** undefined: not there. Throws ServiceError `source` when it cannot be told, `bad-request` for a key that no file may have. `trace`: handed on to its origin. */
  open(key: string, signal?: AbortSignal, trace?: TraceContext): Promise<SourceImage | undefined>;
  /** What is remembered of a key no longer counts: it turned out to have changed. */
  forget?(key: string): void;
  /**
   * Nothing that was read until now of a key, or of all, is used or kept any more, also by those who have it open; where bytes are
   * kept, their slot is emptied by the caller.
   */
  purge?(key?: string): void;
  /**
   * Entries of a directory, "" being the top; undefined where there is none. `enough` is asked while a long listing is read and
   * ends it early: the entries are then those that came so far. `validators`: with those of files where they can be had, also
   * where they cost a look at each file.
   */
  list?(
    prefix: string,
    enough?: () => boolean,
    validators?: boolean,
  ): Promise<readonly SourceEntry[] | undefined>;
  /**
   * Another text whenever the names in a folder, or the bytes of a file, have changed. Undefined where
   * nothing is, and for two seconds after a change: further changes might not show, since clocks of file
   * systems are coarse. Follows links, and says nothing but this.
   */
  stateOf?(key: string): Promise<string | undefined>;
  /** Whether it did not answer lately and is not asked for now about what can be served without it. */
  isAway?(): boolean;
  /** Resolves when the source can be used; throws with the reason, in words for the operator. */
  check(): Promise<void>;
}
