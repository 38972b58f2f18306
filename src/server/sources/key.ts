// Syntax of keys, checked before any source uses them, so that no segment leads elsewhere.

import { plainSegments, ServiceError } from "../../base/index.ts";

/**
 * Returns the segments of a decoded key. Throws ServiceError `bad-request` for everything that {@link
 * plainSegments} refuses, including absolute forms (`/x`, `C:/x`).
 */
export function keySegments(key: string): readonly string[] {
  const segments = plainSegments(key);
  if (!segments) throw badKey();
  return segments;
}

/** Returns the error of a key that might lead elsewhere. */
export const badKey = () =>
  new ServiceError(
    "bad-request",
    "An identifier is expected to be names joined by single slashes; this one is empty, absolute, or holds an empty, . or .. part, a backslash or NUL. Correct the identifier.",
    { code: "bad_identifier" },
  );
