// Change Discovery 1.0 over HTTP: the stream of changes to manifests, and its pages.

import { ServiceError, sha256, toHex } from "../../../base/index.ts";
import {
  type Change,
  changesCollection,
  changesPage,
  changesPageOf,
  changesPath,
  changesType,
  documentAddress,
  type Resource,
} from "../../../iiif/index.ts";
import type { ChangeEntry } from "../../manifests/changes/chain.ts";
import type { Changes } from "../../manifests/changes/changes.ts";
import type { Service } from "../../service.ts";
import type { RequestContext } from "../http/context.ts";
import { setCors } from "../http/cors.ts";
import { noSuchPage, Refusal } from "../http/problem.ts";
import { preferredType } from "../http/representation/accept.ts";
import { setVary } from "../http/representation/caching.ts";
import { sendText } from "../http/representation/send.ts";
import type { Routes } from "../http/routes.ts";

/**
 * Mounts the stream if it is enabled. From then on the service looks for changes, if work may go on between
 * requests.
 */
export function mountChanges(routes: Routes, { changes, platform }: Service): void {
  if (!changes) return;
  if (!platform.connectionsEndWithRequest) changes.start();
  routes.add({ path: changesPath, cors: true, get: (c) => respondStream(c, changes) });
  routes.add({ path: `${changesPath}/*`, cors: true, get: (c) => respondPage(c, changes) });
}

/** Media types, the default first (section 3.6). */
const types = ["application/ld+json", "application/json"] as const;

/** A harvester that is sent an old entry point or an old last page misses what has changed since. */
const growing = "no-cache";
/** Pages with one after them never change. */
const full = "public, max-age=86400";

async function respondStream(c: RequestContext, changes: Changes): Promise<Response> {
  const stream = await changes.stream();
  const document = stream && changesCollection({ base: c.get("base"), ...stream });
  if (document === undefined)
    throw new ServiceError(
      "not-found",
      "Nothing has been written to the stream of changes yet, and an empty one has no form. The service is looking at its manifests: ask again later.",
      { code: "no_changes_yet" },
    );
  return send(c, document, growing);
}

async function respondPage(c: RequestContext, changes: Changes): Promise<Response> {
  const named = changesPageOf(c.get("target").path);
  if (named === undefined) throw new Refusal(noSuchPage);
  const { stream: id, number } = named;
  const page = await changes.page(id, number);
  const base = c.get("base");
  const document =
    page &&
    changesPage(
      { number, start: page.start, changes: page.entries.map((entry) => changeOf(entry, base)) },
      { base, id, pages: page.pages },
    );
  if (page === undefined || document === undefined)
    throw new ServiceError(
      "not-found",
      `Expected a page of the stream as it is now; this one belongs to another, or does not exist. Begin with ${changesPath}.`,
      { code: "no_such_changes" },
    );
  return send(c, document, number < page.pages - 1 ? full : growing);
}

const changeOf = ({ type, id, time }: ChangeEntry, base: string): Change =>
  type === "Refresh"
    ? { type, time }
    : { type, time, object: { id: documentAddress(base, id), type: "Manifest" } };

async function send(c: RequestContext, document: Resource, caching: string): Promise<Response> {
  const bytes = new TextEncoder().encode(JSON.stringify(document));
  const type = preferredType(c, types);
  const headers: Record<string, string> = { "Cache-Control": caching };
  setVary(headers, c, "Accept");
  setCors(headers, c);
  const etag = `"${toHex(await sha256(bytes)).slice(0, 32)}${type === types[0] ? "" : "-json"}"`;
  return sendText(c, bytes, {
    type: type === types[0] ? changesType : type,
    headers,
    validators: { etag },
  });
}
