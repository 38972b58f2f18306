// Compares addresses that the service writes with those that it is reached by: a difference shows which
// header a proxy does not pass on.

import { parseUrl } from "../../../base/index.ts";
import type { Fault } from "../finding.ts";
import { originAndPath } from "../visitor.ts";
import type { LoginWalk } from "../walk.ts";

const parts = [
  { code: "wrong_scheme", name: "scheme", header: "X-Forwarded-Proto", of: (url: URL) => url.protocol },
  { code: "wrong_host", name: "host", header: "X-Forwarded-Host", of: (url: URL) => url.host },
  { code: "wrong_path", name: "path", header: "X-Forwarded-Prefix", of: (url: URL) => url.pathname },
] as const;

/** Returns the fault of an address; undefined if it is as expected. `what`: the document that it is in. */
export function addressFault(
  what: string,
  seen: unknown,
  wanted: string,
  walk: LoginWalk,
): Fault | undefined {
  if (seen === wanted) return undefined;
  const address = typeof seen === "string" ? parseUrl(seen) : undefined;
  const row = address && parts.find(({ of }) => of(address) !== of(new URL(wanted)));
  return {
    code: row?.code ?? "wrong_path",
    text: `${what} is ${address ? originAndPath(address.href) : "missing"}${row ? `, with another ${row.name}` : ""}`,
    expected: originAndPath(wanted),
    advice: changeOf(walk, row?.header ?? "X-Forwarded-Prefix"),
  };
}

function changeOf({ base, options: { baseUrl, trustedProxies } }: LoginWalk, header: string): string {
  if (baseUrl === base)
    return "base_url already says so: the service that responds has another configuration. Restart it, and check where the proxy sends requests.";
  if (baseUrl !== "")
    return `base_url is ${baseUrl}: write "${base}" there and restart, or give the doctor that address with --url.`;
  const trust =
    trustedProxies.length > 0
      ? `, and list the proxy's own address in trusted_proxies (now ${trustedProxies.join(", ")})`
      : "";
  return `Write base_url: "${base}" in the configuration, or configure the proxy to send ${header}${trust}.`;
}

/** True if the path of a cookie covers an address (RFC 6265, section 5.1.4). */
export function coversPath(cookiePath: string, path: string): boolean {
  return path === cookiePath || path.startsWith(cookiePath.endsWith("/") ? cookiePath : `${cookiePath}/`);
}
