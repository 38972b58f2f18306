// The error for invalid Zstandard data.

import { ImagingError } from "../../../base/index.ts";

/** Returns an ImagingError `decode` in a common form. */
export function damagedError(expected: string, received: string): ImagingError {
  return new ImagingError(
    "decode",
    `Expected ${expected} in Zstandard data, received ${received}; the file may be damaged.`,
  );
}
