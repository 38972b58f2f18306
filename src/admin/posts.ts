// Every act that a form or a script can ask of these pages, and the role that it needs. A GET has no effect,
// so that everybody with a login may send it.

import type { Operator, RequestContext } from "../server/index.ts";
import { Refusal } from "../server/index.ts";

/** What a POST needs, and the name of the act in the audit; without one it has no effect. */
interface Post {
  readonly role: Operator["role"];
  readonly action?: string;
}

/** By the path of the route. A page that posts to a path without a row does not start. */
export const posts: Readonly<Record<string, Post>> = {
  "/admin/config": { role: "change", action: "save_settings" },
  "/admin/cache/purge": { role: "change", action: "purge_entry" },
  "/admin/cache/purge-all": { role: "change", action: "purge_cache" },
  "/admin/cache/purge-image": { role: "change", action: "purge_image" },
  "/admin/cache/purge-folder": { role: "change", action: "purge_folder" },
  "/admin/api/purge": { role: "change", action: "purge_by_script" },
  "/admin/auth/end": { role: "change", action: "end_sessions" },
  // An examination of logins, which begins sessions, is refused by the page itself.
  "/admin/doctor": { role: "look", action: "ask_doctor" },
  // No page: 404.
  "/admin/*": { role: "look" },
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
