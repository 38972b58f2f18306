// Bounds the headers that hooks see: a hook is called for each image of a folder, with all of them each time.

import { Refusal } from "../problem.ts";

/** Longest value in characters; most proxies accept no longer line. */
const maxLength = 8192;

/** Throws a Refusal (431) if a header that `names` lists is too long. */
export function refuseLongHeaders(headers: Headers, names: readonly string[]): void {
  const name = names.find((each) => (headers.get(each)?.length ?? 0) > maxLength);
  if (name === undefined) return;
  throw new Refusal({
    status: 431,
    code: "headers_too_large",
    detail: `Expected at most ${maxLength} characters in the field ${name}; received more. Send a shorter one.`,
  });
}
