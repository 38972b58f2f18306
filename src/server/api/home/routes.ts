// The start page with its pictures, robots.txt, and the documentation.

import { ServiceError, trimFinalSlashes, trimSlashes } from "../../../base/index.ts";
import {
  changesAddress,
  checkIdentifier,
  downloadsPath,
  mainMounts,
  type Resource,
} from "../../../iiif/index.ts";
import { combineSharing, type Sharing } from "../../access/access.ts";
import { lookAround } from "../../manifests/browse/around-document.ts";
import { openCollection } from "../../manifests/browse/collection-page.ts";
import { maxSearchLength, wordsOf } from "../../manifests/search/words.ts";
import type { FoundTexts } from "../../manifests/source-texts/source-text-search.ts";
import type { Service } from "../../service.ts";
import { robotsText } from "../../visitors/robots/robots-text.ts";
import { addChangesLink } from "../http/changes-link.ts";
import { callerOf, type RequestContext, recordSent } from "../http/context.ts";
import { searchTexts } from "../http/found-texts.ts";
import { builtPageResponse, pageResponse } from "../http/page.ts";
import { noSuchPage, Refusal } from "../http/problem.ts";
import { setCaching, setVary } from "../http/representation/caching.ts";
import type { Routes } from "../http/routes.ts";
import { linksPath } from "../http/signed-address.ts";
import type { ListParameters } from "./addresses.ts";
import { documentPage } from "./document-page.ts";
import { folderPage, lockedFolderPage } from "./folder-page.ts";
import { homePage } from "./home-page.ts";
import { siteOf } from "./site.ts";
import { shownTexts } from "./texts.ts";

/** Mounts /, /robots.txt, /favicon.ico and the documentation. */
export function mountHome(routes: Routes, service: Service): void {
  routes.add({ path: "/", proof: "page", get: (c) => respondHome(c, service) });

  routes.add({
    path: "/robots.txt",
    get: (c) => respondRobots(c, service),
  });

  routes.add({ path: "/favicon.ico", get: (c) => c.get("files").respond(c, "page/icon.svg") });
  routes.add({ path: "/static/docs/*", proof: "page", get: (c) => respondDocumentation(c, service) });
}

async function respondHome(c: RequestContext, service: Service): Promise<Response> {
  return respondFolder(c, service, readListParameters(c.get("target").query));
}

/** The pages of collections, for surfaces whose addresses name some. */
export const collectionPages = {
  /** Responds with the page of a folder. Throws as {@link openCollection} does. */
  folder: (c: RequestContext, service: Service, identifier: string): Promise<Response> =>
    respondFolder(c, service, { ...readListParameters(c.get("target").query), identifier }),
  /** Responds with the page of a collection that its operator wrote, or a hook. */
  document: respondDocument,
};

async function respondFolder(c: RequestContext, service: Service, asked: ListParameters): Promise<Response> {
  const { images, sources, folders, search, auth } = service;
  const { presentation } = service.config();
  const page = await openCollection(
    { images, sources, folders, search, auth, options: presentation },
    {
      identifier: asked.identifier,
      from: asked.from,
      words: wordsOf(asked.search),
      callerOf: (identifier) => callerOf(c, identifier),
    },
  );
  const { identifier } = page;
  // Further pages of entries have no texts.
  const isText = asked.search !== "" && asked.from === 0 && !page.lock;
  const texts = isText
    ? await searchTexts(c, service, {
        identifier,
        query: asked.search,
        from: asked.text ?? 0,
        count: shownTexts,
      }).catch(unlessUnavailable)
    : undefined;
  const site = await siteOf(c, service);
  const headers: Record<string, string> = {};
  const sharing = [page.sharing, site.logins.sharing, ...(texts ? [texts.sharing] : [])];
  setCaching(headers, c, combineSharing(sharing), "no-cache", "Accept-Language");
  if (page.lock)
    return pageResponse(c, lockedFolderPage(site, asked, page, page.lock), { headers, status: 401 });
  if (page.identifier === "") addChangesLink(headers, c, service);
  const isFolder = page.identifier !== "" || asked.search !== "" || page.from > 0 || site.isEmbedded;
  const shown = isFolder ? folderPage(site, asked, page, texts) : homePage(service, site, page);
  return pageResponse(c, shown, { headers });
}

/** Names and labels are found without a search engine; the page says that texts were not read. */
function unlessUnavailable(error: unknown): FoundTexts {
  if (!(error instanceof ServiceError) || error.code !== "search_unavailable") throw error;
  return { pages: [], isCapped: false, lack: "unreadable", sharing: combineSharing([]) };
}

async function respondDocument(
  c: RequestContext,
  service: Service,
  { document, above, sharing }: { document: Resource; above?: string; sharing: Sharing },
): Promise<Response> {
  const { images, sources, folders, auth } = service;
  const { presentation } = service.config();
  const base = c.get("base");
  const around = await lookAround(
    { images, sources, folders, auth, options: presentation },
    { document, above, base, callerOf: (identifier) => callerOf(c, identifier) },
  );
  const site = await siteOf(c, service);
  const headers: Record<string, string> = {};
  const all = combineSharing([sharing, around.sharing, site.logins.sharing]);
  setCaching(headers, c, all, "no-cache", "Accept-Language");
  return pageResponse(c, documentPage(site, document, around, presentation.allowed_origins), { headers });
}

/** Reads the usable parts of the query. Throws `not-found` if it names no possible folder. */
function readListParameters(query: string): ListParameters {
  const parameters = new URLSearchParams(query);
  const named = trimSlashes(parameters.get("in") ?? "");
  const search = (parameters.get("q") ?? "").trim().slice(0, maxSearchLength);
  return {
    identifier: named === "" ? "" : checkIdentifier(named),
    search,
    from: indexIn(parameters, "from"),
    text: search === "" ? 0 : indexIn(parameters, "text"),
  };
}

/** Returns the index from 0 that a parameter names by its number from 1; 0 if it names none. */
function indexIn(parameters: URLSearchParams, name: string): number {
  const value = parameters.get(name) ?? "";
  return /^[1-9]\d{0,8}$/.test(value) ? Number(value) - 1 : 0;
}

async function respondRobots(c: RequestContext, service: Service): Promise<Response> {
  const { robots, aliases } = service.config();
  const base = c.get("base");
  const prefixes = [...mainMounts, ...aliases].map(({ prefix }) => prefix);
  const paths = {
    base: trimFinalSlashes(new URL(base).pathname),
    images: service.links() ? [...prefixes, ...prefixes.map((prefix) => `${linksPath}*${prefix}`)] : prefixes,
    downloads: downloadsPath,
  };
  const changes = service.changes
    ? [`Changes to the manifests (IIIF Change Discovery 1.0): ${changesAddress(base)}`]
    : [];
  const headers: Record<string, string> = {
    "Content-Type": "text/plain; charset=utf-8",
    "Cache-Control": "public, max-age=3600",
    "X-Content-Type-Options": "nosniff",
  };
  setVary(headers, c);
  const text = robotsText(robots, paths, await service.robots.agents(), changes);
  return new Response(recordSent(c, text), { headers });
}

const folder = "/static/docs/";

/** Responds with a page of the documentation, or with a file that belongs to it. */
async function respondDocumentation(c: RequestContext, service: Service): Promise<Response> {
  const path = c.get("target").path.slice(folder.length);
  if (path === "")
    return new Response(null, { status: 302, headers: { Location: `${c.get("base")}${folder}index.html` } });
  if (!/^(?:[\w-]+\/)?[\w-]+\.html$/.test(path)) return c.get("files").respond(c, `docs/${path}`);
  const page = await service.platform.asset(`docs/${path}`);
  if (!page) throw new Refusal(noSuchPage);
  return builtPageResponse(c, new TextDecoder().decode(page), { "Cache-Control": "public, max-age=3600" });
}
