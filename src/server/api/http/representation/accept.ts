// Content negotiation by media type and by encoding (RFC 9110, sections 12.5.1 and 12.5.3).

import { accepts } from "hono/accepts";
import { parseAccept } from "hono/utils/accept";
import type { ContentEncoding } from "../../../../base/index.ts";
import type { RequestContext } from "../context.ts";

type Match = NonNullable<Parameters<typeof accepts>[1]["match"]>;

/**
 * Returns the offered type that a request prefers by its Accept field, or the first one if it has no such
 * field or accepts none. With equal weights a named type outranks one that a wildcard accepts, and of two
 * named types the later one wins, since no client names it by habit.
 */
export function preferredType<T extends string>(c: RequestContext, offered: readonly [T, ...T[]]): T {
  const [usual] = offered;
  return accepts(c, { header: "Accept", supports: [...offered], default: usual, match: heaviest }) as T;
}

/** Encodings of bodies, the smallest first. */
const encodings = ["br", "gzip"] as const satisfies readonly ContentEncoding[];

/**
 * Returns the encodings that a request accepts, the best first: by weight, then by size. Empty if it prefers
 * an uncompressed response.
 */
export function acceptedEncodings(c: RequestContext): readonly ContentEncoding[] {
  const ranges = parseAccept(c.req.header("Accept-Encoding") ?? "");
  const weights = new Map(ranges.map(({ type, q }) => [type.toLowerCase().replace(/^x-gzip$/, "gzip"), q]));
  const weightOf = (encoding: string) => weights.get(encoding) ?? weights.get("*") ?? 0;
  // Identity is the last resort unless it is named.
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

/** Returns the weight that the most precise ranges give a type; 0 if none matches. */
function weigh(ranges: Parameters<Match>[0], type: string): { weight: number; precision: number } {
  const forms = [["*/*", "*"], [type.replace(/\/.*/, "/*")], [type]];
  for (let precision = named; precision >= 0; precision--) {
    const fitting = ranges.filter((range) => forms[precision]?.includes(range.type.toLowerCase()));
    if (fitting.length > 0) return { weight: Math.max(...fitting.map(({ q }) => q)), precision };
  }
  return { weight: 0, precision: 0 };
}
