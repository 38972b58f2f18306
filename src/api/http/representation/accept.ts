// Content negotiation by media type and by encoding (RFC 9110, sections 12.5.1 and 12.5.3).

import { accepts } from "hono/accepts";
import { parseAccept } from "hono/utils/accept";
import type { ContentEncoding } from "../../../platform/platform.ts";
import type { RequestContext } from "../context.ts";

type Match = NonNullable<Parameters<typeof accepts>[1]["match"]>;

/**
 * Which of the offered types a request prefers by its Accept field; the first one where it has none, or accepts none of
 * them. Of equal weights the type that is named outranks one that a wildcard accepts, and of two that are named the later one
 * counts: no client names it by habit.
 */
export function preferredType<T extends string>(c: RequestContext, offered: readonly [T, ...T[]]): T {
  const [usual] = offered;
  return accepts(c, { header: "Accept", supports: [...offered], default: usual, match: heaviest }) as T;
}

/** The encodings that bodies may have, the smallest first. */
const encodings = ["br", "gzip"] as const satisfies readonly ContentEncoding[];

/** The encodings that a request takes, the best first: by weight, then the smallest. Empty where it prefers none to any. */
export function acceptedEncodings(c: RequestContext): readonly ContentEncoding[] {
  const ranges = parseAccept(c.req.header("Accept-Encoding") ?? "");
  const weights = new Map(ranges.map(({ type, q }) => [type.toLowerCase().replace(/^x-gzip$/, "gzip"), q]));
  const weightOf = (encoding: string) => weights.get(encoding) ?? weights.get("*") ?? 0;
  // Identity is taken as the last resort unless it is named.
  const plain = weights.get("identity") ?? 0;
  return encodings
    .filter((encoding) => weightOf(encoding) > 0 && weightOf(encoding) >= plain)
    .sort((a, b) => weightOf(b) - weightOf(a));
}

const named = 2;

const heaviest: Match = (ranges, { supports, default: usual }) => {
  let best = { type: usual, weight: 0, precision: 0 };
  for (const type of supports) {
    const { weight, precision } = weigh(ranges, type);
    const outranks = weight === best.weight && (precision > best.precision || precision === named);
    if (weight > best.weight || (weight > 0 && outranks)) best = { type, weight, precision };
  }
  return best.type;
};

/** The weight that the most precise ranges give to a type; 0 where none fits. */
function weigh(ranges: Parameters<Match>[0], type: string): { weight: number; precision: number } {
  const forms = [["*/*", "*"], [type.replace(/\/.*/, "/*")], [type]];
  for (let precision = named; precision >= 0; precision--) {
    const fitting = ranges.filter((range) => forms[precision]?.includes(range.type.toLowerCase()));
    if (fitting.length > 0) return { weight: Math.max(...fitting.map(({ q }) => q)), precision };
  }
  return { weight: 0, precision: 0 };
}
