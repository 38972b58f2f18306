// Which blocks of a master are fetched before they are asked for: those behind what is read in sequence, and all of a small one.

import { blockSize } from "./kept-blocks.ts";
import { firstLength } from "./requests.ts";

/** A master of up to this size is fetched whole once more than its beginning is wanted. */
const smallFile = 2 * 2 ** 20;
/** What is read in sequence is read ahead, at first so much, then twice as much each time. */
const leastAhead = 2 ** 20;
const mostAhead = 4 * 2 ** 20;

/** Numbers of blocks from `first` up to `end`. */
export const upTo = (first: number, end: number): number[] =>
  Array.from({ length: Math.max(0, end - first) }, (_, i) => first + i);

export interface ReadAhead {
  /** Notes a read of the blocks `first` to `last`; those that are to come along with them. */
  read(first: number, last: number): readonly number[];
  /** Those to be fetched behind the read that was noted, once its own are on their way. */
  next(): readonly number[];
}

/** The reads of one master of `size` bytes, none of which has come yet. */
export function createReadAhead(size: number): ReadAhead {
  const all = Math.ceil(size / blockSize);
  let lastBlock = -1;
  /** Bytes to be read ahead. */
  let ahead = 0;
  /** Where the blocks that were fetched ahead end. */
  let aheadEnd = 0;
  return {
    read(first, last) {
      // What goes on where the last read ended, and has left the header behind, is likely to go on further.
      const goesOn = first <= lastBlock + 1 && first >= lastBlock && last > lastBlock && lastBlock > 0;
      if (goesOn) ahead = Math.min(Math.max(2 * ahead, leastAhead), mostAhead);
      else if (first !== lastBlock || last !== lastBlock) ahead = aheadEnd = 0;
      lastBlock = last;
      return size <= smallFile && last >= firstLength / blockSize ? upTo(0, all) : [];
    },
    next() {
      // Half of the window is used up before the next is fetched, so that requests stay few.
      const window = ahead / blockSize;
      if (window === 0 || aheadEnd - lastBlock > window / 2) return [];
      aheadEnd = Math.min(all, lastBlock + 1 + window);
      return upTo(lastBlock + 1, aheadEnd);
    },
  };
}
