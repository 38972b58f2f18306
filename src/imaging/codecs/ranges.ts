// Reads ranges of a file together, merging neighbours.

import type { ByteRange, ByteSource } from "../../base/index.ts";

/** Bytes of the longest merged range. */
const max = 1 << 20;

/** Merges ranges that touch or are at most `gap` bytes apart. */
export function joinRanges(ranges: readonly ByteRange[], gap: number): ByteRange[] {
  const isSorted = ranges.every(({ offset }, i) => i === 0 || ranges[i - 1]!.offset <= offset);
  const sorted = isSorted ? ranges : [...ranges].sort((a, b) => a.offset - b.offset);
  const result: { offset: number; length: number }[] = [];
  for (const { offset, length } of sorted) {
    const last = result.at(-1);
    const end = offset + length;
    if (last && offset <= last.offset + last.length + gap && end - last.offset <= max)
      last.length = Math.max(last.length, end - last.offset);
    else result.push({ offset, length });
  }
  return result;
}

/** Reads bytes of the file; fewer only at its end. */
export type ReadRange = (offset: number, length: number) => Promise<Uint8Array>;

/** Source of ranges. */
export interface RangeSource {
  readonly read: ReadRange;
  readonly borrow: ByteSource["borrow"];
  /** Gap in bytes up to which ranges are merged. */
  readonly gap: number;
}

/**
 * Reads all ranges concurrently, close neighbours as one. Returns the result of `use`, which must neither
 * wait nor keep their bytes.
 */
export async function withRanges<T>(
  ranges: readonly ByteRange[],
  { read, borrow, gap }: RangeSource,
  use: (read: ReadRanges) => T,
): Promise<T> {
  const wanted = joinRanges(ranges, gap);
  const lent = wanted.length > 0 ? borrow?.(wanted) : [];
  const parts = lent ?? (await Promise.all(wanted.map(({ offset, length }) => read(offset, length))));
  return use(new ReadRanges(wanted, parts));
}

/** Maximum number of bytes that are copied one by one. */
const fewBytes = 64;

/** The bytes of ranges that were read together with their neighbours. */
export class ReadRanges {
  readonly #ranges: readonly ByteRange[];
  readonly #parts: readonly Uint8Array[];
  /** Index of the part with the last requested range: requests are usually in file order. */
  #last = 0;

  constructor(ranges: readonly ByteRange[], parts: readonly Uint8Array[]) {
    this.#ranges = ranges;
    this.#parts = parts;
  }

  /** Returns the bytes of a range; none if it was not read. */
  bytesOf(range: ByteRange): Uint8Array {
    if (!this.#holds(this.#last, range)) this.#last = this.#find(range);
    const part = this.#parts[this.#last];
    if (!part) return new Uint8Array(0);
    const from = range.offset - this.#ranges[this.#last]!.offset;
    return from === 0 && range.length === part.length ? part : part.subarray(from, from + range.length);
  }

  /** Copies a range to `target` from `at` on; returns false if not all of it was read. */
  copyTo(range: ByteRange, target: Uint8Array, at: number): boolean {
    if (!this.#holds(this.#last, range)) this.#last = this.#find(range);
    const part = this.#parts[this.#last];
    const from = range.offset - (this.#ranges[this.#last]?.offset ?? 0);
    if (!part || from + range.length > part.length) return range.length === 0;
    // A view takes longer than to copy the few bytes of a small code-block.
    if (range.length > fewBytes) target.set(part.subarray(from, from + range.length), at);
    else for (let i = 0; i < range.length; i++) target[at + i] = part[from + i]!;
    return true;
  }

  #find(range: ByteRange): number {
    if (this.#holds(this.#last + 1, range)) return this.#last + 1;
    // Ranges are sorted: unless they overlap, only the last one that begins before it may contain it.
    let [low, high] = [0, this.#ranges.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#ranges[middle]!.offset <= range.offset) low = middle + 1;
      else high = middle;
    }
    let i = low - 1;
    while (i >= 0 && !this.#holds(i, range)) i--;
    return i;
  }

  #holds(i: number, { offset, length }: ByteRange): boolean {
    const read = this.#ranges[i];
    return read !== undefined && read.offset <= offset && offset + length <= read.offset + read.length;
  }
}
