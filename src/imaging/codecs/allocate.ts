// Allocation of buffers whose size a file determines.

import { ImagingError } from "../../base/index.ts";

/**
 * Returns the result of `allocate`. Throws ImagingError `too-large` if the runtime has no buffer of that
 * size.
 */
export function allocateOrThrow<T>(allocate: () => T): T {
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
