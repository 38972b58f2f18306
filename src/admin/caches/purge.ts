// Handles purges: the forms of /admin/cache and of an image's page, and /admin/api/purge for scripts.

import { maskIdentifier, ServiceError, trimFinalSlashes } from "../../base/index.ts";
import {
  noteFailure,
  type PurgedImage,
  type PurgeParts,
  purgeEntry,
  purgeImage,
  purgeSlot,
  Refusal,
  type RequestContext,
  readForm,
  readJson,
  recordSent,
  type SlotName,
  slotNames,
  statusOf,
  unknownImageError,
} from "../../server/index.ts";
import { imagePath } from "../addresses.ts";
import { type Admin, type AdminPage, formRoute } from "../admin.ts";
import { createFolderPurges, type FolderPurges } from "./folder-purges.ts";
import type { PurgeFault } from "./forms.tsx";
import { respondCaches } from "./page.tsx";
import { entryCount } from "./slots.tsx";

/** Routes of the forms and of /admin/api/purge. */
export const purgeRoutes: AdminPage = (admin) => {
  const folders = createFolderPurges(admin.service);
  return [
    formRoute("/admin/cache/purge", page, (c) => entryForm(c, admin)),
    formRoute("/admin/cache/purge-all", page, (c) => slotForm(c, admin)),
    formRoute("/admin/cache/purge-image", page, (c) => imageForm(c, admin)),
    formRoute("/admin/cache/purge-folder", page, (c) => folderForm(c, admin, folders)),
    { path: "/admin/api/purge", post: (c) => purgeByScript(c, admin, folders) },
  ];
};

const page = "/admin/cache";

/** Maximum bytes of a form or a JSON text: identifiers are as long as addresses may be. */
const maxBody = 64 * 1024;

const partsOf = ({ service }: Admin): PurgeParts => ({ ...service, aliases: service.config().aliases });

async function entryForm(c: RequestContext, admin: Admin): Promise<Response> {
  const { cache, key } = await fields(c, ["cache", "key"]);
  const entered = { cache, key };
  noteTarget(c, `${cache} ${key}`);
  const slot = slotOf(cache);
  if (!slot) return respondCaches(c, admin, { ...unknownCache(cache), form: "entry", entered });
  return orFault(c, admin, { form: "entry", field: "key", entered }, async () => {
    const removed = await purgeEntry(partsOf(admin), slot, key.trim());
    admin.service.log.info("an entry was purged by the operator", { cache: slot, entries: removed });
    return admin.outcomes.redirect(c, page, {
      state: "done",
      text:
        removed === 0
          ? `The ${slot} cache had no entry for this key.`
          : `${entryCount(removed)} removed from the ${slot} cache.`,
      details: [key.trim()],
    });
  });
}

async function slotForm(c: RequestContext, admin: Admin): Promise<Response> {
  const { cache } = await fields(c, ["cache"]);
  const entered = { cache };
  noteTarget(c, cache);
  const slot = slotOf(cache);
  if (!slot) return respondCaches(c, admin, { ...unknownCache(cache), form: "slot", entered });
  return orFault(c, admin, { form: "slot", field: "cache", entered }, async () => {
    const { usage } = admin.service.slots[slot];
    const held = await usage?.().catch(() => undefined);
    await purgeSlot(partsOf(admin), slot);
    admin.service.log.info("a cache was emptied by the operator", { cache: slot });
    return admin.outcomes.redirect(c, page, {
      state: "done",
      text: `The ${slot} cache was emptied${held ? `; it held ${entryCount(held.entries)}` : ""}.`,
    });
  });
}

async function imageForm(c: RequestContext, admin: Admin): Promise<Response> {
  const { identifier: entry, from } = await fields(c, ["identifier", "from"]);
  const entered = { identifier: entry };
  noteTarget(c, entry);
  const identifier = entry.trim();
  return orFault(c, admin, { form: "image", field: "identifier", entered }, async () => {
    const { purged } = await purgeNamed(admin, identifier);
    const removed = sumOf(purged);
    // The page of an image says itself whether there is one.
    if (removed === 0 && from !== "view") {
      const unknown = await unknownImageError(admin.service.images, identifier);
      if (unknown) throw unknown;
    }
    return admin.outcomes.redirect(c, from === "view" ? imagePath(identifier) : page, {
      state: "done",
      text:
        removed === 0
          ? `Nothing was cached of ${identifier}.`
          : `${entryCount(removed)} of ${identifier} removed: ${countsOf(purged)}.`,
    });
  });
}

async function folderForm(c: RequestContext, admin: Admin, folders: FolderPurges): Promise<Response> {
  const { folder } = await fields(c, ["folder"]);
  const entered = { folder };
  noteTarget(c, folder);
  return orFault(c, admin, { form: "folder", field: "folder", entered }, async () => {
    const name = trimFinalSlashes(folder.trim());
    const result = await folders.purge(partsOf(admin), folder.trim());
    return admin.outcomes.redirect(c, page, {
      state: "done",
      text: result
        ? `${entryCount(sumOf(result.purged))} of ${imageCount(result.masters)} in ${name} removed: ${countsOf(result.purged)}.`
        : `The purge of ${name} takes longer and continues. The log says when it has ended.`,
    });
  });
}

/**
 * Purges the image or the folder that a JSON object names. A folder may take longer: then 202. A note says if
 * nothing was cached and no source has such an image.
 */
async function purgeByScript(c: RequestContext, admin: Admin, folders: FolderPurges): Promise<Response> {
  const body = await readJson(c, maxBody);
  const isObject = typeof body === "object" && body !== null && !Array.isArray(body);
  const [[name, value] = [], ...others] = Object.entries(isObject ? body : {}) as [string, unknown][];
  if (
    !/^(?:identifier|folder)$/.test(name ?? "") ||
    typeof value !== "string" ||
    value === "" ||
    others.length > 0
  )
    throw new Refusal({
      status: 400,
      code: "invalid_purge_request",
      detail:
        'Expected a JSON object that names an image or a folder and nothing else, such as {"identifier": "maps/a.tif"} or {"folder": "maps"}; received something else.',
    });
  c.set("act", { action: `purge_${name === "folder" ? "folder" : "image"}`, target: maskIdentifier(value) });
  const result =
    name === "folder" ? await folders.purge(partsOf(admin), value) : await purgeByName(admin, value);
  return new Response(recordSent(c, JSON.stringify(result ?? { running: true })), {
    status: result ? 200 : 202,
    headers: {
      "Content-Type": "application/json",
      "Cache-Control": "no-store",
      "X-Content-Type-Options": "nosniff",
    },
  });
}

/** Purges an image. */
async function purgeByName(
  admin: Admin,
  identifier: string,
): Promise<PurgedImage & { readonly note?: string }> {
  const result = await purgeNamed(admin, identifier);
  const unknown =
    sumOf(result.purged) === 0 ? await unknownImageError(admin.service.images, identifier) : undefined;
  return { ...result, ...(unknown && { note: unknown.message }) };
}

async function purgeNamed(admin: Admin, identifier: string): Promise<PurgedImage> {
  const result = await purgeImage(partsOf(admin), identifier);
  admin.service.log.info("an image was purged by the operator", {
    identifier: maskIdentifier(identifier),
    ...result.purged,
  });
  return result;
}

const noteTarget = (c: RequestContext, target: string) =>
  c.set("act", { target: maskIdentifier(target.trim()) });

/** Returns the fields of a form; "" for those that were not sent. */
async function fields<N extends string>(c: RequestContext, names: readonly N[]): Promise<Record<N, string>> {
  const form = await readForm(c, maxBody);
  return Object.fromEntries(names.map((name) => [name, form.get(name) ?? ""])) as Record<N, string>;
}

const slotOf = (name: string): SlotName | undefined => slotNames.find((each) => each === name);

const unknownCache = (received: string): Pick<PurgeFault, "field" | "message" | "status"> => ({
  field: "cache",
  status: 422,
  message: `Expected render, info or origin; received ${received === "" ? "nothing" : JSON.stringify(received.slice(0, 40))}.`,
});

/** Kinds of errors that the input causes. */
const ofInput: ReadonlySet<string> = new Set(["bad-request", "not-found"]);

/** Returns the result of an act, or the page with its form again and what went wrong. */
async function orFault(
  c: RequestContext,
  admin: Admin,
  form: Pick<PurgeFault, "form" | "field" | "entered">,
  act: () => Promise<Response>,
): Promise<Response> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    noteFailure(c, admin.service.log, error);
    const { kind, message } = error;
    return respondCaches(c, admin, {
      ...form,
      message,
      status: ofInput.has(kind) ? 422 : statusOf[kind],
    });
  }
}

const imageCount = (images: number) => (images === 1 ? "1 file" : `${images.toLocaleString("en")} files`);

const sumOf = (purged: PurgedImage["purged"]) => Object.values(purged).reduce((sum, each) => sum + each, 0);

const countsOf = (purged: PurgedImage["purged"]) =>
  slotNames.map((name) => `${name} ${purged[name].toLocaleString("en")}`).join(", ");
