// Which word of a page a position belongs to. Most words have one unit; the map holds the others: the words
// skipped since the last one, and the number of units.

import { LostBlock } from "./lost-block.ts";
import { ByteReader, type ByteWriter } from "./varints.ts";

/** Appends the map of a page; `firstPositions` holds the first position of each word, then their number. */
export function writeWordMap(writer: ByteWriter, firstPositions: readonly number[]): void {
  let skipped = 0;
  for (let word = 0; word < firstPositions.length - 1; word++) {
    const units = firstPositions[word + 1]! - firstPositions[word]!;
    if (units === 1) {
      skipped++;
      continue;
    }
    writer.varint(skipped);
    writer.varint(units);
    skipped = 0;
  }
}

/** Returns the words of ascending positions; throws LostBlock if the map has more than `words`. */
export function wordsOfPositions(map: Uint8Array, words: number, positions: readonly number[]): number[] {
  const reader = new ByteReader(map);
  /** The word after the last one that the map names. */
  let word = 0;
  /** First position of `word`. */
  let position = 0;
  /** The next word that the map names. */
  let named = -1;
  let units = 0;
  const advance = () => {
    named = reader.left > 0 ? word + reader.varint(words) : words;
    units = reader.left > 0 ? reader.varint() : 0;
    if (named > words) throw new LostBlock();
  };
  advance();
  return positions.map((wanted) => {
    while (named < words && wanted >= position + (named - word) + units) {
      position += named - word + units;
      word = named + 1;
      advance();
    }
    const found = Math.min(named, word + wanted - position);
    if (found >= words) throw new LostBlock();
    return found;
  });
}
