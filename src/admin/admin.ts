// Types and helpers that the pages of the operator share.

import type { RequestContext, Route, RouteHandler, Service } from "../server/index.ts";
import type { Audit } from "./audit/audit.ts";

/** Result of a submitted form. */
export interface Outcome {
  readonly state: "done" | "failed";
  /** A sentence. */
  readonly text: string;
  /** Additional lines, such as keys that have changed. */
  readonly details?: readonly string[];
}

export interface Outcomes {
  /** Redirects with 303 to an admin page, such as `/admin/config`, which shows the outcome. */
  redirect(c: RequestContext, path: string, outcome: Outcome): Promise<Response>;
  /**
   * Returns the outcome in a request, with the header that makes the browser forget it; undefined if there is
   * none.
   */
  read(c: RequestContext): Promise<{ readonly outcome: Outcome; readonly forget: string } | undefined>;
}

export interface Admin {
  readonly service: Service;
  readonly audit: Audit;
  readonly outcomes: Outcomes;
}

/** An operator's page. Its handlers are only called for the operator. */
export interface AdminRoute extends Pick<Route, "path" | "maxTarget"> {
  readonly get?: RouteHandler;
  readonly post?: RouteHandler;
  /** Counted to the class `admin`, unless it is never counted, like a response without an end. */
  readonly counted?: false;
}

/**
 * Returns the route that a form of a page posts to. A GET leads to the page, since the address bar shows this
 * address next to a refused form.
 */
export const formRoute = (path: string, page: string, post: RouteHandler): AdminRoute => ({
  path,
  get: (c) =>
    new Response(null, { status: 303, headers: { Location: href(c, page), "Cache-Control": "no-store" } }),
  post,
});

/** The routes of one page. */
export type AdminPage = (admin: Admin) => readonly AdminRoute[];

/**
 * Returns the link to a path of this service, such as `/admin/config`: below the path of the public URL, on
 * the host that the browser requested.
 */
export function href(c: RequestContext, path: string): string {
  return new URL(c.get("base")).pathname.replace(/\/+$/, "") + path;
}
