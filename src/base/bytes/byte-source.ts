// Ranges of bytes: the interface through which all readers see a master, wherever it is stored.

import { ImagingError } from "../imaging-error.ts";

/** A range of bytes. */
export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

/** Random access to the bytes of one master. */
export interface ByteSource {
  /** Length in bytes, if known. */
  readonly size?: number | undefined;
  /**
   * Maximum gap in bytes between two ranges that are better read together than separately; a small number by
   * default, as for a file on disk.
   */
  readonly gap?: number | undefined;
  /**
   * Returns bytes `offset` to `offset + length`, fewer only at the end of the source; an empty array at or
   * after its end. The caller may keep and modify the array. Throws ImagingError `source` if reading fails,
   * and `cancelled` if the signal aborts while it waits for the bytes.
   */
  read(offset: number, length: number, signal?: AbortSignal): Promise<Uint8Array>;
  /**
   * Returns several ranges together, or undefined if the source has to wait for some of them. The memory may
   * be the source's own, or may be overwritten by the next call for any source: callers must not modify it,
   * nor wait for anything until they are done with it. New memory for each read would cost as much as the
   * read. Throws ImagingError `source` synchronously.
   */
  readonly borrow?: ((ranges: readonly ByteRange[]) => readonly Uint8Array[] | undefined) | undefined;
  /** See {@link sectionOf}; absent if nothing but the range of its reads has to be known for it. */
  readonly section?: ((offset: number, length: number) => ByteSource) | undefined;
}

/** Returns a byte source over bytes in memory. */
export function memoryBytes(data: Uint8Array): ByteSource {
  return {
    size: data.length,
    // A slice of Node's Buffer is not a copy.
    read: async (offset, length) =>
      Uint8Array.prototype.slice.call(data, offset, Math.max(offset, offset + length)),
  };
}

/**
 * Returns the bytes `offset` to `offset + length` of a source as a source of their own, without copying any:
 * a file within another one. No read reaches beyond them.
 */
export function sectionOf(bytes: ByteSource, offset: number, length: number): ByteSource {
  if (bytes.section) return bytes.section(offset, length);
  const clamp = (range: ByteRange): ByteRange => {
    const from = Math.min(Math.max(0, range.offset), length);
    return { offset: offset + from, length: Math.max(0, Math.min(range.length, length - from)) };
  };
  return {
    size: length,
    gap: bytes.gap,
    read(from, wanted, signal) {
      const range = clamp({ offset: from, length: wanted });
      return range.length === 0
        ? Promise.resolve(new Uint8Array())
        : bytes.read(range.offset, range.length, signal);
    },
    ...(bytes.borrow && { borrow: (ranges) => bytes.borrow?.(ranges.map(clamp)) }),
  };
}

/** Returns the error for a file with more bytes than its decoder takes. */
export function fileTooLarge(limit: number): ImagingError {
  return new ImagingError(
    "too-large",
    `The source file is larger than the ${limit} bytes that its decoder may hold.`,
    { code: "source_too_large" },
  );
}

/**
 * Returns all bytes of a source, for decoders that cannot work from ranges. Throws ImagingError `too-large`
 * if there are more than `limit`.
 */
export async function readAll(bytes: ByteSource, limit: number): Promise<Uint8Array> {
  if (bytes.size !== undefined) {
    if (bytes.size > limit) throw fileTooLarge(limit);
    return bytes.read(0, bytes.size);
  }
  const parts: Uint8Array[] = [];
  let total = 0;
  for (;;) {
    const part = await bytes.read(total, 1 << 20);
    if (part.length === 0) break;
    parts.push(part);
    total += part.length;
    if (total > limit) throw fileTooLarge(limit);
  }
  const all = new Uint8Array(total);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/**
 * Returns a source for parsers of headers, which make many small reads near each other: the first `front`
 * bytes are read now, and each later read takes at least `later` bytes, of which the latest stay.
 */
export async function inFewReads(bytes: ByteSource, front: number, later: number): Promise<ByteSource> {
  const first = { start: 0, wanted: front, data: await bytes.read(0, front) };
  let latest = first;
  /** Returns bytes of a block, which is shorter than wanted if the source ends in it. */
  const sliceBlock = ({ start, wanted, data }: typeof first, offset: number, length: number) => {
    const from = offset - start;
    const holds = from >= 0 && (data.length < wanted || from + length <= data.length);
    return holds ? data.slice(from, Math.max(from, from + length)) : undefined;
  };
  return {
    size: bytes.size,
    gap: bytes.gap,
    async read(offset, length, signal) {
      const known = sliceBlock(first, offset, length) ?? sliceBlock(latest, offset, length);
      if (known) return known;
      if (length >= later) return bytes.read(offset, length, signal);
      latest = { start: offset, wanted: later, data: await bytes.read(offset, later, signal) };
      return latest.data.slice(0, length);
    },
  };
}

/**
 * Returns a source that reads whole blocks and caches the most recently used, for parsers that make many
 * small reads.
 */
export function blockwise(bytes: ByteSource, blockSize = 16 * 1024, keep = 16): ByteSource {
  const blocks = new Map<number, Promise<Uint8Array>>();
  const block = (n: number): Promise<Uint8Array> => {
    let found = blocks.get(n);
    if (found) blocks.delete(n);
    else found = bytes.read(n * blockSize, blockSize);
    blocks.set(n, found);
    if (blocks.size > keep) blocks.delete(blocks.keys().next().value as number);
    return found;
  };
  return {
    size: bytes.size,
    gap: bytes.gap,
    async read(offset, length) {
      const first = Math.floor(offset / blockSize);
      const last = Math.floor((offset + Math.max(length, 1) - 1) / blockSize);
      if (last - first >= keep) return bytes.read(offset, length);
      const out = new Uint8Array(length);
      let filled = 0;
      for (let n = first; n <= last; n++) {
        const data = await block(n);
        const from = Math.max(0, offset - n * blockSize);
        const part = data.subarray(from, Math.min(data.length, offset + length - n * blockSize));
        out.set(part, filled);
        filled += part.length;
        if (data.length < blockSize) break;
      }
      return filled === length ? out : out.slice(0, filled);
    },
  };
}
