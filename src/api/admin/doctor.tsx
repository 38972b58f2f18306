// The page /admin/doctor.

import type { AdminPage } from "./admin.ts";
import { adminPage } from "./frame.tsx";

/** Its routes. */
export const doctorPages: AdminPage = (admin) => [
  {
    path: "/admin/doctor",
    get: (c) => adminPage(c, admin, { title: "Doctor", section: "doctor", body: "" }),
  },
];
