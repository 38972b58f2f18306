// The start page with its pictures, robots.txt, and the documentation.

import { mainMounts } from "../../iiif/image/mounts.ts";
import { checkIdentifier } from "../../iiif/image/path.ts";
import { trimSlashes } from "../../lib/text/trim-ends.ts";
import { openCollection } from "../../manifests/browse/collection-page.ts";
import { describeSite } from "../../manifests/browse/site.ts";
import { longestSearch, wordsOf } from "../../manifests/search/words.ts";
import type { Service } from "../../service.ts";
import { callerOf } from "../http/client/caller.ts";
import { type RequestContext, recordSent } from "../http/context.ts";
import { pageResponse } from "../http/page.ts";
import { setCaching } from "../http/representation/caching.ts";
import { acceptedLanguages } from "../http/representation/language.ts";
import type { Routes } from "../http/routes.ts";
import type { ListParameters } from "./collection.ts";
import { respondDocumentation } from "./documentation.ts";
import { folderPage } from "./folder-page.ts";
import { homePage } from "./home-page.ts";
import { labelFor } from "./names.ts";
import type { Site } from "./pictures.ts";

/** Mounts /, /robots.txt, /favicon.ico and the documentation. */
export function mountHome(routes: Routes, service: Service): void {
  routes.add({ path: "/", get: (c) => respondHome(c, service) });

  routes.add({
    path: "/robots.txt",
    get: (c) =>
      new Response(recordSent(c, robots(service)), {
        headers: {
          "Content-Type": "text/plain; charset=utf-8",
          "Cache-Control": "public, max-age=3600",
          "X-Content-Type-Options": "nosniff",
        },
      }),
  });

  routes.add({ path: "/favicon.ico", get: (c) => c.get("files").respond(c, "page/icon.svg") });
  routes.add({ path: "/static/docs/*", get: (c) => respondDocumentation(c, service) });
}

async function respondHome(c: RequestContext, service: Service): Promise<Response> {
  const asked = askedIn(c.get("target").query);
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
  const site = await siteOf(c, service);
  const headers: Record<string, string> = {};
  setCaching(headers, c, page.sharing, "no-cache", "Accept-Language");
  const isFolder = page.identifier !== "" || asked.search !== "" || page.from > 0;
  const shown = isFolder ? folderPage(site, asked, page) : homePage(service, site, page);
  return pageResponse(c, shown, { headers });
}

/** Reads what all pages depend on. */
async function siteOf(c: RequestContext, service: Service): Promise<Site> {
  const base = c.get("base");
  const ranges = acceptedLanguages(c.req.raw.headers.get("Accept-Language"));
  const { title, provider } = await describeSite(service, service.config().presentation, base);
  const named = labelFor({ ranges }, title);
  return {
    base,
    folder: new URL(base).pathname.replace(/\/$/, ""),
    ranges,
    title: named ?? { text: "smalti" },
    isNamed: named !== undefined,
    ...(provider && { provider }),
    hasManifests: service.manifests !== undefined,
  };
}

/** Reads the usable parts of the query. Throws `not-found` if it names no possible folder. */
function askedIn(query: string): ListParameters {
  const parameters = new URLSearchParams(query);
  const named = trimSlashes(parameters.get("in") ?? "");
  const search = (parameters.get("q") ?? "").trim().slice(0, longestSearch);
  const from = parameters.get("from") ?? "";
  return {
    identifier: named === "" ? "" : checkIdentifier(named),
    search,
    from: /^[1-9]\d{0,8}$/.test(from) ? Number(from) - 1 : 0,
  };
}

/** Crawlers may read descriptions and thumbnails, but not whole images at full size. */
function robots(service: Service): string {
  const prefixes = [...mainMounts, ...service.config().aliases].map(({ prefix }) => prefix);
  const whole = prefixes.flatMap((prefix) =>
    ["max", "^max", "full", "pct:100"].map((size) => `Disallow: ${prefix}*/full/${size}/`),
  );
  return ["User-agent: *", ...whole, ""].join("\n");
}
