// Host names in Host and X-Forwarded-Host (RFC 9110, section 7.2), under one rule.

import { createLru } from "../../../imaging/lib/lru.ts";
import { parseUrl } from "../../../lib/network/parse-url.ts";

/** Letters, digits, - and _ in labels, or an IPv6 address in brackets; optionally a port. */
const form = /^(?:\[[0-9a-f:.]+\]|[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?)(?::\d{0,5})?$/i;

/**
 * Normalises `host` or `host:port` under a scheme: lower case, addresses in their canonical spelling, no
 * default port. Undefined if no id can contain it.
 */
export function normalHost(text: string, scheme: "http" | "https"): string | undefined {
  const address = `${scheme}://${text}`;
  const known = parsed.get(address);
  if (known !== undefined || !form.test(text)) return known;
  const host = parseUrl(address)?.host;
  if (host !== undefined) parsed.set(address, host, address.length);
  return host;
}

/** Normal forms by URL, limited to 16 KiB: requests name few hosts, and parsing costs each tile 2 µs. */
const parsed = createLru<string, string>(16 * 1024);
