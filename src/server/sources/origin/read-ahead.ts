// Chooses blocks of a master, or of a file within one, to fetch in advance: those after a sequential read,
// and all blocks of a small one.

import { blockSize } from "./cached-blocks.ts";
import { firstLength } from "./requests.ts";

/** Maximum size of a file that is fetched whole as soon as more than its beginning is read. */
const smallFile = 2 * 2 ** 20;
/**
 * Bytes fetched in advance after the first sequential read; they double with each further one, up to
 * `maxAhead`.
 */
const leastAhead = 2 ** 20;
const maxAhead = 4 * 2 ** 20;

/** Returns the numbers from `first` up to `end`, without `end`. */
export const upTo = (first: number, end: number): number[] =>
  Array.from({ length: Math.max(0, end - first) }, (_, i) => first + i);

export interface ReadAhead {
  /** Records a read of the blocks `first` to `last`; returns the blocks to fetch together with them. */
  read(first: number, last: number): readonly number[];
  /** Returns the blocks to fetch after the recorded read, once its own blocks are being fetched. */
  next(): readonly number[];
}

/** Creates the read-ahead of the file that is the bytes `from` to `to` of a master. */
export function createReadAhead(from: number, to: number): ReadAhead {
  const begin = Math.floor(from / blockSize);
  const all = Math.ceil(to / blockSize);
  let lastBlock = -1;
  /** Bytes to fetch in advance. */
  let ahead = 0;
  /** End of the blocks that were fetched in advance. */
  let aheadEnd = 0;
  return {
    read(first, last) {
      // A read that continues the previous one, beyond the header, is likely to be followed by others.
      const goesOn = first <= lastBlock + 1 && first >= lastBlock && last > lastBlock && lastBlock > begin;
      if (goesOn) ahead = Math.min(Math.max(2 * ahead, leastAhead), maxAhead);
      else if (first !== lastBlock || last !== lastBlock) ahead = aheadEnd = 0;
      lastBlock = last;
      return to - from <= smallFile && last >= begin + firstLength / blockSize ? upTo(begin, all) : [];
    },
    next() {
      // The next blocks are fetched when half of the previous ones are used up, so that there are few
      // requests.
      const window = ahead / blockSize;
      if (window === 0 || aheadEnd - lastBlock > window / 2) return [];
      aheadEnd = Math.min(all, lastBlock + 1 + window);
      return upTo(lastBlock + 1, aheadEnd);
    },
  };
}
