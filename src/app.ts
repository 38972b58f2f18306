// The site map: every surface and middleware in order.

import { Hono } from "hono";
import { mountHealth } from "./api/health/routes.ts";
import { mountHome } from "./api/home/routes.ts";
import { createCaps, maxTarget } from "./api/http/caps.ts";
import { baseUrl, clientAddress } from "./api/http/client.ts";
import type { Env, RequestContext } from "./api/http/context.ts";
import { corsHeaders } from "./api/http/cors.ts";
import { type Problem, problemOf, problemResponse, serverFaults } from "./api/http/problem.ts";
import { parseTarget } from "./api/http/target.ts";
import { mountImage } from "./api/image/routes.ts";
import { ServiceError, toErrorRecord } from "./errors.ts";
import { addressForm } from "./iiif/image/mounts.ts";
import type { Service } from "./service.ts";

/** The whole service as a function from Request to Response. */
export function createApp(service: Service): { fetch(request: Request): Promise<Response> } {
  const { platform, log } = service;
  const targetOf = (request: Request) => parseTarget(platform.rawTarget(request), request.url);
  const app = new Hono<Env>({ getPath: (request) => targetOf(request).path });
  const caps = createCaps();
  const configured = service.config().base_url.replace(/\/+$/, "");

  app.use(async (c, next) => {
    const peer = platform.clientAddress(c.req.raw);
    const trust = { proxies: service.proxies, baseUrl: configured };
    const target = targetOf(c.req.raw);
    c.set("target", target);
    const client = clientAddress(c.req.raw.headers, peer, trust);
    c.set("client", client);
    const base = baseUrl(c.req.raw, peer, trust);
    c.set("base", base ?? "");
    c.set("baseDerived", configured === "");
    // RFC 9112, section 3.2: a server that took it for a host would write it into ids, links and policies.
    if (base === undefined) {
      c.res = refuse(c, {
        status: 400,
        code: "bad_host",
        detail:
          "Expected one Host field with a name or an address and perhaps a port; received something else. Correct the Host field.",
      });
      return;
    }
    if (target.path.length + target.query.length > maxTarget) {
      c.res = refuse(c, {
        status: 414,
        code: "target_too_long",
        detail: `The address is longer than ${maxTarget} characters.`,
      });
      return;
    }
    const began = performance.now();
    const exempt = exemptPaths.has(target.path);
    const { max_in_flight, max_in_flight_per_ip } = service.config().limits;
    const place = exempt
      ? () => {}
      : caps.enter(client ?? peer, { all: max_in_flight, perAddress: max_in_flight_per_ip });
    if (typeof place !== "function") {
      c.res = refuse(c, place);
      return;
    }
    try {
      await next();
    } finally {
      place();
      log.debug("request", {
        method: c.req.method,
        path: target.path,
        status: c.res.status,
        ms: Math.round(performance.now() - began),
        client: client ?? "unknown",
      });
    }
  });

  mountHealth(app, service);
  mountHome(app, service);
  mountImage(app, service);

  app.notFound((c) =>
    refuse(c, {
      status: 404,
      code: "no_such_page",
      detail: `There is nothing at this address. Images are under ${addressForm}.`,
    }),
  );

  app.onError((error, c) => {
    const problem = problemOf(error);
    if (!(error instanceof ServiceError) || serverFaults.has(error.kind)) {
      const record = toErrorRecord(error, "decode");
      log.error("request failed", {
        method: c.req.method,
        path: c.get("target").path,
        status: problem.status,
        code: problem.code,
        detail: problem.detail,
        cause: record.cause,
      });
    }
    return refuse(c, problem);
  });

  return { fetch: (request) => Promise.resolve(app.fetch(request)) };
}

const exemptPaths: ReadonlySet<string> = new Set(["/health", "/ready"]);

/** An error response; those of the public API carry its cross-origin headers. */
function refuse(c: RequestContext, problem: Problem): Response {
  const response = problemResponse(c, problem);
  const { path } = c.get("target");
  if (!exemptPaths.has(path) && path !== "/")
    for (const [name, value] of Object.entries(corsHeaders)) response.headers.set(name, value);
  return c.req.method === "HEAD" ? new Response(null, response) : response;
}
