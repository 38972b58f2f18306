// Areas in the memory of a WebAssembly module that leaves its memory to the host.

/** The exports that areas need. */
export interface OwnMemory {
  readonly memory: WebAssembly.Memory;
  /** Returns the first byte of memory that is the host's. */
  base(): number;
}

/** Bytes before and after each area, which vectors may read and write. */
const margin = 64;

/**
 * Lays out areas of these lengths in the memory of an instance, and returns where each begins. Throws
 * RangeError if there is no room for them.
 */
export function layOut({ memory, base }: OwnMemory, ...lengths: readonly number[]): number[] {
  let end = base();
  const starts = lengths.map((length) => {
    const start = Math.ceil(end / margin) * margin + margin;
    end = start + length;
    return start;
  });
  const missing = end + margin - memory.buffer.byteLength;
  if (missing > 0) memory.grow(Math.ceil(missing / 65536));
  return starts;
}
