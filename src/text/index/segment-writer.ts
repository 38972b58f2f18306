// Writes one segment: its pages, then its terms in ascending order, then its head. The same calls write the
// same bytes under the same keys, so that two servers may write a segment simultaneously.

import { type Blocks, headKey, StreamWriter } from "./block-files.ts";
import { DictionaryWriter } from "./dictionary.ts";
import { encodeHead, type SegmentFacts } from "./head.ts";
import { PageTableWriter } from "./page-table.ts";
import { PostingsWriter } from "./postings.ts";
import { plainTerm } from "./tokens.ts";
import { ByteReader } from "./varints.ts";

/** A segment that has been written. */
export interface SegmentInfo extends SegmentFacts {
  readonly name: string;
}

export class SegmentWriter {
  readonly #blocks: Blocks;
  readonly #name: string;
  readonly #className: string;
  readonly #pages: PageTableWriter;
  readonly #wordMaps: StreamWriter;
  readonly #terms: DictionaryWriter;
  readonly #postings: StreamWriter;
  readonly #positions: StreamWriter;
  readonly #list = new PostingsWriter();
  /** The first page of the current term, as long as nothing shows that it occurs again. */
  #once: { readonly page: number; readonly position: number; readonly bytes: Uint8Array } | undefined;

  constructor(blocks: Blocks, name: string, className: string) {
    this.#blocks = blocks;
    this.#name = name;
    this.#className = className;
    this.#pages = new PageTableWriter(blocks, name);
    this.#wordMaps = new StreamWriter(blocks, name, "words");
    this.#terms = new DictionaryWriter(blocks, name);
    this.#postings = new StreamWriter(blocks, name, "postings");
    this.#positions = new StreamWriter(blocks, name, "positions");
  }

  /** Number of pages so far. */
  get pages(): number {
    return this.#pages.pages;
  }

  /** Adds a page with the number of its words. Throws RangeError unless the key is above all before. */
  async addPage(key: string, words: number, wordMap: Uint8Array): Promise<void> {
    this.#pages.add(key, words, wordMap.length);
    this.#wordMaps.append(wordMap);
    await this.#pages.flush();
    await this.#wordMaps.flush();
  }

  /** True if `flush` has something to write. */
  get isFull(): boolean {
    return this.#positions.isFull || this.#postings.isFull || this.#terms.isFull;
  }

  /** Writes the blocks of terms that are complete. */
  async flush(): Promise<void> {
    await this.#positions.flush();
    await this.#postings.flush();
    await this.#terms.flush();
  }

  /** Adds the next page of the current term: how often it occurs on it, and the bytes of the positions. */
  addPosting(page: number, count: number, positions: Uint8Array): void {
    if (this.#list.pages === 0 && !this.#once && count === 1) {
      this.#once = { page, position: new ByteReader(positions).varint(), bytes: positions.slice() };
      return;
    }
    this.#addOnce();
    this.#addToList(page, count, positions);
  }

  #addOnce(): void {
    if (this.#once) this.#addToList(this.#once.page, 1, this.#once.bytes);
    this.#once = undefined;
  }

  #addToList(page: number, count: number, positions: Uint8Array): void {
    this.#list.add(page, count, positions.length);
    this.#positions.append(positions);
  }

  /** Ends the current term, of which the most frequent spelling is `surface`. */
  endTerm(term: string, surface: string): void {
    const plain = plainTerm(term).text;
    if (this.#once) {
      const { page, position } = this.#once;
      this.#terms.add(term, plain, surface, { page, position });
      this.#once = undefined;
      return;
    }
    const { pages, occurrences, positionBytes } = this.#list;
    const parts = this.#list.finish();
    const length = parts[0].length + parts[1].length;
    this.#terms.add(term, plain, surface, {
      pages,
      occurrences,
      postings: { offset: this.#postings.length, length },
      positions: { offset: this.#positions.length - positionBytes, length: positionBytes },
    });
    for (const part of parts) this.#postings.append(part);
    this.#list.clear();
  }

  /** Writes everything that is left, the head last. */
  async finish(): Promise<SegmentInfo> {
    const files = {
      pages: await this.#pages.finish(),
      words: await this.#wordMaps.finish(),
      postings: await this.#postings.finish(),
      positions: await this.#positions.finish(),
      terms: await this.#terms.finish(),
    };
    const facts = {
      className: this.#className,
      pages: this.#pages.pages,
      words: this.#pages.words,
      terms: this.#terms.terms,
    };
    const head = encodeHead({
      ...facts,
      firstTerms: this.#terms.firstTerms,
      pageBlocks: this.#pages.pageBlocks,
      lastKey: this.#pages.lastKey,
      lengths: {
        postings: this.#postings.length,
        positions: this.#positions.length,
        words: this.#wordMaps.length,
      },
      files,
    });
    await this.#blocks.write(headKey(this.#name), head);
    return { name: this.#name, ...facts };
  }
}
