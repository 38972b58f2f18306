// What a key may look like before any source looks for it (decision on identifiers: no segment may lead elsewhere).

import { ServiceError } from "../errors.ts";
import { plainSegments } from "../lib/text/plain-segments.ts";

/**
 * The segments of a decoded key. Throws ServiceError `bad-request` for what {@link plainSegments} refuses, absolute
 * forms (`/x`, `C:/x`) among it.
 */
export function keySegments(key: string): readonly string[] {
  const segments = plainSegments(key);
  if (!segments) throw badKey();
  return segments;
}

/** The error of a key that might lead elsewhere. */
export const badKey = () =>
  new ServiceError(
    "bad-request",
    "An identifier is expected to be names joined by single slashes; this one is empty, absolute, or holds an empty, . or .. part, a backslash or NUL. Correct the identifier.",
    { code: "bad_identifier" },
  );
