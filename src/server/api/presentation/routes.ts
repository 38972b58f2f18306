// The Presentation API over HTTP: manifests, collections and their parts, for versions 3.0 and 2.1.

import { ServiceError } from "../../../base/index.ts";
import {
  imageChallenge,
  type PresentationVersion,
  presentationContext,
  presentationPaths,
  presentationRoot,
} from "../../../iiif/index.ts";
import type { RefusedDecision } from "../../access/access.ts";
import type { Manifests, Presented } from "../../manifests/manifests.ts";
import type { Service } from "../../service.ts";
import { addChangesLink } from "../http/changes-link.ts";
import { callerOf, type RequestContext } from "../http/context.ts";
import { setCors } from "../http/cors.ts";
import { documentContext } from "../http/document-context.ts";
import { noteFailure } from "../http/failure.ts";
import { preferredType } from "../http/representation/accept.ts";
import { setCaching } from "../http/representation/caching.ts";
import { sendText } from "../http/representation/send.ts";
import type { Routes } from "../http/routes.ts";
import { type Bodies, rememberBodies } from "./bodies.ts";
import { createSpellings } from "./spelling.ts";

/** Mounts the Presentation API if it is enabled; otherwise its addresses are not found. */
export function mountPresentation(routes: Routes, service: Service): void {
  const { manifests } = service;
  if (!manifests) return;
  const bodies = rememberBodies();
  const redirectSpelling = createSpellings();
  for (const version of [3, 2] as const) {
    const root = presentationRoot[version];
    const get = (c: RequestContext) =>
      redirectSpelling(c, version) ?? respond(c, service, manifests, bodies, version);
    routes.add({ path: root, cors: true, get });
    routes.add({ path: `${root}/*`, cors: true, get });
  }
}

/** Media types of documents, the default first (Presentation API 3.0, section 6.2; 2.1, section 6). */
const types = {
  3: ["application/ld+json", "application/json"],
  2: ["application/json", "application/ld+json"],
} as const satisfies Readonly<Record<PresentationVersion, readonly string[]>>;

async function respond(
  c: RequestContext,
  service: Service,
  manifests: Manifests,
  bodies: Bodies,
  version: PresentationVersion,
): Promise<Response> {
  const readings = presentationPaths(c.get("target").path.slice(presentationRoot[version].length));
  const caller = callerOf(c, "");
  const presented = await manifests.present(readings, caller, documentContext(c, service));
  const type = contentType(preferredType(c, types[version]), version);
  const { refused } = presented;
  if (presented.raw && !refused) return sendRaw(c, service, presented, presented.raw);
  const body = await bodies(presented, version, type, c.get("base"));
  if (!body)
    throw new ServiceError(
      "not-found",
      "Version 2.1 of the Presentation API has no resource like this one. Ask for it under version 3.",
      { code: "no_such_manifest" },
    );
  const { bytes, etag } = body;
  const headers: Record<string, string> = {};
  if (type === "application/json")
    headers.Link = `<${presentationContext[version]}>;rel="http://www.w3.org/ns/json-ld#context";type="application/ld+json"`;
  if (c.get("target").path === presentationRoot[version]) addChangesLink(headers, c, service);
  setCaching(
    headers,
    c,
    presented.sharing(),
    presented.lasts() ? service.caching.documents : "no-cache",
    "Accept",
  );
  setCors(headers, c);
  const ignored = refused ? undefined : presented.readIgnoredFile?.();
  if (ignored !== undefined) {
    headers["X-Ignored-Manifest-File"] = ignored;
    // The name of the header before 0.2, to be removed in the release after.
    headers["X-Ignored-Sidecar"] = ignored;
  }
  // The connection is then cut, so that no client takes a part for the whole.
  const onError = (error: unknown) => void noteFailure(c, service.log, error);
  const sent = typeof bytes === "function" ? () => bytes(onError) : bytes;
  // A title alone is no version of the document that a client may hold.
  if (refused) {
    const status = statusOf(refused);
    if (status === 401) headers["WWW-Authenticate"] = imageChallenge;
    return sendText(c, sent, { type, headers, status });
  }
  return sendText(c, sent, { type, headers, ...(etag !== undefined && { validators: { etag } }) });
}

/**
 * Sends plain text, or a file of text as it is. Nothing in it runs, since anyone may have written it.
 */
async function sendRaw(
  c: RequestContext,
  service: Service,
  presented: Presented,
  raw: NonNullable<Presented["raw"]>,
): Promise<Response> {
  const { type, bytes } = await raw();
  const headers: Record<string, string> = { "Content-Security-Policy": "sandbox; default-src 'none'" };
  setCaching(headers, c, presented.sharing(), presented.lasts() ? service.caching.documents : "no-cache");
  setCors(headers, c);
  return sendText(c, bytes, { type, headers });
}

/** A hook redirects readers of images, and there is no other document. */
const statusOf = ({ status }: RefusedDecision): number => (status === 303 ? 401 : status);

/** Returns the content type of a document: JSON-LD includes its profile. */
function contentType(
  type: (typeof types)[PresentationVersion][number],
  version: PresentationVersion,
): string {
  return type === "application/ld+json" ? `${type};profile="${presentationContext[version]}"` : type;
}
