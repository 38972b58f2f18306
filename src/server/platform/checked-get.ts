// GET requests to addresses that are checked when a connection is made, on Node, Deno and Bun alike.

import { lookup } from "node:dns";
import http from "node:http";
import https from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { Readable } from "node:stream";
import type { CheckedGet } from "../../base/index.ts";

/** Connections to one host at a time. */
const maxConnections = 32;
/** An idle connection is closed after this. */
const idleMs = 15_000;

/** Ignores variables such as HTTP_PROXY: a proxy would resolve names itself, unchecked. */
const noProxy = { proxyEnv: {} };

/** Statuses whose responses have no body (Fetch, section 2.2.6). */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304]);

class RefusedAddress extends Error {
  constructor(hostname: string) {
    super(`the address of ${hostname} is not allowed`);
    this.name = "RefusedAddress";
  }
}

/** A status that no Response can have, so the response cannot be used. */
class UnusableStatus extends Error {
  constructor(status: number | undefined) {
    super(`status ${status}`);
    this.name = "UnusableStatus";
  }
}

/**
 * Returns a GET that connects only to addresses that `allowed` accepts. The connection itself resolves a name
 * and uses only accepted addresses, so that a name that resolves differently later gains nothing. Each has
 * connections of its own, which are reused. Redirects are not followed, nothing is decompressed.
 */
export function checkedGet(allowed: (address: string, hostname: string) => boolean): CheckedGet {
  const resolve: LookupFunction = (hostname, options, done) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return done(error, []);
      const accepted = found.filter(({ address }) => allowed(address, hostname));
      const [first] = accepted;
      if (!first) return done(new RefusedAddress(hostname), []);
      if (options.all) done(null, accepted);
      else done(null, first.address, first.family);
    });
  };
  const options = { keepAlive: true, maxSockets: maxConnections, timeout: idleMs, ...noProxy };
  const agents = { "http:": new http.Agent(options), "https:": new https.Agent(options) };

  return (url, { method = "GET", headers, signal }) =>
    new Promise((settle, fail) => {
      const literal = url.hostname.replace(/^\[(.*)\]$/, "$1");
      if (isIP(literal) && !allowed(literal, literal)) return fail(new RefusedAddress(literal));
      const secure = url.protocol === "https:";
      const request = (secure ? https : http).request(
        url,
        {
          agent: agents[secure ? "https:" : "http:"],
          method,
          headers,
          lookup: resolve,
          ...(signal ? { signal } : {}),
        },
        (incoming) => {
          const status = incoming.statusCode ?? 0;
          // The error of Response itself would end the process on some runtimes.
          if (status < 200 || status > 599) {
            incoming.destroy();
            return fail(new UnusableStatus(status));
          }
          const fields = new Headers();
          for (let i = 0; i + 1 < incoming.rawHeaders.length; i += 2)
            fields.append(incoming.rawHeaders[i] as string, incoming.rawHeaders[i + 1] as string);
          if (bodiless.has(status)) incoming.resume();
          const body = bodiless.has(status) ? null : (Readable.toWeb(incoming) as ReadableStream<Uint8Array>);
          settle(new Response(body, { status, headers: fields }));
        },
      );
      request.on("error", fail);
      // An unrequested change of protocol.
      request.on("upgrade", (incoming, socket) => {
        socket.destroy();
        fail(new UnusableStatus(incoming.statusCode));
      });
      request.on("close", () => fail(new Error("the connection was closed without an answer")));
      request.end();
    });
}
