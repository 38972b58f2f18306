// The table of routes: which address has which methods, and what applies to all of its responses, including
// errors.

import type { Problem } from "../../../base/index.ts";
import type { RouteClass } from "../../stats/figures.ts";
import { refuseCrossSite } from "./client/same-site.ts";
import type { RequestContext, Route } from "./context.ts";
import { preflight } from "./cors.ts";
import { isDocument } from "./documents.ts";
import { noSuchPage, Refusal } from "./problem.ts";

export interface Routes {
  /** Throws an Error if the path is taken. */
  add(route: Route): void;
  /** Returns the route of a raw path. */
  find(path: string): Route | undefined;
}

/**
 * Creates an empty table. Hono's router is not used, since it interprets patterns in prefixes and knows
 * nothing about a route before it runs.
 */
export function createRoutes(): Routes {
  const whole = new Map<string, Route>();
  const prefixes: { readonly prefix: string; readonly route: Route }[] = [];
  const find = (path: string) =>
    whole.get(path) ?? prefixes.find(({ prefix }) => path.startsWith(prefix))?.route;
  return {
    add(route) {
      const prefix = route.path.endsWith("*") ? route.path.slice(0, -1) : undefined;
      if (whole.has(route.path) || prefixes.some((other) => other.prefix === prefix))
        throw new Error(`Two routes have the path ${route.path}.`);
      if (prefix === undefined) whole.set(route.path, route);
      else {
        prefixes.push({ prefix, route });
        prefixes.sort((a, b) => b.prefix.length - a.prefix.length);
      }
    },
    find(path) {
      const found = find(path);
      if (found || !dotSegment.test(path)) return found;
      // Nothing is served here, but viewers of other origins can read why.
      const cors = find(withoutDotSegments(path))?.cors;
      return cors ? { path, cors } : undefined;
    },
  };
}

const dotSegment = /(?:^|[/\\])(?:\.|%2e){1,2}(?:[/\\]|$)/i;

/** Returns the path without dot segments (RFC 3986, section 5.2.4), including encoded ones, like browsers. */
const withoutDotSegments = (path: string) => new URL(`http://localhost${path}`).pathname;

const unresolved: Problem = {
  ...noSuchPage,
  detail:
    "Expected a path without the segments . and .., which are not resolved here. Write the resolved path.",
};

/** Returns the class that responses of a route are counted to; false: they are not counted. */
export function countedClass(route: Route | undefined, path: string): RouteClass | false {
  const counted = route?.counted ?? "other";
  return typeof counted === "function" ? counted(path) : counted;
}

/**
 * Handles a request by its route. Throws a Refusal: 404, 405 with `Allow`, 403 for a POST from a page of
 * another site.
 */
export function dispatch(c: RequestContext): Response | Promise<Response> {
  const route = c.get("route");
  const { method } = c.req;
  if (!route?.get && !route?.post)
    throw new Refusal(dotSegment.test(c.get("target").path) ? unresolved : noSuchPage);
  if (route.get && (method === "GET" || method === "HEAD")) return respondTo(c, route, route.get);
  if (route.post && method === "POST") {
    if (!route.cors) refuseCrossSite(c);
    return route.post(c);
  }
  const methods = [...(route.get ? ["GET", "HEAD"] : []), ...(route.post ? ["POST"] : []), "OPTIONS"];
  const allowed = methods.join(", ");
  if (method === "OPTIONS") return preflight(allowed, route.fields);
  throw new Refusal({
    status: 405,
    code: "method_not_allowed",
    detail: `Expected ${methods.slice(0, -1).join(", ")} or OPTIONS at this address; received ${method}. Use one of them.`,
    headers: { Allow: allowed },
  });
}

/** Responds to a GET. Programs that asked for more documents than they may wait, or are refused with 429. */
function respondTo(c: RequestContext, route: Route, get: NonNullable<Route["get"]>): ReturnType<typeof get> {
  const visitor = c.get("visitor");
  const { path } = c.get("target");
  if (!visitor || !isDocument(route, path, countedClass(route, path))) return get(c);
  const wait = visitor.read(c.req.raw.signal);
  return wait ? wait.then(() => get(c)) : get(c);
}
