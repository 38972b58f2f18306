// The start page with its pictures, robots.txt, and the documentation.

import { mainMounts } from "../../iiif/image/mounts.ts";
import { countImages } from "../../images/count-images.ts";
import { firstImages } from "../../images/first-images.ts";
import type { Service } from "../../service.ts";
import { setCaching } from "../http/caching.ts";
import { callerOf } from "../http/caller.ts";
import { type RequestContext, sent } from "../http/context.ts";
import { pageResponse } from "../http/page.ts";
import { noSuchPage, Refusal } from "../http/problem.ts";
import type { Routes } from "../http/routes.ts";
import { docsPage } from "./docs-page.ts";
import { homePage } from "./home-page.ts";

/** Pictures that the start page offers at most. */
const shown = 24;
/** How far it counts the others. */
const counted = { most: 5000, ms: 400 };

/** Mounts /, /robots.txt, /favicon.ico and the documentation. */
export function mountHome(routes: Routes, service: Service): void {
  routes.add({
    path: "/",
    async get(c) {
      const source = service.sources.default;
      const [{ listed, sharing }, count] = await Promise.all([
        firstImages(service.images, source, shown, (identifier) => callerOf(c, identifier)),
        // How many there are is nobody's business where not everybody may see them.
        service.auth || service.hooks.has("authorize") ? undefined : countImages(source, counted),
      ]);
      const headers: Record<string, string> = {};
      setCaching(headers, c, sharing, "no-cache");
      return pageResponse(c, homePage(service, c.get("base"), { listed, count }), { headers });
    },
  });

  routes.add({
    path: "/robots.txt",
    get: (c) =>
      new Response(sent(c, robots(service)), {
        headers: { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "public, max-age=3600" },
      }),
  });

  routes.add({ path: "/favicon.ico", get: (c) => c.get("files").respond(c, "page/icon.svg") });
  routes.add({ path: "/static/docs/*", get: (c) => documentation(c, service) });
}

/** A page of the documentation, or a file that belongs to it. */
async function documentation(c: RequestContext, service: Service): Promise<Response> {
  const path = c.get("target").path.slice("/static/".length);
  if (!/^docs\/[\w-]+\.html$/.test(path)) return c.get("files").respond(c, path);
  const body = await service.platform.asset(path);
  if (!body) throw new Refusal(noSuchPage);
  const page = docsPage(new TextDecoder().decode(body));
  return pageResponse(c, page, { headers: { "Cache-Control": "public, max-age=3600" } });
}

/** Crawlers may read descriptions and thumbnails, not whole pictures at full size. */
function robots(service: Service): string {
  const prefixes = [...mainMounts, ...service.config().aliases].map(({ prefix }) => prefix);
  const whole = prefixes.flatMap((prefix) =>
    ["max", "^max", "full", "pct:100"].map((size) => `Disallow: ${prefix}*/full/${size}/`),
  );
  return ["User-agent: *", ...whole, ""].join("\n");
}
