// Hosts in Host and X-Forwarded-Host (RFC 9110, section 7.2), under one rule. Every id in a document repeats
// the host, so that a long one would multiply by the number of images.

import { parseUrl } from "../../../../base/index.ts";

/**
 * Letters, digits, - and _ in labels of at most 63 characters (RFC 1035, section 2.3.4), or an IPv6 address
 * in brackets; optionally a port. Narrower than RFC 3986, section 3.2.2, which has `;` and `'` as well.
 */
const form = /^(?:\[[0-9a-f:.]+\]|[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*\.?)(?::\d{0,5})?$/i;

/** Longest host without its port, in characters: a domain name has at most 255 bytes in the DNS. */
export const maxHost = 253;

const hasForm = (text: string) =>
  text.length <= maxHost + ":65535".length && form.test(text) && text.replace(/:\d*$/, "").length <= maxHost;

/**
 * Normalises `host` or `host:port` under a scheme: lower case, addresses in their canonical spelling, no
 * default port. Returns undefined if no id can contain it: another form, a host of more than 253 characters.
 */
export function normalHost(text: string, scheme: "http" | "https"): string | undefined {
  return hasForm(text) ? parseUrl(`${scheme}://${text}`)?.host : undefined;
}
