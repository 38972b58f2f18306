// A strip or tile as the file stores it, and how its bytes are read.

/** One strip or tile as stored, and what is wanted of it. */
export interface Stored {
  readonly data: Uint8Array;
  /** Pixels of a row. */
  readonly width: number;
  /** Bytes that are wanted in all: whole rows from the top. */
  readonly length: number;
  /** T4Options or T6Options, where the compression has them. */
  readonly options: number;
}

/** A strip or tile that is decompressed as it is read, from the top. */
export interface BlockReader {
  /** Fills `into`, a whole number of rows, with the bytes that follow. Throws ImagingError `decode` when there are fewer. */
  read(into: Uint8Array): void | Promise<void>;
  /** Whether something else stands for rows, or parts of rows, that could not be read until now. */
  readonly incomplete?: boolean;
  /** Gives up what is held, where something is. */
  close?(): void;
}
