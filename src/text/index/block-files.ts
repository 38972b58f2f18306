// A segment consists of five files of blocks, and a head that says what is in them. A block is one value of
// the store, so that a reader fetches no more than it needs.

import { crc32 } from "../../base/index.ts";
import { rulesVersion } from "./fold.ts";
import { ByteWriter } from "./varints.ts";

/**
 * Values under keys. A value that was written may be gone at any time. Rejects if the store does not work.
 */
export interface Blocks {
  read(key: string): Promise<Uint8Array | undefined>;
  write(key: string, bytes: Uint8Array): Promise<void>;
  /** Removes what is no longer needed; missing if the store itself makes room. */
  remove?(key: string): Promise<void>;
}

/**
 * The files: names of terms, pages of each term, positions of each term, names of pages, words of each page.
 */
export const fileKinds = ["terms", "postings", "positions", "pages", "words"] as const;
export type FileKind = (typeof fileKinds)[number];

/** Version of the bytes of blocks. */
export const formatVersion = 1;

/** Bytes of a block of a file that is cut anywhere. */
export const blockBytes = 65_536;

/** Bytes after which a block of entries ends. */
export const entryBlockBytes = 32_768;

/** A file of one block up to this size is part of the head, so that a small segment is one value. */
const maxInlineBytes = 8192;

const prefixOf = (segment: string) => `words-${formatVersion}.${rulesVersion}/${segment}`;

/** Returns the key of the head of a segment. */
export const headKey = (segment: string): string => `${prefixOf(segment)}/head`;

/** Returns the key of block `index` of a file. */
export const blockKey = (segment: string, kind: FileKind, index: number): string =>
  `${prefixOf(segment)}/${kind}-${index}`;

/** What a head holds of a file. */
export interface FileDirectory {
  /** Checksums of the blocks that are values of their own. */
  readonly checksums: readonly number[];
  /** The only block, if it is part of the head. */
  readonly inline?: Uint8Array;
}

/** Writes the blocks of one file. */
export class BlockFileWriter {
  readonly #blocks: Blocks;
  readonly #segment: string;
  readonly #kind: FileKind;
  readonly #checksums: number[] = [];
  #first: Uint8Array | undefined;

  constructor(blocks: Blocks, segment: string, kind: FileKind) {
    this.#blocks = blocks;
    this.#segment = segment;
    this.#kind = kind;
  }

  /**
   * Writes a block, of which it keeps no reference after its promise has resolved, the first one excepted.
   */
  async push(block: Uint8Array): Promise<void> {
    if (this.#checksums.length === 0 && !this.#first && block.length <= maxInlineBytes) {
      this.#first = block;
      return;
    }
    await this.#writeFirst();
    await this.#write(block);
  }

  async #writeFirst(): Promise<void> {
    const first = this.#first;
    this.#first = undefined;
    if (first) await this.#write(first);
  }

  async #write(block: Uint8Array): Promise<void> {
    const index = this.#checksums.push(crc32(block)) - 1;
    await this.#blocks.write(blockKey(this.#segment, this.#kind, index), block);
  }

  /** Returns what the head has to say about the file. */
  directory(): FileDirectory {
    return { checksums: this.#checksums, ...(this.#first && { inline: this.#first }) };
  }
}

/** Writes bytes one after another into blocks of equal size. */
export class StreamWriter {
  readonly #file: BlockFileWriter;
  readonly #buffer = new ByteWriter(blockBytes * 2);
  #blocksBefore = 0;

  constructor(blocks: Blocks, segment: string, kind: FileKind) {
    this.#file = new BlockFileWriter(blocks, segment, kind);
  }

  /** Bytes so far. */
  get length(): number {
    return this.#blocksBefore * blockBytes + this.#buffer.length;
  }

  /** True if there is a block to write. */
  get isFull(): boolean {
    return this.#buffer.length >= blockBytes;
  }

  append(bytes: Uint8Array): void {
    this.#buffer.bytes(bytes);
  }

  /** Writes all blocks that are complete. */
  async flush(): Promise<void> {
    if (!this.isFull) return;
    const bytes = this.#buffer.writtenBytes().slice();
    this.#buffer.clear();
    let start = 0;
    for (; bytes.length - start >= blockBytes; start += blockBytes) {
      await this.#file.push(bytes.slice(start, start + blockBytes));
      this.#blocksBefore++;
    }
    this.#buffer.bytes(bytes.subarray(start));
  }

  /** Writes the rest, and returns what the head has to say about the file. */
  async finish(): Promise<FileDirectory> {
    await this.flush();
    if (this.#buffer.length > 0) await this.#file.push(this.#buffer.writtenBytes().slice());
    return this.#file.directory();
  }
}
