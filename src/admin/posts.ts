// Every act that a form or a script can ask of these pages, and the role that it needs. A GET has no effect,
// so that everybody with a login may send it.

import type { Operator, RequestContext } from "../server/index.ts";
import { Refusal } from "../server/index.ts";

/** Roles by the path of the route. A page that posts to a path without a row does not start. */
export const posts: Readonly<Record<string, Operator["role"]>> = {
  "/admin/config": "change",
  "/admin/cache/purge": "change",
  "/admin/cache/purge-all": "change",
  "/admin/cache/purge-image": "change",
  "/admin/cache/purge-folder": "change",
  "/admin/api/purge": "change",
  "/admin/auth/end": "change",
  // An examination of logins, which begins sessions, is refused by the page itself.
  "/admin/doctor": "look",
  // No page: 404.
  "/admin/*": "look",
};

/** True if the operator may do what has an effect. */
export const mayChange = (c: RequestContext): boolean => c.get("operator")?.role === "change";

/** Throws a Refusal with 403 if the operator may only look. */
export function refuseLookers(c: RequestContext): void {
  if (!mayChange(c)) throw new Refusal(lookOnly);
}

const lookOnly = {
  status: 403,
  code: "role_required",
  detail:
    "Expected an operator who may change something; this one may only look. Ask for the name to be added to admin.change.",
};
