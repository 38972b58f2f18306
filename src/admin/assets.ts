// /admin/static/: the files of the operator's pages, including OpenSeadragon, served from this host only.

import { noSuchPage, Refusal } from "../server/index.ts";
import type { AdminPage } from "./admin.ts";

const prefix = "/admin/static/";

/** Folders of static/ that these pages use. */
const folders = /^(?:admin|page|openseadragon)\//;

/** Route of /admin/static/. */
export const assetRoutes: AdminPage = () => [
  {
    path: `${prefix}*`,
    async get(c) {
      const path = c.get("target").path.slice(prefix.length);
      if (!folders.test(path)) throw new Refusal(noSuchPage);
      const response = await c.get("files").respond(c, path);
      // Responses that need credentials must not be stored by shared caches.
      response.headers.set("Cache-Control", "private, max-age=3600");
      return response;
    },
  },
];
