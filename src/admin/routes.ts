// The pages of the operator under /admin/, mounted only if the environment names the operator.

import {
  noSuchPage,
  operatorOf,
  Refusal,
  type RouteHandler,
  type Routes,
  type Service,
} from "../server/index.ts";
import { accessPages } from "./access.tsx";
import { type Admin, type AdminPage, href } from "./admin.ts";
import { type Audit, createAudit } from "./audit/audit.ts";
import { auditPages } from "./audit/page.tsx";
import { cachePages } from "./caches/page.tsx";
import { purgeRoutes } from "./caches/purge.ts";
import { configurationPages } from "./configuration/page.tsx";
import { dashboardPages } from "./dashboard/page.tsx";
import { streamRoutes } from "./dashboard/stream.ts";
import { doctorPages } from "./doctor/page.tsx";
import { createGate } from "./gate.ts";
import { browsePages } from "./images/browse.tsx";
import { imagePages } from "./images/image.tsx";
import { pictureRoutes } from "./images/pictures.ts";
import { createOutcomes } from "./outcome.ts";
import { posts } from "./posts.ts";
import { visitorPages } from "./visitors/page.tsx";

const prefix = "/admin/static/";

/** Folders of static/ that these pages use. */
const folders = /^(?:admin|page|openseadragon)\//;

/** The files of the operator's pages, including OpenSeadragon, served from this host only. */
const assetRoutes: AdminPage = () => [
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

const pages: readonly AdminPage[] = [
  dashboardPages,
  streamRoutes,
  configurationPages,
  cachePages,
  purgeRoutes,
  accessPages,
  visitorPages,
  browsePages,
  imagePages,
  pictureRoutes,
  auditPages,
  doctorPages,
  assetRoutes,
];

const nothingHere: RouteHandler = () => {
  throw new Refusal({
    ...noSuchPage,
    detail: "There is no such page. The admin pages begin at /admin/.",
  });
};

/** Records an act before its response is sent, with what its code has noted of it. */
const withAudit =
  (post: RouteHandler, audit: Audit, action?: string): RouteHandler =>
  async (c) => {
    if (action === undefined) return post(c);
    const note = (result: "done" | "failed") =>
      audit.note(c, "authz_admin", { action, result, ...c.get("act") });
    try {
      const response = await post(c);
      note(response.status < 400 ? "done" : "failed");
      return response;
    } catch (error) {
      note("failed");
      throw error;
    }
  };

/**
 * Mounts the pages behind HTTP Basic if SERVICE_ADMIN_USER and SERVICE_ADMIN_PASS are both set; otherwise
 * mounts nothing. The caps on requests do not apply to them, since operators need them most while the service
 * is busy.
 */
export function mountAdmin(routes: Routes, service: Service): void {
  const credentials = operatorOf(service.platform.env);
  const { operators } = service;
  if (!credentials || !operators) return;
  const audit = createAudit(service);
  const gate = createGate(credentials, operators, () => service.config().admin.change, audit);
  const admin: Admin = { service, audit, outcomes: createOutcomes(credentials) };
  const add = ({ get, post, ...route }: ReturnType<AdminPage>[number]) => {
    const needed = posts[route.path];
    if (post && !needed) throw new Error(`Expected a row of posts.ts for ${route.path}, which has a POST.`);
    routes.add({
      counted: "admin",
      uncapped: true,
      compressed: false,
      ...route,
      ...(get && { get: gate(get, "look") }),
      ...(post &&
        needed && { post: gate(withAudit(post, audit, needed.action), needed.role, needed.action) }),
    });
  };
  routes.add({
    path: "/admin",
    counted: "admin",
    uncapped: true,
    get: (c) => new Response(null, { status: 308, headers: { Location: href(c, "/admin/") } }),
  });
  for (const page of pages) for (const route of page(admin)) add(route);
  add({ path: "/admin/*", get: nothingHere, post: nothingHere });
}
