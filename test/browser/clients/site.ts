// A site of another origin with a page for each IIIF client, each from its own package as published.

import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = fileURLToPath(new URL(".", import.meta.url));
const packages = join(here, "node_modules");

/** What the page of a client loads: files of packages, and its own script, bundled if it imports anything. */
interface Page {
  readonly styles?: readonly string[];
  readonly scripts?: readonly string[];
  /** Runs the page's script with its imports. */
  readonly bundle?: true;
}

const pages = {
  "mirador-3": { scripts: ["mirador3/dist/mirador.min.js"] },
  "mirador-4": { scripts: ["mirador4/dist/mirador.min.js"] },
  uv: { styles: ["universalviewer/dist/uv.css"], scripts: ["universalviewer/dist/umd/UV.js"] },
  clover: { scripts: ["@samvera/clover-iiif/dist/web-components/index.umd.js"] },
  tify: { styles: ["tify/dist/tify.css"] },
  openseadragon: { scripts: ["openseadragon/build/openseadragon/openseadragon.min.js"] },
  openlayers: { styles: ["ol/ol.css"], bundle: true },
  leaflet: {
    styles: ["leaflet/dist/leaflet.css"],
    scripts: ["leaflet/dist/leaflet.js", "leaflet-iiif/leaflet-iiif.js"],
  },
  vault: { bundle: true },
} as const satisfies Readonly<Record<string, Page>>;

export type ClientPage = keyof typeof pages;

const types: Readonly<Record<string, string>> = {
  ".css": "text/css",
  ".js": "text/javascript",
  ".json": "application/json",
  ".png": "image/png",
  ".svg": "image/svg+xml",
};

const html = (name: ClientPage, { styles = [], scripts = [] }: Page) => `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>${name}</title>
${styles.map((path) => `<link rel="stylesheet" href="/packages/${path}">`).join("")}
<style>html,body{margin:0;height:100%}#viewer{position:absolute;inset:0}</style>
<div id="viewer"></div>
${scripts.map((path) => `<script src="/packages/${path}"></script>`).join("")}
<script type="module" src="/script/${name}.js"></script></html>`;

/** The script of a page, with what it imports if the page is bundled. */
async function scriptOf(name: ClientPage, { bundle }: Page): Promise<string> {
  const file = join(here, "pages", `${name}.js`);
  if (!bundle) return readFileSync(file, "utf8");
  const built = await build({
    entryPoints: [file],
    bundle: true,
    write: false,
    format: "esm",
    jsx: "automatic",
    logLevel: "error",
    define: { "process.env.NODE_ENV": '"production"' },
  });
  return built.outputFiles[0]!.text;
}

export interface ClientSite {
  readonly origin: string;
  /** Address of a client's page on a document or image service. */
  address(client: ClientPage, of: string): string;
  close(): void;
}

/** Serves the pages on a free port of 127.0.0.1. */
export async function clientSite(): Promise<ClientSite> {
  const body = async (pathname: string): Promise<string | Uint8Array | undefined> => {
    const [, kind, name = ""] = /^\/(client|script|packages)\/(.+?)$/.exec(pathname) ?? [];
    if (kind === "packages") return readFileSync(join(packages, normalize(name)));
    const client = name.replace(/\.js$/, "") as ClientPage;
    const page: Page | undefined = pages[client];
    if (!page) return undefined;
    return kind === "client" ? html(client, page) : await scriptOf(client, page);
  };
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    try {
      const found = await body(pathname);
      if (found === undefined) throw new Error(`no ${pathname}`);
      response.setHeader("Content-Type", types[extname(pathname)] ?? "text/html; charset=utf-8");
      response.end(found);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    address: (client, of) => `${origin}/client/${client}?of=${encodeURIComponent(of)}`,
    close: () => server.close(),
  };
}
