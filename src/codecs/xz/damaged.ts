// The error of damaged data.

import { ServiceError } from "../../errors.ts";

/** ServiceError `decode`: what was expected of the data, and what they hold. */
export function damaged(expected: string, received: string): ServiceError {
  return new ServiceError(
    "decode",
    `Expected ${expected} in data compressed by LZMA, received ${received}; check or replace the file.`,
  );
}
