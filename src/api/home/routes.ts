// The start page with its pictures, robots.txt, and the static files that pages of this service use.

import type { Hono } from "hono";
import { mainMounts } from "../../iiif/image/mounts.ts";
import { hash } from "../../images/cache-keys.ts";
import { countImages } from "../../images/count-images.ts";
import { firstImages } from "../../images/first-images.ts";
import type { Service } from "../../service.ts";
import { setCaching } from "../http/caching.ts";
import { callerOf } from "../http/caller.ts";
import { isNotModified } from "../http/conditional.ts";
import type { Env, RequestContext } from "../http/context.ts";
import { mountGet } from "../http/methods.ts";
import { docsPage } from "./docs-page.ts";
import { homePage } from "./home-page.ts";

const contentTypes: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  json: "application/json",
  jpg: "image/jpeg",
  png: "image/png",
  svg: "image/svg+xml",
  ico: "image/x-icon",
  txt: "text/plain; charset=utf-8",
};

/** Pictures that the start page offers at most. */
const shown = 24;
/** How far it counts the others. */
const counted = { most: 5000, ms: 400 };

/** Images come from the public address, which is another origin where the operator looks at the service directly. */
const securityPolicy = (base: string) => {
  const images = `'self' ${new URL(base).origin}`;
  return `default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src ${images} data: blob:; connect-src ${images}; base-uri 'none'; form-action 'none'; frame-ancestors *`;
};

/** The documentation has styles and pictures, and no script. */
const docsPolicy =
  "default-src 'none'; style-src 'self' 'unsafe-inline'; img-src 'self'; base-uri 'none'; form-action 'none'";

/** Mounts /, /robots.txt, /favicon.ico and /static/. */
export function mountHome(app: Hono<Env>, service: Service): void {
  mountGet(app, "/", async (c) => {
    const source = service.sources.default;
    const [{ listed, sharing }, count] = await Promise.all([
      firstImages(service.images, source, shown, (identifier) => callerOf(c, identifier)),
      countImages(source, counted),
    ]);
    const headers: Record<string, string> = {
      "Content-Type": "text/html; charset=utf-8",
      "Content-Security-Policy": securityPolicy(c.var.base),
      "X-Content-Type-Options": "nosniff",
    };
    setCaching(headers, c, sharing, "no-cache");
    return new Response(homePage(service, c.var.base, { listed, count }), { headers });
  });

  mountGet(
    app,
    "/robots.txt",
    () =>
      new Response(robots(service), {
        headers: { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "public, max-age=3600" },
      }),
  );

  mountGet(app, "/favicon.ico", (c) => file(c, service, "home/icon.svg"));
  mountGet(app, "/static/*", (c) => file(c, service, c.var.target.path.slice("/static/".length)));
}

async function file(c: RequestContext, service: Service, path: string): Promise<Response> {
  const extension = /\.([a-z]+)$/.exec(path)?.[1] ?? "";
  const type = contentTypes[extension];
  const asset =
    type && /^(docs|home|openseadragon)\/[A-Za-z0-9._/-]+$/.test(path) && !path.includes("..")
      ? await service.platform.asset(path)
      : undefined;
  const bytes =
    asset && extension === "html"
      ? new TextEncoder().encode(docsPage(new TextDecoder().decode(asset)))
      : asset;
  if (!bytes || !type) return c.notFound();
  const etag = `"${(await hash([service.version, path, bytes.length])).slice(0, 27)}"`;
  const headers = {
    ETag: etag,
    "Cache-Control": "public, max-age=3600",
    "X-Content-Type-Options": "nosniff",
    ...(extension === "html" ? { "Content-Security-Policy": docsPolicy } : {}),
  };
  if (isNotModified(c.req.raw.headers, { etag })) return new Response(null, { status: 304, headers });
  return new Response(bytes as Uint8Array<ArrayBuffer>, { headers: { ...headers, "Content-Type": type } });
}

/** Crawlers may read descriptions and thumbnails, not whole pictures at full size. */
function robots(service: Service): string {
  const prefixes = [...mainMounts, ...service.config().aliases].map(({ prefix }) => prefix);
  const whole = prefixes.flatMap((prefix) =>
    ["max", "^max", "full", "pct:100"].map((size) => `Disallow: ${prefix}*/full/${size}/`),
  );
  return ["User-agent: *", ...whole, ""].join("\n");
}
