// The addresses of a crawler, in the form in which Google, Bing, OpenAI and Common Crawl publish theirs.

import { createIpRangeSet, type IpRange, type IpRangeSet, parseRange } from "../../../base/index.ts";

/** Bytes; the largest published files have about 100,000. */
const maxBytes = 4 * 2 ** 20;
const maxPrefixes = 20_000;
/** Shortest prefixes, in bits: wider ones would verify a part of the internet. */
const widest: Readonly<Record<IpRange["bits"], number>> = { 32: 8, 128: 16 };

/**
 * Reads a JSON object whose member `prefixes` is a list of objects with `ipv4Prefix` or `ipv6Prefix`; other
 * members are ignored. Throws an Error that names what is wrong, in words for the operator.
 */
export function readPublishedRanges(bytes: Uint8Array): IpRangeSet {
  if (bytes.length > maxBytes)
    throw new Error(`the file has ${bytes.length} bytes, more than the ${maxBytes} that are read`);
  const { prefixes } = (parseJson(bytes) ?? {}) as { readonly prefixes?: unknown };
  if (!Array.isArray(prefixes) || prefixes.length === 0)
    throw new Error("expected a JSON object with a list of prefixes that has at least one");
  if (prefixes.length > maxPrefixes)
    throw new Error(`the file has ${prefixes.length} prefixes, more than the ${maxPrefixes} that are read`);
  return createIpRangeSet(prefixes.map(rangeOf));
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw new Error("the file is no JSON; download it again");
  }
}

function rangeOf(entry: unknown, index: number): IpRange {
  const { ipv4Prefix, ipv6Prefix } = (entry ?? {}) as Readonly<Record<string, unknown>>;
  const text = ipv4Prefix ?? ipv6Prefix;
  const range = typeof text === "string" ? rangeIn(text) : undefined;
  if (!range || range.prefix < widest[range.bits])
    throw new Error(
      `prefixes[${index}]: expected ipv4Prefix of at least ${widest[32]} bits or ipv6Prefix of at least ${widest[128]}, such as 192.0.2.0/24; received ${JSON.stringify(entry).slice(0, 100)}`,
    );
  return range;
}

function rangeIn(text: string): IpRange | undefined {
  try {
    return parseRange(text);
  } catch {
    return undefined;
  }
}
