// Routes below /admin/.

import type { AdminPage } from "./admin.ts";

/** Its routes. */
export const purgeRoutes: AdminPage = () => [];
