// Checks where a request to /mcp comes from: `Host` and `Origin`, against DNS rebinding (Model Context
// Protocol 2025-11-25, Transports, "Security Warning").

import { isInRanges, parseUrl } from "../../../base/index.ts";
import type { Service } from "../../service.ts";
import { requestHost } from "../http/client/client.ts";
import { readForwarded } from "../http/client/forwarded.ts";
import { normalHost } from "../http/client/host.ts";
import type { RequestContext } from "../http/context.ts";
import { Refusal } from "../http/problem.ts";

/**
 * Throws a Refusal (403) unless the client uses one of this server's own names, and the request comes from no
 * page, or from one of this service or of `mcp.allowed_origins`.
 *
 * Own names are those of `base_url` and `mcp.allowed_hosts`, localhost, and all plain addresses, which nobody
 * else can point at this server. A host forwarded by a trusted proxy replaces `Host`, and counts as an own
 * name if there is no `base_url`.
 */
export function refuseStrangers(c: RequestContext, service: Service): void {
  const { base_url, mcp } = service.config();
  const { headers } = c.req.raw;
  const forwarded = forwardedHost(c, service);
  const given = forwarded ?? requestHost(c.req.raw);
  // A base URL derived from untrusted headers proves nothing.
  const base = base_url !== "" || forwarded !== undefined ? new URL(c.get("base")) : undefined;
  const host = normalHost(given, "http");
  const name = host === undefined ? "" : new URL(`http://${host}`).hostname;
  const own = [base?.hostname, ...mcp.allowed_hosts.map((allowed) => allowed.toLowerCase())];
  if (!own.includes(name) && !isLocal(name) && !isAddress(name))
    throw new Refusal({
      status: 403,
      code: "host_not_allowed",
      detail:
        "Expected the name of this server in the Host field; received another one. Use the address of base_url, or name the host in mcp.allowed_hosts.",
    });
  const origin = headers.get("Origin");
  if (origin === null || origin === base?.origin || isOf(origin, given)) return;
  if (mcp.allowed_origins.some((allowed) => new URL(allowed).origin === origin)) return;
  throw new Refusal({
    status: 403,
    code: "cross_site_post",
    detail:
      "Expected a request from no page, or from one of this service; received one from a page of another site. Name its origin in mcp.allowed_origins.",
  });
}

/** Returns the requested host according to a trusted proxy. */
function forwardedHost(c: RequestContext, { platform, proxies }: Service): string | undefined {
  const peer = platform.clientAddress(c.req.raw);
  if (peer === undefined || !isInRanges(peer, proxies)) return undefined;
  const { headers } = c.req.raw;
  const older = headers.get("X-Forwarded-Host")?.split(",")[0]?.trim();
  return older || readForwarded(headers, peer, proxies)?.host || undefined;
}

const isLocal = (name: string) => name === "localhost" || name.endsWith(".localhost");

/** Addresses in the form that URL parsers produce. */
const isAddress = (name: string) => /^\[.*\]$|^\d+\.\d+\.\d+\.\d+$/.test(name);

/** True if a page of an origin was loaded by the name that the request uses for this server. */
function isOf(origin: string, given: string): boolean {
  const url = parseUrl(origin);
  if (!url) return false;
  const { protocol, host } = url;
  if (protocol !== "http:" && protocol !== "https:") return false;
  return host === normalHost(given, protocol === "https:" ? "https" : "http");
}
