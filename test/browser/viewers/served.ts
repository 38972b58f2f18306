// A viewer's site: Mirador and Universal Viewer with the shims, each on a separate page, and static manifests
// that point to the images of another origin.

import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** Folder of the files that let readers log in with the viewers. */
export const shims = join(root, "static/viewer/shims");

/** Folder of the files below a path. */
const folders: Readonly<Record<string, string>> = {
  "/mirador/": join(root, "static/viewer/mirador-4.0.0"),
  "/uv/": join(root, "static/viewer/universalviewer-4.4.0"),
  "/shims/": shims,
  "/": join(root, "test/browser/viewers"),
};

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css",
  ".js": "text/javascript",
  ".json": "application/json",
};

/**
 * The strictest policy that the viewers allow: scripts and pictures from their own site, and from that of the
 * images.
 */
const policy = (images: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    `img-src 'self' data: ${images}`,
    `connect-src 'self' ${images}`,
    `frame-src ${images}`,
    "base-uri 'none'",
  ].join("; ");

export interface ViewerSite {
  readonly origin: string;
  /** Origin of the images, once it is known. */
  images: string;
  /** Address of a viewer's page on the manifest of a folder of images. */
  page(viewer: string, folder: string): string;
  close(): void;
}

/** Serves the site on a free port of 127.0.0.1. */
export async function viewerSite(pictures: readonly string[]): Promise<ViewerSite> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const folder = /^\/manifest\/(\w+)\.json$/.exec(pathname)?.[1];
    try {
      const body = folder
        ? JSON.stringify(manifest(site.origin, site.images, folder, pictures))
        : readFileSync(fileOf(pathname));
      response.setHeader("Content-Type", types[extname(pathname)] ?? "application/octet-stream");
      response.setHeader("Content-Security-Policy", policy(site.images));
      response.end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const site: ViewerSite = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    images: "",
    page: (viewer, folder) => {
      const manifest = viewer.startsWith("stock-")
        ? `${site.images}/iiif/presentation/3/${folder}`
        : `/manifest/${folder}.json`;
      return `${site.origin}/${viewer}.html?manifest=${manifest}&images=${site.images}`;
    },
    close: () => server.close(),
  };
  return site;
}

function fileOf(pathname: string): string {
  const path = normalize(decodeURIComponent(pathname));
  const prefix = Object.keys(folders).find((each) => path.startsWith(each)) as string;
  return join(folders[prefix] as string, path.slice(prefix.length));
}

/**
 * A Manifest of Presentation 3.0: one canvas for each picture, which names the authorization services of the
 * image too.
 */
function manifest(origin: string, images: string, folder: string, pictures: readonly string[]): object {
  const id = `${origin}/manifest/${folder}.json`;
  const size = { width: 1600, height: 1200 };
  const items = pictures.map((name, i) => {
    const image = `${images}/iiif/3/${folder}%2F${name}`;
    const canvas = `${id}/canvas/${i + 1}`;
    const body = {
      id: `${image}/full/max/0/default.jpg`,
      type: "Image",
      format: "image/jpeg",
      ...size,
      service: [
        { id: image, type: "ImageService3", profile: "level2", service: [probe(images, folder, name)] },
      ],
    };
    const annotation = {
      id: `${canvas}/annotation`,
      type: "Annotation",
      motivation: "painting",
      body,
      target: canvas,
    };
    const page = { id: `${canvas}/page`, type: "AnnotationPage", items: [annotation] };
    return { id: canvas, type: "Canvas", label: { en: [`Page ${i + 1}`] }, ...size, items: [page] };
  });
  return {
    "@context": "http://iiif.io/api/presentation/3/context.json",
    id,
    type: "Manifest",
    label: { en: [`Pictures of ${folder}`] },
    items,
  };
}

const probe = (images: string, folder: string, name: string) => ({
  id: `${images}/iiif/auth/probe/${folder}%2F${name}`,
  type: "AuthProbeService2",
  service: [],
});
