// The page /admin/cache.

import type { AdminPage } from "./admin.ts";
import { adminPage } from "./frame.tsx";

/** Its routes. */
export const cachePages: AdminPage = (admin) => [
  { path: "/admin/cache", get: (c) => adminPage(c, admin, { title: "Caches", section: "caches", body: "" }) },
];
