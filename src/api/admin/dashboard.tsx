// The page /admin/.

import type { AdminPage } from "./admin.ts";
import { adminPage } from "./frame.tsx";

/** Its routes. */
export const dashboardPages: AdminPage = (admin) => [
  { path: "/admin/", get: (c) => adminPage(c, admin, { title: "Status", section: "status", body: "" }) },
];
