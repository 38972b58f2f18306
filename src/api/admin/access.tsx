// The page /admin/auth.

import type { AdminPage } from "./admin.ts";
import { adminPage } from "./frame.tsx";

/** Its routes. */
export const accessPages: AdminPage = (admin) => [
  { path: "/admin/auth", get: (c) => adminPage(c, admin, { title: "Access", section: "access", body: "" }) },
];
