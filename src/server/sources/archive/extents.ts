// Extents of members in their archive. Members that overlap are a sign of an attack: a small archive would
// have an immense content (CVE-2019-13232).

/** Position of a member's local header, and the first byte that it cannot have any more at least. */
export interface Extent {
  readonly offset: number;
  readonly end: number;
}

/**
 * Returns the positions of members in ascending order, with the position after the last one; undefined if two
 * of them overlap.
 */
export function separate(extents: readonly Extent[], end: number): Float64Array | undefined {
  const isOrdered = extents.every(({ offset }, i) => i === 0 || offset >= extents[i - 1]!.offset);
  const ordered = isOrdered ? extents : [...extents].sort((a, b) => a.offset - b.offset);
  const offsets = new Float64Array(ordered.length + 1);
  let before = 0;
  for (const [i, extent] of ordered.entries()) {
    if (extent.offset < before) return undefined;
    before = extent.end;
    offsets[i] = extent.offset;
  }
  if (before > end) return undefined;
  offsets[ordered.length] = end;
  return offsets;
}

/** Returns the position of what follows the member at `offset`. */
export function nextAfter(offsets: Float64Array, offset: number): number {
  let [low, high] = [0, offsets.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((offsets[middle] as number) <= offset) low = middle + 1;
    else high = middle;
  }
  return offsets[low] as number;
}
