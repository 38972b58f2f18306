// Pages that show documents in a viewer: /view/{id}, and the view of a content state.

import { stateParameter, viewPath } from "../../../iiif/index.ts";
import { combineSharing } from "../../access/access.ts";
import { maxSearchLength } from "../../manifests/search/words.ts";
import type { Service } from "../../service.ts";
import type { RequestContext } from "../http/context.ts";
import { pageResponse } from "../http/page.ts";
import { setCaching } from "../http/representation/caching.ts";
import type { Routes } from "../http/routes.ts";
import { findDamage } from "./damage.ts";
import { elsewherePage } from "./elsewhere-page.ts";
import { renderLockedPage } from "./locked-page.ts";
import { type OpenedDocument, openContent, openPath } from "./opened.ts";
import { readerOf } from "./reader.ts";
import { viewerPage } from "./viewer-page.ts";
import { viewerNamed } from "./viewers.ts";

/** Longest target, in characters: a state of 64 KiB has to fit. */
const maxTarget = 64 * 1024;

/** The pages of collections, which another surface has. */
export interface CollectionPages {
  folder(c: RequestContext, service: Service, identifier: string): Promise<Response>;
  document(
    c: RequestContext,
    service: Service,
    collection: Pick<OpenedDocument, "document" | "above" | "sharing">,
  ): Promise<Response>;
}

/** Mounts the routes if documents are served. */
export function mountView(routes: Routes, service: Service, pages: CollectionPages): void {
  if (!service.manifests) return;
  const get = (c: RequestContext) => respondView(c, service, pages);
  for (const path of [viewPath, `${viewPath}/*`]) routes.add({ path, maxTarget, proof: "page", get });
  // Universal Viewer 4.4.0 adds its image prefix to a data URL, and requests the result.
  routes.add({ path: "/images/data:image/gif;base64,*", counted: false, get: respondBlank });
}

const readerAt = (c: RequestContext) => readerOf(c.req.raw.headers.get("Accept-Language"));

async function respondView(c: RequestContext, service: Service, pages: CollectionPages): Promise<Response> {
  const { path, query } = c.get("target");
  const parameters = new URLSearchParams(query);
  const hasStates = service.contentStates !== undefined;
  const state = (hasStates && parameters.get(stateParameter)) || undefined;
  const reader = readerAt(c);
  const opened =
    state === undefined
      ? await openPath(c, service, path.slice(viewPath.length))
      : await openContent(c, service, state);
  if ("lists" in opened) return pages.folder(c, service, opened.lists);
  const headers: Record<string, string> = { "Referrer-Policy": "same-origin" };
  const everyone = { cachedBy: "anyone", vary: [] } as const;
  setCaching(headers, c, "elsewhere" in opened ? everyone : opened.sharing, "no-cache", "Accept-Language");
  if ("elsewhere" in opened)
    return pageResponse(c, elsewherePage(opened.elsewhere, reader, c.get("base")), { headers });

  const { refused } = opened;
  if (refused) {
    const status = refused.status === 303 ? 401 : refused.status;
    return pageResponse(c, renderLockedPage(opened.document, reader, c.get("base")), { headers, status });
  }
  if (opened.document.type === "Collection") return pages.document(c, service, opened);

  const damage = await findDamage(c, service, opened);
  const all = combineSharing([opened.sharing, ...damage.sharing]);
  setCaching(headers, c, all, "no-cache", "Accept-Language");
  const { default_viewer: usual, allowed_origins: origins } = service.config().presentation;
  const named = parameters.get("viewer");
  const viewer = viewerNamed(named ?? "") ?? usual;
  const embedded = parameters.get("embed") === "1";
  const search = (parameters.get("q") ?? "").trim().slice(0, maxSearchLength);
  const asked = {
    reader,
    base: c.get("base"),
    embedded,
    viewer,
    usual,
    hasStates,
    origins,
    damaged: damage.damaged,
    ...(state !== undefined && { state }),
    ...(search !== "" && { search }),
    ...(named && viewer !== named && { unknownViewer: named }),
  };
  const pass = await c.get("passes")?.issue(c.get("client"), c.get("base"));
  if (pass !== undefined) headers["Set-Cookie"] = pass;
  return pageResponse(c, viewerPage(opened, asked), { headers });
}

const respondBlank = () =>
  new Response(null, { status: 204, headers: { "Cache-Control": "public, max-age=86400" } });
