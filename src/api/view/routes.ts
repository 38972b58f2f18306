// Pages that show documents in a viewer: /view/{id}, and the view of a content state.

import { stateParameter } from "../../iiif/content-state/mounts.ts";
import { viewPath } from "../../iiif/view-mounts.ts";
import type { Service } from "../../service.ts";
import type { RequestContext } from "../http/context.ts";
import { pageResponse } from "../http/page.ts";
import { setCaching } from "../http/representation/caching.ts";
import type { Routes } from "../http/routes.ts";
import { contentsPage } from "./contents-page.ts";
import { lockedPage } from "./locked-page.ts";
import { elsewherePage, problemPage } from "./message-page.ts";
import { openContent, openPath } from "./opened.ts";
import { readerOf } from "./reader.ts";
import { viewerPage } from "./viewer-page.ts";
import { viewerNamed } from "./viewers.ts";

/** Longest target, in characters: a state of 64 KiB has to fit. */
const maxTarget = 64 * 1024;

/** Mounts the routes if documents are served. */
export function mountView(routes: Routes, service: Service): void {
  if (!service.manifests) return;
  const get = (c: RequestContext) => respondView(c, service);
  const problems = (c: RequestContext, problem: Parameters<typeof problemPage>[0]) =>
    problemPage(problem, readerAt(c), c.get("base"));
  for (const path of [viewPath, `${viewPath}/*`]) routes.add({ path, maxTarget, get, problemPage: problems });
  // Universal Viewer 4.4.0 adds its image prefix to a data URL, and requests the result.
  routes.add({ path: "/images/data:image/gif;base64,*", counted: false, get: respondBlank });
}

const readerAt = (c: RequestContext) => readerOf(c.req.raw.headers.get("Accept-Language"));

async function respondView(c: RequestContext, service: Service): Promise<Response> {
  const { path, query } = c.get("target");
  const parameters = new URLSearchParams(query);
  const hasStates = service.contentStates !== undefined;
  const state = (hasStates && parameters.get(stateParameter)) || undefined;
  const reader = readerAt(c);
  const opened =
    state === undefined
      ? await openPath(c, service, path.slice(viewPath.length))
      : await openContent(c, service, state);
  const headers: Record<string, string> = { "Referrer-Policy": "same-origin" };
  const everyone = { keptBy: "anyone", vary: [] } as const;
  setCaching(headers, c, "elsewhere" in opened ? everyone : opened.sharing, "no-cache", "Accept-Language");
  if ("elsewhere" in opened)
    return pageResponse(c, elsewherePage(opened.elsewhere, reader, c.get("base")), { headers });

  const { refused } = opened;
  if (refused) {
    const status = refused.status === 303 ? 401 : refused.status;
    return pageResponse(c, lockedPage(opened.document, reader, c.get("base")), { headers, status });
  }
  const { default_viewer: usual, allowed_origins: origins } = service.config().presentation;
  const named = parameters.get("viewer");
  const viewer = viewerNamed(named ?? "") ?? usual;
  const embedded = parameters.get("embed") === "1";
  const asked = {
    reader,
    base: c.get("base"),
    embedded,
    viewer,
    usual,
    hasStates,
    origins,
    ...(state !== undefined && { state }),
    ...(named && viewer !== named && { unknownViewer: named }),
  };
  const kept = [...(viewer === usual ? [] : [`viewer=${viewer}`]), ...(embedded ? ["embed=1"] : [])].join(
    "&",
  );
  const page =
    opened.document.type === "Collection"
      ? contentsPage(opened, asked, kept && `?${kept}`, origins)
      : viewerPage(opened, asked);
  return pageResponse(c, page, { headers });
}

const respondBlank = () =>
  new Response(null, { status: 204, headers: { "Cache-Control": "public, max-age=86400" } });
