// Which methods a read-only route answers: GET, HEAD, OPTIONS, and 405 for all others (RFC 9110, section 9).

import type { Hono } from "hono";
import type { Env, RequestContext } from "./context.ts";
import { allowed, preflight } from "./cors.ts";
import { problemResponse } from "./problem.ts";

/** The answer to a method that a read-only route does not know. */
export function methodNotAllowed(
  c: RequestContext,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return problemResponse(c, {
    status: 405,
    code: "method_not_allowed",
    detail: `Expected GET, HEAD or OPTIONS at this address; received ${c.req.method}. Use one of them.`,
    headers: { ...allowed, ...headers },
  });
}

/** Mounts a GET route of this origin's own pages: HEAD comes with it, OPTIONS names the methods, others are 405. */
export function mountGet(
  app: Hono<Env>,
  path: string,
  act: (c: RequestContext) => Response | Promise<Response>,
): void {
  app.get(path, act);
  app.all(path, (c) => (c.req.method === "OPTIONS" ? preflight() : methodNotAllowed(c)));
}
