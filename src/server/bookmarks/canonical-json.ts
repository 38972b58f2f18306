// Returns one text for one JSON value, regardless of member order and white space.

import { ServiceError } from "../../base/index.ts";

/** Maximum nesting of lists and objects. */
const maxDepth = 64;

/**
 * Returns JSON without white space, with the members of each object sorted by their names' UTF-16 code units
 * (RFC 8785, section 3.2.3). Throws `bad-request` (code content_state_too_deep) above 64 levels.
 */
export function canonicalJson(value: unknown, depth = 0): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (depth === maxDepth)
    throw new ServiceError(
      "bad-request",
      `Expected a content state of at most ${maxDepth} levels of lists and objects; received more. Send a flatter one.`,
      { code: "content_state_too_deep" },
    );
  if (Array.isArray(value)) return `[${value.map((each) => canonicalJson(each, depth + 1)).join(",")}]`;
  const members = value as Readonly<Record<string, unknown>>;
  const texts = Object.keys(members)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonicalJson(members[name], depth + 1)}`);
  return `{${texts.join(",")}}`;
}
