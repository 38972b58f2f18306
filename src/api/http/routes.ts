// The table of routes: which address answers which methods, and what holds for all of its answers, errors included.

import type { RouteClass } from "../../stats/figures.ts";
import type { RequestContext } from "./context.ts";
import { preflight } from "./cors.ts";
import type { Page } from "./page.ts";
import { noSuchPage, type Problem, Refusal } from "./problem.ts";
import { refuseCrossSite } from "./same-site.ts";

export type Act = (c: RequestContext) => Response | Promise<Response>;

/** An address and its methods. HEAD and OPTIONS follow; a route without methods is 404, with its `cors`. */
export interface Route {
  /** A whole path, or all paths that begin so: `/static/*`. Only a `*` at the end is special; the longest match counts. */
  readonly path: string;
  /** Answers HEAD as well: the body is dropped. */
  readonly get?: Act;
  /** Reads the body with the readers of `body.ts`. Without `cors` only pages of this service may post here. */
  readonly post?: Act;
  /** Whether pages of other origins may read the answers: of all, or of these, to which answers then differ. */
  readonly cors?: boolean | readonly string[];
  /** Request headers that such pages may send besides the usual ones. */
  readonly fields?: readonly string[];
  /**
   * The class that its answers are counted to, which may depend on the path; `other` where nothing is said. false: they are not
   * counted, as an answer that never ends.
   */
  readonly counted?: RouteClass | ((path: string) => RouteClass) | false;
  /** How people read a problem of it; without, as the usual page in English. It is in the language that they ask for. */
  readonly problemPage?: (c: RequestContext, problem: Problem) => Page;
  /** Whether it answers above `limits.max_in_flight` too. */
  readonly uncapped?: boolean;
  /** Longest path and query in characters; those of most routes are shorter (`caps.ts`). */
  readonly maxTarget?: number;
}

export interface Routes {
  /** Throws an Error where the path is taken. */
  add(route: Route): void;
  /** The route of a raw path. */
  find(path: string): Route | undefined;
}

/** An empty table. Hono's router is not asked, since it reads patterns in prefixes and knows nothing of a route before it runs. */
export function createRoutes(): Routes {
  const whole = new Map<string, Route>();
  const prefixes: { readonly prefix: string; readonly route: Route }[] = [];
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
    find: (path) => whole.get(path) ?? prefixes.find(({ prefix }) => path.startsWith(prefix))?.route,
  };
}

/** The class that the answers of a route are counted to; false: they are not. */
export function countedClass(route: Route | undefined, path: string): RouteClass | false {
  const counted = route?.counted ?? "other";
  return typeof counted === "function" ? counted(path) : counted;
}

/** Answers a request by its route. Throws a Refusal: 404, 405 with `Allow`, 403 for a POST from a page of another site. */
export function dispatch(c: RequestContext): Response | Promise<Response> {
  const route = c.get("route");
  const { method } = c.req;
  if (!route?.get && !route?.post) throw new Refusal(noSuchPage);
  if (route.get && (method === "GET" || method === "HEAD")) return route.get(c);
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
