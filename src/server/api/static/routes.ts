// The files of static/ that pages of this service use, in any folder.

import type { Routes } from "../http/routes.ts";

const prefix = "/static/";

/** Mounts /static/. */
export function mountStatic(routes: Routes): void {
  routes.add({
    path: `${prefix}*`,
    get: (c) => c.get("files").respond(c, c.get("target").path.slice(prefix.length)),
  });
}
