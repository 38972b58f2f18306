// A copy of a module instance's linear memory that restores the instance to its earlier state.

const pageBytes = 65_536;

export interface MemoryImage {
  /** Bytes that are restored. */
  readonly bytes: number;
  /** Restores the memory. Returns false if it has grown since: the instance is unusable then. */
  putBack(): boolean;
}

/**
 * Copies all non-zero pages. The stack is between static data and heap, and its unused pages are zero;
 * nothing reads what a call leaves there, or in heap that was free before, without writing it first.
 */
export function takeImage(memory: WebAssembly.Memory): MemoryImage {
  const { byteLength } = memory.buffer;
  const runs = usedRuns(memory.buffer).map(({ start, end }) => ({
    start,
    copy: new Uint8Array(memory.buffer.slice(start, end)),
  }));
  const view = new Uint8Array(memory.buffer);
  return {
    bytes: runs.reduce((sum, { copy }) => sum + copy.length, 0),
    putBack() {
      if (memory.buffer.byteLength !== byteLength) return false;
      for (const { start, copy } of runs) view.set(copy, start);
      return true;
    },
  };
}

/** Returns runs of pages with any non-zero bytes, as byte offsets; `end` is exclusive. */
function usedRuns(buffer: ArrayBufferLike): { start: number; end: number }[] {
  const runs: { start: number; end: number }[] = [];
  for (let start = 0; start < buffer.byteLength; start += pageBytes) {
    if (new BigUint64Array(buffer, start, pageBytes / 8).every((word) => word === 0n)) continue;
    const last = runs.at(-1);
    if (last?.end === start) last.end += pageBytes;
    else runs.push({ start, end: start + pageBytes });
  }
  return runs;
}
