// What a key may look like before any source looks for it (decision on identifiers: no segment may lead elsewhere).

import { ServiceError } from "../errors.ts";

/**
 * The segments of a decoded key. Throws ServiceError `bad-request` for an empty, `.` or `..` segment, NUL, backslash
 * and absolute forms (`/x`, `C:/x`).
 */
export function keySegments(key: string): readonly string[] {
  const segments = key.split("/");
  const refused =
    /[\0\\]/.test(key) ||
    /^[A-Za-z]:(\/|$)/.test(key) ||
    segments.some((segment) => segment === "" || segment === "." || segment === "..");
  if (refused)
    throw new ServiceError(
      "bad-request",
      "An identifier is expected to be names joined by single slashes; this one is empty, absolute, or holds an empty, . or .. part, a backslash or NUL. Correct the identifier.",
      { code: "bad_identifier" },
    );
  return segments;
}
