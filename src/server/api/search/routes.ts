// Content Search 2.0 and 1.0 over HTTP: the search services of manifests. Every response is JSON, errors too:
// after one that is not, Universal Viewer shows no other.

import { ServiceError, sha256, toHex } from "../../../base/index.ts";
import {
  imageChallenge,
  readSearchPath,
  readSearchRequest,
  type SearchVersion,
  searchContext,
  searchFolders,
  searchResponse,
  termsResponse,
} from "../../../iiif/index.ts";
import type { RefusedDecision } from "../../access/access.ts";
import { identifierOfDocument, searchedText } from "../../manifests/documents/searched-text.ts";
import type { Manifests } from "../../manifests/manifests.ts";
import type { TextSearch } from "../../manifests/texts/text-search.ts";
import type { Service } from "../../service.ts";
import { callerOf, type RequestContext } from "../http/context.ts";
import { setCors } from "../http/cors.ts";
import { documentContext } from "../http/document-context.ts";
import { noSuchPage, Refusal } from "../http/problem.ts";
import { preferredType } from "../http/representation/accept.ts";
import { setCaching } from "../http/representation/caching.ts";
import { sendText } from "../http/representation/send.ts";
import type { Routes } from "../http/routes.ts";

/** Mounts the search services if the Presentation API is enabled. */
export function mountSearch(routes: Routes, service: Service): void {
  const { manifests, textSearch } = service;
  if (!manifests) return;
  const get = (c: RequestContext) => respond(c, service, manifests, textSearch);
  for (const folder of Object.values(searchFolders))
    routes.add({ path: `${folder}*`, cors: true, problemPage: false, counted: "search", get });
}

/** Media types, the default first. */
const types = ["application/json", "application/ld+json"] as const;

async function respond(
  c: RequestContext,
  service: Service,
  manifests: Manifests,
  textSearch: TextSearch,
): Promise<Response> {
  const { path, query } = c.get("target");
  const named = readSearchPath(path);
  if (!named) throw new Refusal(noSuchPage);
  const { kind, search, presentation, documents } = named;
  const request = readSearchRequest(new URLSearchParams(query), kind);
  const context = documentContext(c, service);
  const presented = await manifests.present(documents, callerOf(c, ""), context, "partly");
  if (presented.refused) throw refusalOf(presented.refused);
  const made = await presented.make();
  const text = await searchedText(made);
  if (text.pages.length === 0) throw noText();
  const base = c.get("base");
  const { signal } = c.req.raw;
  const site = { base, kind, search, presentation, id: identifierOfDocument(made.document, base) };
  const document =
    kind === "search"
      ? searchResponse(await textSearch.find(text, request, signal), site)
      : termsResponse(await textSearch.complete(text, request, signal), request, site);
  const bytes = new TextEncoder().encode(JSON.stringify(document));
  const type = preferredType(c, types);
  const headers: Record<string, string> = {};
  const caching = presented.lasts() ? service.caching.documents : "no-cache";
  setCaching(headers, c, presented.sharing(), caching, "Accept");
  setCors(headers, c);
  const etag = `"${toHex(await sha256(bytes)).slice(0, 32)}${type === types[0] ? "" : "-ld"}"`;
  return sendText(c, bytes, { type: contentType(type, search), headers, validators: { etag } });
}

/** Returns the content type of a response: JSON-LD includes its profile. */
const contentType = (type: (typeof types)[number], search: SearchVersion): string =>
  type === "application/ld+json" ? `${type};profile="${searchContext[search]}"` : type;

/** A hook redirects readers of images, and there is no other document. */
function refusalOf({ status: decided, reason }: RefusedDecision): Refusal {
  const status = decided === 303 ? 401 : decided;
  const headers: Record<string, string> = status === 401 ? { "WWW-Authenticate": imageChallenge } : {};
  return new Refusal({ status, code: "access_denied", detail: reason, headers });
}

/** Returns the error for readers who may not read the text: they learn no more than if there were none. */
const noText = () =>
  new ServiceError(
    "not-found",
    "Expected the manifest of a document with a text; this one has none that can be searched. Manifests with a text name their search services.",
    { code: "no_text" },
  );
