// Ranges of bytes: how every reader sees a master, wherever it lies.

import { ImagingError } from "../errors.ts";

/** A range of bytes. */
export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

/** Random access to the bytes of one master. */
export interface ByteSource {
  /** Length in bytes, where it is known. */
  readonly size?: number | undefined;
  /**
   * Bytes between two ranges that are sooner read along than asked for apart; a small number where not given, as for a
   * file on a disk.
   */
  readonly gap?: number | undefined;
  /**
   * Bytes `offset` to `offset + length`, fewer only where the source ends; an empty array at or past its end.
   * The caller may keep and change the array. Throws ImagingError `source` when reading fails, and `cancelled` where
   * the bytes have to be waited for and the signal aborts meanwhile.
   */
  read(offset: number, length: number, signal?: AbortSignal): Promise<Uint8Array>;
  /**
   * Several ranges at once, in memory that may be the source's own, or that the next call for any source overwrites: whoever calls it changes
   * nothing in it, and waits for nothing until it is done with it. New memory for each read would cost as much as the read. undefined: the
   * source has to wait for some of them. Throws ImagingError `source` at once.
   */
  readonly borrow?: ((ranges: readonly ByteRange[]) => readonly Uint8Array[] | undefined) | undefined;
}

/** A byte source over bytes in memory. */
export function memoryBytes(data: Uint8Array): ByteSource {
  return {
    size: data.length,
    read: async (offset, length) => data.slice(offset, Math.max(offset, offset + length)),
  };
}

/** The error for a file of more bytes than its decoder takes. */
export function fileTooLarge(limit: number): ImagingError {
  return new ImagingError(
    "too-large",
    `The source file is larger than the ${limit} bytes that its decoder may hold.`,
    { code: "source_too_large" },
  );
}

/**
 * All bytes of a source. Throws ImagingError `too-large` when there are more than `limit`.
 * For decoders that cannot work from ranges.
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

/** A source that fetches whole blocks and keeps the latest few, for parsers that make many small reads. */
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
