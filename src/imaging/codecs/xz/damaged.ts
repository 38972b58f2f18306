// The error for damaged data.

import { ImagingError } from "../../../base/index.ts";

/** Returns an ImagingError `decode`: what was expected of the data, and what they contain. */
export function damagedError(expected: string, received: string): ImagingError {
  return new ImagingError(
    "decode",
    `Expected ${expected} in data compressed by LZMA, received ${received}; check or replace the file.`,
  );
}
