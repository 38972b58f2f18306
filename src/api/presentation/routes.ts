// The Presentation API over HTTP: manifests, collections and what is in them, for versions 3.0 and 2.1.

import { mainPrefix } from "../../iiif/image/mounts.ts";
import { presentationContext } from "../../iiif/presentation/context.ts";
import type { DocumentContext } from "../../iiif/presentation/model.ts";
import {
  type PresentationVersion,
  presentationPaths,
  presentationRoot,
} from "../../iiif/presentation/mounts.ts";
import { sha256, toHex } from "../../lib/digest.ts";
import type { Manifests } from "../../manifests/manifests.ts";
import type { Service } from "../../service.ts";
import { preferredType } from "../http/accept.ts";
import { setCaching } from "../http/caching.ts";
import { callerOf } from "../http/caller.ts";
import { isNotModified, validatorHeaders } from "../http/conditional.ts";
import { lengthOf, type RequestContext, sent } from "../http/context.ts";
import { setCors } from "../http/cors.ts";
import type { Routes } from "../http/routes.ts";

/** Mounts the Presentation API where it is switched on; else its addresses are missing as any other. */
export function mountPresentation(routes: Routes, service: Service): void {
  const { manifests } = service;
  if (!manifests) return;
  for (const version of [3] as const) {
    const root = presentationRoot[version];
    const get = (c: RequestContext) => answer(c, service, manifests, version);
    routes.add({ path: root, cors: true, get });
    routes.add({ path: `${root}/*`, cors: true, get });
  }
}

/** What documents are offered as, the usual type first (Presentation API 3.0, section 6.2; 2.1, section 6). */
const types = {
  3: ["application/ld+json", "application/json"],
  2: ["application/json", "application/ld+json"],
} as const satisfies Readonly<Record<PresentationVersion, readonly string[]>>;

async function answer(
  c: RequestContext,
  service: Service,
  manifests: Manifests,
  version: PresentationVersion,
): Promise<Response> {
  const readings = presentationPaths(c.get("target").path.slice(presentationRoot[version].length));
  const caller = callerOf(c, "");
  const { document, sharing, lasts } = await manifests.present(readings, caller, contextOf(c, service));
  const body = JSON.stringify(document);
  const type = contentType(preferredType(c, types[version]), version);
  const headers: Record<string, string> = {};
  if (type === "application/json")
    headers.Link = `<${presentationContext[version]}>;rel="http://www.w3.org/ns/json-ld#context";type="application/ld+json"`;
  setCaching(headers, c, sharing, lasts ? service.caching.info : "no-cache", "Accept");
  setCors(headers, c);
  const etag = `"${toHex(await sha256(type + body)).slice(0, 32)}"`;
  Object.assign(headers, validatorHeaders({ etag }));
  if (isNotModified(c.req.raw.headers, { etag })) return new Response(null, { status: 304, headers });
  const length = lengthOf(body);
  headers["Content-Type"] = type;
  headers["Content-Length"] = String(length);
  headers["X-Content-Type-Options"] = "nosniff";
  return new Response(c.req.method === "HEAD" ? null : sent(c, body, length), { headers });
}

function contextOf(c: RequestContext, { images }: Service): DocumentContext {
  return { base: c.get("base"), imagePrefixes: mainPrefix, limits: images.limits };
}

/** The content type of a document: JSON-LD has its profile. */
function contentType(
  type: (typeof types)[PresentationVersion][number],
  version: PresentationVersion,
): string {
  return type === "application/ld+json" ? `${type};profile="${presentationContext[version]}"` : type;
}
