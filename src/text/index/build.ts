// Builds a segment of pages. Occurrences are collected up to a bound of memory, sorted and written as a run:
// a segment of its own. The runs are then merged.

import type { PageText } from "../page-text.ts";
import type { Blocks } from "./block-files.ts";
import type { Lost } from "./lost-block.ts";
import { mergeSegments, removeSegment } from "./merge.ts";
import { type SegmentInfo, SegmentWriter } from "./segment-writer.ts";
import { createCutter, type PageTokens, tokensOf } from "./tokens.ts";
import { ByteWriter } from "./varints.ts";
import { writeWordMap } from "./word-map.ts";

/** A page to index. */
export interface IndexedPage {
  /** Name of the page, unique in the segment; at most 4096 code units. */
  readonly key: string;
  readonly text: PageText;
}

export interface BuildOptions {
  /** Name of the segment; equal names must stand for equal pages, as a digest of them does. */
  readonly name: string;
  /** Name of the access class of all the pages. */
  readonly className: string;
  /** Bounds of a run. They decide which spelling of a term is kept, and are to be equal on all servers. */
  readonly bounds?: RunBounds;
}

export interface RunBounds {
  /** Occurrences, of which each takes 16 bytes. */
  readonly occurrences: number;
  /** Distinct terms, of which each takes about 200 bytes. */
  readonly terms: number;
}

const usualBounds: RunBounds = { occurrences: 1_000_000, terms: 120_000 };

/** Runs that are merged in one step. */
const maxRuns = 16;

/**
 * Writes a segment of pages, which have to be sorted by key (by code units); throws RangeError if they are
 * not. Returns `{ lost }` if the store has lost a run before it was merged.
 */
export async function buildSegment(
  blocks: Blocks,
  pages: Iterable<IndexedPage> | AsyncIterable<IndexedPage>,
  { name, className, bounds = usualBounds }: BuildOptions,
): Promise<SegmentInfo | Lost> {
  const cut = createCutter();
  const runs: string[] = [];
  let run = new Run();
  let written = 0;
  for await (const { key, text } of pages) {
    if (run.occurrences >= bounds.occurrences || run.terms >= bounds.terms) {
      runs.push(`${name}/run-${written++}`);
      await run.write(new SegmentWriter(blocks, runs.at(-1)!, className));
      run = new Run();
      if (runs.length === maxRuns) {
        const merged = await mergeRuns(blocks, `${name}/run-${written++}`, runs.splice(0));
        if ("lost" in merged) return merged;
        runs.push(merged.name);
      }
    }
    run.add(key, tokensOf(text, cut));
  }
  if (runs.length === 0) return run.write(new SegmentWriter(blocks, name, className));
  runs.push(`${name}/run-${written}`);
  await run.write(new SegmentWriter(blocks, runs.at(-1)!, className));
  return mergeRuns(blocks, name, runs);
}

async function mergeRuns(blocks: Blocks, name: string, runs: readonly string[]): Promise<SegmentInfo | Lost> {
  const merged = await mergeSegments(blocks, name, runs);
  for (const run of runs) await removeSegment(blocks, run);
  return merged;
}

/** What a run knows of a term. */
interface RunTerm {
  readonly number: number;
  /** The first spelling that was met, how often, and how often each of the others. */
  readonly surface: string;
  count: number;
  others: Map<string, number> | undefined;
}

interface RunPage {
  readonly key: string;
  readonly words: number;
  readonly wordMap: Uint8Array;
  /** Occurrences up to the end of the page. */
  readonly end: number;
}

/** The occurrences of some pages, in memory. */
class Run {
  readonly #terms = new Map<string, RunTerm>();
  readonly #pages: RunPage[] = [];
  #numbers = new Uint32Array(65_536);
  #positions = new Uint32Array(65_536);
  occurrences = 0;

  get terms(): number {
    return this.#terms.size;
  }

  add(key: string, { terms, positions, surfaces, firstPositions }: PageTokens): void {
    this.#reserve(terms.length);
    terms.forEach((term, index) => {
      this.#numbers[this.occurrences] = this.#count(term, surfaces[index] ?? term);
      this.#positions[this.occurrences++] = positions[index]!;
    });
    const wordMap = new ByteWriter(16);
    writeWordMap(wordMap, firstPositions);
    this.#pages.push({
      key,
      words: firstPositions.length - 1,
      wordMap: wordMap.writtenBytes().slice(),
      end: this.occurrences,
    });
  }

  #reserve(count: number): void {
    const needed = this.occurrences + count;
    if (needed <= this.#numbers.length) return;
    const length = Math.max(needed, this.#numbers.length * 2);
    const grow = (values: Uint32Array) => {
      const longer = new Uint32Array(length);
      longer.set(values);
      return longer;
    };
    this.#numbers = grow(this.#numbers);
    this.#positions = grow(this.#positions);
  }

  /** Counts a spelling of a term; returns the term's number. */
  #count(term: string, surface: string): number {
    const known = this.#terms.get(term);
    if (!known) {
      const number = this.#terms.size;
      this.#terms.set(term, { number, surface, count: 1, others: undefined });
      return number;
    }
    if (known.surface === surface) known.count++;
    else {
      known.others ??= new Map();
      known.others.set(surface, (known.others.get(surface) ?? 0) + 1);
    }
    return known.number;
  }

  /** Sorts the occurrences by term, page and position, and writes them. */
  async write(writer: SegmentWriter): Promise<SegmentInfo> {
    for (const { key, words, wordMap } of this.#pages) await writer.addPage(key, words, wordMap);
    const { starts, pages, positions } = this.#sort();
    const bytes = new ByteWriter(256);
    for (const term of [...this.#terms.keys()].sort()) {
      const known = this.#terms.get(term)!;
      let index = starts[known.number]!;
      const end = starts[known.number + 1]!;
      while (index < end) {
        const page = pages[index]!;
        let count = 0;
        let before = -1;
        for (bytes.clear(); index < end && pages[index] === page; index++) {
          const position = positions[index]!;
          // The whole of a divided word may equal one of its parts.
          if (position === before) continue;
          bytes.varint(position - Math.max(before, 0));
          before = position;
          count++;
        }
        writer.addPosting(page, count, bytes.writtenBytes());
        if (writer.isFull) await writer.flush();
      }
      writer.endTerm(term, usualSurface(known));
      if (writer.isFull) await writer.flush();
    }
    return writer.finish();
  }

  /** Returns pages and positions by the numbers of terms, and where those of each term start. */
  #sort() {
    const starts = new Uint32Array(this.#terms.size + 1);
    for (let i = 0; i < this.occurrences; i++) starts[this.#numbers[i]! + 1]!++;
    for (let i = 0; i < this.#terms.size; i++) starts[i + 1]! += starts[i]!;
    const next = starts.slice();
    const pages = new Uint32Array(this.occurrences);
    const positions = new Uint32Array(this.occurrences);
    let index = 0;
    this.#pages.forEach(({ end }, page) => {
      for (; index < end; index++) {
        const at = next[this.#numbers[index]!]!++;
        pages[at] = page;
        positions[at] = this.#positions[index]!;
      }
    });
    return { starts, pages, positions };
  }
}

/** Returns the most frequent spelling; the least one of several. */
function usualSurface({ surface, count, others }: RunTerm): string {
  let chosen = surface;
  let maxCount = count;
  for (const [other, often] of others ?? [])
    if (often > maxCount || (often === maxCount && other < chosen)) {
      chosen = other;
      maxCount = often;
    }
  return chosen;
}
