// What the pages of the operator share.

import type { Service } from "../../service.ts";
import type { RequestContext } from "../http/context.ts";
import type { Act, Route } from "../http/routes.ts";
import type { Outcomes } from "./outcome.ts";

export interface Admin {
  readonly service: Service;
  readonly outcomes: Outcomes;
}

/** A page of the operator's. Nobody else gets to its acts. */
export interface AdminRoute extends Pick<Route, "path" | "maxTarget"> {
  readonly get?: Act;
  readonly post?: Act;
  /** Counted to the class `admin` unless it is never counted, as an answer without an end. */
  readonly counted?: false;
}

/** The routes of one page. */
export type AdminPage = (admin: Admin) => readonly AdminRoute[];

/** The address of a path of this service, such as `/admin/config`, for a link: below the path of the public URL, on the host that the browser asked. */
export function href(c: RequestContext, path: string): string {
  return new URL(c.get("base")).pathname.replace(/\/+$/, "") + path;
}
