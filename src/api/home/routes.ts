// The start page with its pictures, robots.txt, and the static files that pages of this service use (D-17).

import type { Hono } from "hono";
import { encodeIdentifier } from "../../iiif/image/path.ts";
import { hash } from "../../images/cache-keys.ts";
import { firstImages, type Listed } from "../../images/first-images.ts";
import type { Service } from "../../service.ts";
import { isNotModified } from "../http/conditional.ts";
import type { Env } from "../http/context.ts";
import { escapeHtml, page } from "../http/page.ts";

const contentTypes: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  png: "image/png",
  svg: "image/svg+xml",
  ico: "image/x-icon",
  txt: "text/plain; charset=utf-8",
};

/** Pictures that the start page offers at most. */
const shown = 24;

const securityPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors *";

/** Mounts /, /robots.txt, /favicon.ico and /static/. */
export function mountHome(app: Hono<Env>, service: Service): void {
  app.get("/", async (c) => {
    const images = await firstImages(service.images, service.sources.default, shown, c.req.raw.signal);
    const body = home(service, c.var.base, images);
    return new Response(body, {
      headers: {
        "Content-Type": "text/html; charset=utf-8",
        "Cache-Control": "no-cache",
        "Content-Security-Policy": securityPolicy,
        "X-Content-Type-Options": "nosniff",
      },
    });
  });

  app.get(
    "/robots.txt",
    () =>
      new Response(robots(service), {
        headers: { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "public, max-age=3600" },
      }),
  );

  app.get("/favicon.ico", (c) => file(c.req.raw, service, "home/icon.svg"));
  app.get("/static/*", (c) => file(c.req.raw, service, c.var.target.path.slice("/static/".length)));
}

async function file(request: Request, service: Service, path: string): Promise<Response> {
  const extension = /\.([a-z]+)$/.exec(path)?.[1] ?? "";
  const type = contentTypes[extension];
  const bytes =
    type && /^[A-Za-z0-9._/-]+$/.test(path) && !path.includes("..")
      ? await service.platform.asset(path)
      : undefined;
  if (!bytes || !type)
    return new Response("Not found\n", {
      status: 404,
      headers: { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store" },
    });
  const etag = `"${(await hash([service.version, path, bytes.length])).slice(0, 27)}"`;
  const headers = {
    ETag: etag,
    "Cache-Control": "public, max-age=3600",
    "X-Content-Type-Options": "nosniff",
  };
  if (isNotModified(request.headers, { etag })) return new Response(null, { status: 304, headers });
  return new Response(bytes as Uint8Array<ArrayBuffer>, { headers: { ...headers, "Content-Type": type } });
}

/** Crawlers may read descriptions and thumbnails, not whole pictures at full size. */
function robots(service: Service): string {
  const prefixes = ["/iiif/3/", "/iiif/2/", ...service.config().aliases.map((alias) => alias.prefix)];
  const whole = prefixes.flatMap((prefix) =>
    ["max", "^max", "full", "pct:100"].map((size) => `Disallow: ${prefix}*/full/${size}/`),
  );
  return ["User-agent: *", ...whole, ""].join("\n");
}

function home(service: Service, base: string, images: readonly Listed[]): string {
  const first = images.find((image) => image.size);
  const local = new URL(base).pathname.replace(/\/$/, "");
  const uri = (identifier: string) => `${base}/iiif/3/${encodeIdentifier(identifier)}`;
  const viewer = first
    ? `<div id="viewer" tabindex="0" role="application" aria-label="Zoomable picture" data-info="${escapeHtml(`${uri(first.identifier)}/info.json`)}" data-icons="${escapeHtml(local)}/static/openseadragon/images/"></div>
<p class="caption"><strong id="name">${escapeHtml(first.identifier)}</strong> <span id="size" class="quiet">${first.size?.width} × ${first.size?.height}</span>
<a id="info" href="${escapeHtml(`${uri(first.identifier)}/info.json`)}">info.json</a>
<a id="full" href="${escapeHtml(`${uri(first.identifier)}/full/max/0/default.jpg`)}">whole image</a></p>`
    : `<p>${escapeHtml(nothingToShow(service))}</p>`;
  const strip =
    images.length > 1
      ? `<h2 id="pictures">Pictures</h2><ul class="strip" aria-labelledby="pictures">${images.map((image) => thumbnail(image, uri(image.identifier))).join("")}</ul>`
      : "";
  const example = first ? uri(first.identifier) : `${base}/iiif/3/{identifier}`;
  const body = `<header><h1>smalti <span class="quiet">${escapeHtml(service.version)}</span></h1>
<p class="quiet">An image server for deep zoom, after the <a href="https://iiif.io/api/image/3.0/">IIIF Image API</a> 3.0 and 2.1.</p></header>
<main>${viewer}${strip}
<h2>Addresses</h2>
<dl>
<dt>Image information</dt><dd><code>${escapeHtml(example)}/info.json</code></dd>
<dt>Version 2</dt><dd><code>${escapeHtml(example.replace("/iiif/3/", "/iiif/2/"))}/info.json</code></dd>
<dt>A detail</dt><dd><code>${escapeHtml(example)}/pct:40,40,20,20/600,/0/default.jpg</code></dd>
<dt>State of the service</dt><dd><a href="${escapeHtml(local)}/health">health</a>, <a href="${escapeHtml(local)}/ready">ready</a></dd>
</dl></main>`;
  const head = `<link rel="icon" href="${escapeHtml(local)}/static/home/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${escapeHtml(local)}/static/home/home.css">
<script src="${escapeHtml(local)}/static/openseadragon/openseadragon.min.js" defer></script>
<script src="${escapeHtml(local)}/static/home/home.js" defer></script>
`;
  return page("smalti", body, head);
}

function thumbnail(image: Listed, uri: string): string {
  const name = escapeHtml(image.identifier);
  if (!image.size)
    return `<li class="broken"><span>${name}</span> <span class="quiet">${escapeHtml(image.problem ?? "")}</span></li>`;
  const small = image.size.width <= 200 && image.size.height <= 200;
  const source = escapeHtml(`${uri}/full/${small ? "max" : "!200,200"}/0/default.jpg`);
  return `<li><button type="button" data-info="${escapeHtml(`${uri}/info.json`)}" data-name="${name}" data-size="${image.size.width} × ${image.size.height}"><img src="${source}" alt="" loading="lazy"><span>${name}</span></button></li>`;
}

function nothingToShow(service: Service): string {
  const source = service.sources.default;
  return source.list
    ? `The source "${source.name}" holds no image at its top that this service can show.`
    : `The source "${source.name}" cannot be listed; ask for an image by its identifier.`;
}
