// The page /admin/browse.

import type { AdminPage } from "./admin.ts";
import { adminPage } from "./frame.tsx";

/** Its routes. */
export const browsePages: AdminPage = (admin) => [
  {
    path: "/admin/browse",
    get: (c) => adminPage(c, admin, { title: "Images", section: "images", body: "" }),
  },
];
