// Types and helpers that the pages of the operator share.

import type { Service } from "../../service.ts";
import type { RequestContext, Route, RouteHandler } from "../http/context.ts";

/** Result of a submitted form. */
export interface Outcome {
  readonly state: "done" | "failed";
  /** A sentence. */
  readonly text: string;
  /** Further lines, such as keys that have changed. */
  readonly details?: readonly string[];
}

export interface Outcomes {
  /** 303 to a page of the admin, such as `/admin/config`, which shows the outcome. */
  redirect(c: RequestContext, path: string, outcome: Outcome): Promise<Response>;
  /** The outcome that a request brings, with the header that lets the browser forget it; undefined: none. */
  read(c: RequestContext): Promise<{ readonly outcome: Outcome; readonly forget: string } | undefined>;
}

export interface Admin {
  readonly service: Service;
  readonly outcomes: Outcomes;
}

/** A page of the operator's. Nobody else gets to its acts. */
export interface AdminRoute extends Pick<Route, "path" | "maxTarget"> {
  readonly get?: RouteHandler;
  readonly post?: RouteHandler;
  /** Counted to the class `admin`, unless it is never counted, like a response without an end. */
  readonly counted?: false;
}

/** The routes of one page. */
export type AdminPage = (admin: Admin) => readonly AdminRoute[];

/**
 * The address of a path of this service, such as `/admin/config`, for a link: below the path of the public
 * URL, on the host that the browser asked.
 */
export function href(c: RequestContext, path: string): string {
  return new URL(c.get("base")).pathname.replace(/\/+$/, "") + path;
}
