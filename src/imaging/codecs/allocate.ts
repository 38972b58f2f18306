// Buffers whose size a file decides.

import { ImagingError } from "../errors.ts";

/** What `allocate` returns; ImagingError `too-large` where the runtime has no buffer of that size. */
export function allocated<T>(allocate: () => T): T {
  try {
    return allocate();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new ImagingError(
      "too-large",
      "Expected a region that fits into memory, received a larger one: ask for less.",
      { cause: error },
    );
  }
}
