// The page /admin/config.

import type { AdminPage } from "./admin.ts";
import { adminPage } from "./frame.tsx";

/** Its routes. */
export const configurationPages: AdminPage = (admin) => [
  {
    path: "/admin/config",
    get: (c) => adminPage(c, admin, { title: "Configuration", section: "configuration", body: "" }),
  },
];
