// Extents of members in their archive. Members that overlap are a sign of an attack: a small archive would
// have an immense content (CVE-2019-13232).

/** Positions of members' local headers, and the first bytes that they cannot have any more at least. */
export interface Extents {
  /** Number of members. */
  count: number;
  readonly offsets: Float64Array;
  /** In the order of `offsets`, each greater than the one of its member. */
  readonly ends: Float64Array;
}

/** Returns no extents, with room for some. */
export const createExtents = (room: number): Extents => ({
  count: 0,
  offsets: new Float64Array(room),
  ends: new Float64Array(room),
});

/**
 * Returns the positions of members in ascending order, with the position after the last one; undefined if two
 * of them overlap. Changes the order of `offsets` and `ends`.
 */
export function separate({ count, offsets, ends }: Extents, end: number): Float64Array | undefined {
  // Numbers are sorted quickly where objects would block for a second. Extents are separate if as many of
  // them end before each one as begin before it.
  const begins = offsets.subarray(0, count).sort();
  const stops = ends.subarray(0, count).sort();
  if (count > 0 && (stops[count - 1] as number) > end) return undefined;
  for (let i = 1; i < count; i++) if ((stops[i - 1] as number) > (begins[i] as number)) return undefined;
  const separated = new Float64Array(count + 1);
  separated.set(begins);
  separated[count] = end;
  return separated;
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
