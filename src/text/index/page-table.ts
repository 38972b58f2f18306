// Blocks of pages in the order of their keys, front-coded.
//
// A block: where the words of its first page are in the file `words`, then its pages.
// A page: bytes shared with the key before; the other bytes of the key with their number; the number of its
// words; the bytes that it takes in the file `words`.

import type { ByteRange } from "../../base/index.ts";
import { BlockFileWriter, type Blocks, entryBlockBytes, type FileDirectory } from "./block-files.ts";
import { maxKeyLength, type PageBlock } from "./head.ts";
import { LostBlock } from "./lost-block.ts";
import { ByteReader, ByteWriter, sharedLength, termBytes, termText } from "./varints.ts";

export interface PageEntry {
  readonly key: string;
  readonly words: number;
  /** Where the file `words` says which words have not exactly one unit. */
  readonly wordMap: ByteRange;
}

/** Writes pages in ascending order of their keys. */
export class PageTableWriter {
  readonly #file: BlockFileWriter;
  readonly #block = new ByteWriter(entryBlockBytes + 1024);
  readonly pageBlocks: PageBlock[] = [];
  pages = 0;
  words = 0;
  lastKey = "";
  #before: Uint8Array = new Uint8Array();
  #mapBytes = 0;

  constructor(blocks: Blocks, segment: string) {
    this.#file = new BlockFileWriter(blocks, segment, "pages");
  }

  /** Throws RangeError if the key is too long or not above the one before. */
  add(key: string, words: number, mapBytes: number): void {
    if (key.length > maxKeyLength)
      throw new RangeError(
        `Expected the key of a page in at most ${maxKeyLength} characters; got ${key.length}.`,
      );
    if (this.pages > 0 && key <= this.lastKey)
      throw new RangeError(`Expected pages in the order of their keys; got ${key} after ${this.lastKey}.`);
    const bytes = termBytes(key);
    if (this.#block.length === 0) {
      this.pageBlocks.push({ firstPage: this.pages, firstKey: key });
      this.#block.varint(this.#mapBytes);
      this.#before = new Uint8Array();
    }
    const shared = sharedLength(this.#before, bytes);
    this.#block.varint(shared);
    this.#block.varint(bytes.length - shared);
    this.#block.bytes(bytes.subarray(shared));
    this.#block.varint(words);
    this.#block.varint(mapBytes);
    this.#before = bytes;
    this.#mapBytes += mapBytes;
    this.lastKey = key;
    this.pages++;
    this.words += words;
  }

  /** Writes the block if it is full. */
  async flush(): Promise<void> {
    if (this.#block.length >= entryBlockBytes) await this.#endBlock();
  }

  async #endBlock(): Promise<void> {
    const block = this.#block.writtenBytes().slice();
    this.#block.clear();
    await this.#file.push(block);
  }

  async finish(): Promise<FileDirectory> {
    if (this.#block.length > 0) await this.#endBlock();
    return this.#file.directory();
  }
}

/** Returns the pages of a block, of which there are `count`. */
export function pagesOfBlock(block: Uint8Array, count: number): PageEntry[] {
  const reader = new ByteReader(block);
  const key = new Uint8Array(maxKeyLength * 3);
  let keyLength = 0;
  let offset = reader.varint();
  if (count > reader.left) throw new LostBlock();
  return Array.from({ length: count }, () => {
    const shared = reader.varint(keyLength);
    const added = reader.take(reader.varint(key.length - shared));
    key.set(added, shared);
    keyLength = shared + added.length;
    const words = reader.varint();
    const length = reader.varint();
    offset += length;
    return { key: termText(key, keyLength), words, wordMap: { offset: offset - length, length } };
  });
}
