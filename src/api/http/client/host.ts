// Host names as they stand in Host and X-Forwarded-Host (RFC 9110, section 7.2), under one rule.

import { createLru } from "../../../imaging/lib/lru.ts";
import { parseUrl } from "../../../lib/network/parse-url.ts";

/** Letters, digits, - and _ in labels, or an IPv6 address in brackets; a port may follow. */
const form = /^(?:\[[0-9a-f:.]+\]|[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?)(?::\d{0,5})?$/i;

/**
 * `host` or `host:port` in its normal form under a scheme: lower case, addresses in their one spelling, no
 * default port. Undefined for what names no host that can stand in an id.
 */
export function normalHost(text: string, scheme: "http" | "https"): string | undefined {
  const address = `${scheme}://${text}`;
  const known = parsed.get(address);
  if (known !== undefined || !form.test(text)) return known;
  const host = parseUrl(address)?.host;
  if (host !== undefined) parsed.set(address, host, address.length);
  return host;
}

/** Normal forms by URL, in 16 KiB of them: requests name few hosts, and parsing takes each tile 2 µs. */
const parsed = createLru<string, string>(16 * 1024);
