// Warns if clients choose the address with which the ids of a response begin.

import { doubtAt, type Finding, isLoopbackHost, type Platform } from "../../../base/index.ts";
import { parseAddress } from "../address.ts";
import type { Config } from "../schema.ts";

/**
 * Returns a warning about `base_url` if it is not set although others than this machine may send requests.
 * Only for a service with a configuration of its own: without one it is tried out.
 */
export function addressWarnings(
  { base_url, addr, trusted_proxies }: Pick<Config, "base_url" | "addr" | "trusted_proxies">,
  runtime: Platform["name"],
): Finding[] {
  if (base_url !== "") return [];
  const isBehindProxy = trusted_proxies.length > 0;
  if (!isBehindProxy && runtime !== "workerd" && listensHere(addr)) return [];
  const chosenBy = isBehindProxy
    ? "the field Host, which the proxies in trusted_proxies usually pass on from clients"
    : "Host and X-Forwarded-* of the request, which anybody can send";
  return [
    doubtAt(
      ["base_url"],
      `is not set, so ids begin with an address that clients choose (${chosenBy}), and caches may keep it for others; set it to the address that readers use, such as https://images.example.org`,
    ),
  ];
}

/** True if only this machine can connect to a listening address. */
function listensHere(addr: string): boolean {
  const { hostname } = parseAddress(addr);
  return hostname !== undefined && isLoopbackHost(hostname.includes(":") ? `[${hostname}]` : hostname);
}
