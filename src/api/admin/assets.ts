// /admin/static/: what the pages of the operator are made of, OpenSeadragon included, from this host alone.

import { noSuchPage, Refusal } from "../http/problem.ts";
import type { AdminPage } from "./admin.ts";

const prefix = "/admin/static/";

/** Folders of static/ that lie there. */
const folders = /^(?:admin|page|openseadragon)\//;

/** Its routes. */
export const assetRoutes: AdminPage = () => [
  {
    path: `${prefix}*`,
    async get(c) {
      const path = c.get("target").path.slice(prefix.length);
      if (!folders.test(path)) throw new Refusal(noSuchPage);
      const answer = await c.get("files").respond(c, path);
      // What needs credentials is not for caches that many share.
      answer.headers.set("Cache-Control", "private, max-age=3600");
      return answer;
    },
  },
];
