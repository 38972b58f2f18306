// /admin/cache: the contents and health of each slot, and the forms that purge.

import type { RequestContext } from "../../server/index.ts";
import type { Admin, AdminPage } from "../admin.ts";
import { adminPage } from "../frame.tsx";
import { mayChange } from "../posts.ts";
import { PurgeEntry, type PurgeFault, PurgeFolder, PurgeImage, PurgeSlot, RefusedPurge } from "./forms.tsx";
import { LargestImages, readSlots, SlotCards } from "./slots.tsx";

/** Routes of /admin/cache. */
export const cachePages: AdminPage = (admin) => [
  { path: "/admin/cache", get: (c) => respondCaches(c, admin) },
];

/** The page; `fault` shows a submitted form again, with what is wrong with it. */
export async function respondCaches(c: RequestContext, admin: Admin, fault?: PurgeFault): Promise<Response> {
  const { service } = admin;
  const readings = await readSlots(service);
  const body = (
    <>
      {fault && <RefusedPurge fault={fault} />}
      <SlotCards readings={readings} />
      <LargestImages c={c} service={service} />
      {mayChange(c) && (
        <div class="forms">
          <PurgeImage c={c} fault={fault} />
          <PurgeFolder c={c} fault={fault} />
          <PurgeSlot c={c} readings={readings} fault={fault} />
          <PurgeEntry c={c} service={service} fault={fault} />
        </div>
      )}
    </>
  );
  return adminPage(
    c,
    admin,
    { title: "Caches", section: "caches", body, styles: ["admin/caches.css"], scripts: ["admin/caches.js"] },
    { status: fault?.status ?? 200 },
  );
}
