// Decides which segments are merged: eight of one size into one of the next, as in a log-structured merge
// tree, so that a source has few segments and each word is written few times.

import type { SegmentInfo } from "./segment-writer.ts";

/** Segments that are merged into one. */
export const fold = 8;

/** Words of a segment that is merged no further, about. */
export const maxMergedWords = 2_000_000;

/** Words of the smallest size. Each size is `fold` times the one before. */
const smallestWords = maxMergedWords / fold ** 3;

export type MergeInput = Pick<SegmentInfo, "name" | "className" | "words">;

/** Names of segments that are to be merged into one, in their order. */
export interface MergePlan {
  readonly className: string;
  readonly inputs: readonly string[];
}

/** Returns the size of a segment: 0 for the smallest. */
const sizeOf = (words: number): number => {
  let size = 0;
  for (let bound = smallestWords; words >= bound && bound < maxMergedWords; bound *= fold) size++;
  return size;
};

/**
 * Returns merges of segments, of which each is in at most one. Segments keep their order, which is best that
 * of their pages. The same list has the same plans. What the merges make may be ready to be merged again.
 */
export function planMerges(segments: readonly MergeInput[]): MergePlan[] {
  const groups = new Map<string, MergeInput[]>();
  const plans: MergePlan[] = [];
  for (const segment of segments) {
    if (segment.words > maxMergedWords / 2) continue;
    const key = `${sizeOf(segment.words)} ${segment.className}`;
    const group = groups.get(key) ?? [];
    group.push(segment);
    groups.set(key, group);
    const words = group.reduce((sum, one) => sum + one.words, 0);
    if (group.length < fold && words <= maxMergedWords) continue;
    // The segment that exceeds the bound begins the next group.
    const rest = words > maxMergedWords ? [group.pop()!] : [];
    plans.push({ className: segment.className, inputs: group.map(({ name }) => name) });
    groups.set(key, rest);
  }
  return plans;
}
