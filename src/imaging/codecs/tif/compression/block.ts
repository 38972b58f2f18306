// A strip or tile as stored in the file, and how its bytes are read.

import type { NativeZlib } from "../../../../base/index.ts";
import type { TiffModule } from "./module.ts";

/** One strip or tile as stored, and the part of it that is needed. */
export interface StoredBlock {
  readonly data: Uint8Array;
  /** Pixels of a row. */
  readonly width: number;
  /** Total bytes that are needed: whole rows from the top. */
  readonly length: number;
  /** Total bytes of the block. */
  readonly whole: number;
  /** T4Options or T6Options, if the compression has them. */
  readonly options: number;
}

/** What decompressing a block may use. */
export interface BlockTools {
  readonly zlib: NativeZlib | undefined;
  readonly module: TiffModule;
  /** Address of the memory that the compression needs in the module. */
  readonly memory: number;
}

/** A strip or tile that is decompressed from the top as it is read. */
export interface BlockReader {
  /**
   * Fills `into`, a whole number of rows, with the next bytes. Throws ImagingError `decode` if there are
   * fewer.
   */
  read(into: Uint8Array): void | Promise<void>;
  /** True if rows, or parts of rows, could not be read so far and were filled. */
  readonly incomplete?: boolean;
  /** Releases held memory, if any. */
  close?(): void;
}
