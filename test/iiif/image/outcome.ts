// The outcome of a call: its value, or the code of the ServiceError that it throws. Any other error fails the
// test.

import { ServiceError } from "../../../src/base/errors.ts";

export function outcome<T>(call: () => T): T | string {
  try {
    return call();
  } catch (error) {
    if (error instanceof ServiceError) return error.code;
    throw error;
  }
}

/** `region/size/rotation/file` as segments; a slash inside of the region stays there. */
export function segmentsOf(parameters: string) {
  const parts = parameters.split("/");
  const [size = "", rotation = "", file = ""] = parts.splice(-3);
  return { region: parts.join("/"), size, rotation, file };
}
