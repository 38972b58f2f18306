// The error of Zstandard data that break their own rules.

import { ServiceError } from "../../errors.ts";

/** ServiceError `decode` of one form. */
export function damaged(expected: string, received: string): ServiceError {
  return new ServiceError(
    "decode",
    `Expected ${expected} in Zstandard data, received ${received}; the file may be damaged.`,
  );
}
