// The error of Zstandard data that break their own rules.

import { ImagingError } from "../../errors.ts";

/** ImagingError `decode` of one form. */
export function damagedError(expected: string, received: string): ImagingError {
  return new ImagingError(
    "decode",
    `Expected ${expected} in Zstandard data, received ${received}; the file may be damaged.`,
  );
}
