// What is thrown inside of the index if a block is missing or does not verify. Public functions return it as
// an outcome, since a store may lose any block at any time.

/** The outcome of a call that met a missing or damaged block: the named segment has to be built again. */
export interface Lost {
  readonly lost: string;
}

/** Thrown by readers of blocks; the segment is added as soon as it is known. */
export class LostBlock extends Error {
  readonly segment: string;

  constructor(segment = "") {
    super(`A block of the index of words is missing or damaged; expected it in segment ${segment}.`);
    this.name = "LostBlock";
    this.segment = segment;
  }
}

/** Runs a reader of the blocks of one segment, so that what it throws names the segment. */
export function ofSegment<T>(segment: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof LostBlock && error.segment === "" ? new LostBlock(segment) : error;
  }
}

/** Returns what a task returns, or that a segment is lost. */
export async function orLost<T>(task: () => Promise<T>): Promise<T | Lost> {
  try {
    return await task();
  } catch (error) {
    if (error instanceof LostBlock) return { lost: error.segment };
    throw error;
  }
}
