// Maps kinds of errors to HTTP statuses (RFC 9110, section 15).

import type { ErrorKind } from "../../../base/index.ts";

export const statusOf = {
  "bad-request": 400,
  "too-large": 400,
  unauthorized: 401,
  "not-found": 404,
  limited: 429,
  cancelled: 499, // never seen: the client has left
  source: 500,
  decode: 500,
  encode: 500,
  hook: 500,
  unsupported: 501,
  busy: 503,
  changed: 503,
  timeout: 503,
} as const satisfies Record<ErrorKind, number>;
