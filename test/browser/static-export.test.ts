// The static export in OpenSeadragon and Mirador, from a web server that knows nothing of IIIF.

import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePort } from "../servers/free-port.ts";
import { launch } from "./launching.ts";
import { quietOf } from "./screen.ts";

let folder: string;
let origin: string;
let server: ReturnType<typeof spawn>;
let browser: Browser;

const page = (script: string, call: string) =>
  `<!doctype html><meta charset="utf-8"><title>viewer</title><div id="viewer" style="position:absolute;width:1000px;height:700px"></div><script src="${script}"></script><script>${call}</script>`;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "smalti-static-"));
  mkdirSync(join(folder, "masters/box"), { recursive: true });
  // Sizes that are no multiple of a tile, with a level that fits exactly into one, and a tiny one.
  for (const [name, width, height] of [
    ["box/1 a.jpg", 2301, 1507],
    ["box/2.jpg", 1024, 512],
    ["box/3.jpg", 90, 60],
  ] as const)
    writeFileSync(
      join(folder, "masters", name),
      await sharp({ create: { width, height, channels: 3, background: "#cc3300" } })
        .jpeg()
        .toBuffer(),
    );
  const port = await freePort();
  origin = `http://127.0.0.1:${port}`;
  const site = join(folder, "site");
  mkdirSync(site);
  for (const version of ["2", "3"])
    execFileSync(process.execPath, [
      "dist/main.js",
      "export",
      join(folder, "masters"),
      "--to",
      join(site, `v${version}`),
      "--base-url",
      `${origin}/v${version}`,
      "--version",
      version,
    ]);
  cpSync("node_modules/openseadragon/build/openseadragon/openseadragon.min.js", join(site, "osd.js"));
  cpSync("static/viewer/mirador-4.0.0", join(site, "mirador"), { recursive: true });
  const asked = "new URLSearchParams(location.search).get('of')";
  writeFileSync(
    join(site, "osd.html"),
    page(
      "osd.js",
      `window.viewer = OpenSeadragon({ id: "viewer", tileSources: ${asked}, showNavigationControl: false });`,
    ),
  );
  writeFileSync(
    join(site, "mirador.html"),
    page(
      "mirador/mirador.min.js",
      `Mirador.viewer({ id: "viewer", windows: [{ manifestId: ${asked}, thumbnailNavigationPosition: "far-bottom" }] });`,
    ),
  );
  server = spawn("python3", ["-m", "http.server", String(port), "--bind", "127.0.0.1"], {
    cwd: site,
    stdio: "ignore",
  });
  for (;;) if (await fetch(origin).catch(() => undefined)) break;
  browser = await launch();
});

afterAll(async () => {
  await browser?.close();
  server?.kill();
  rmSync(folder, { recursive: true, force: true });
});

interface Opened {
  readonly view: Page;
  /** The requests below the export by their status. */
  readonly requests: ReadonlyMap<string, number>;
  /** Waits until nothing is requested any more. */
  readonly quiet: () => Promise<void>;
}

async function open(path: string): Promise<Opened> {
  const view = await browser.newPage();
  const requests = new Map<string, number>();
  view.on("response", (response) => {
    if (/\/v[23]\//.test(response.url()))
      requests.set(response.url().slice(origin.length), response.status());
  });
  const quiet = quietOf(view);
  await view.goto(`${origin}/${path}`);
  return { view, requests, quiet };
}

const failed = (requests: ReadonlyMap<string, number>) =>
  [...requests].filter(([, status]) => status !== 200 && status !== 304).map(([url]) => url);

describe.each(["2", "3"])("an export of version %s", (version) => {
  test.each(["1~20a.jpg", "2.jpg", "3.jpg"])(
    "has every tile that OpenSeadragon requests of %s",
    async (name) => {
      const { view, requests } = await open(`osd.html?of=/v${version}/images/box/${name}/info.json`);
      await view.waitForFunction(() =>
        (window as never as { viewer: { isOpen(): boolean } }).viewer.isOpen(),
      );
      const levels = await view.evaluate(async () => {
        const { viewer } = window as never as { viewer: import("openseadragon").Viewer };
        const item = viewer.world.getItemAt(0);
        const loaded = () =>
          new Promise<void>((resolve) => {
            if (item.getFullyLoaded()) resolve();
            else item.addOnceHandler("fully-loaded-change", () => resolve());
          });
        await loaded();
        const zooms = 6;
        for (let i = 0; i < zooms; i++) {
          for (const [x, y] of [
            [0.1, 0.1],
            [0.95, 0.1],
            [0.1, 0.6],
            [0.95, 0.6],
            [0.5, 0.3],
          ] as const) {
            viewer.viewport.zoomTo(viewer.viewport.getMinZoom() * 1.7 ** i, undefined, true);
            viewer.viewport.panTo(
              new (viewer.viewport.getCenter().constructor as never as typeof import("openseadragon").Point)(
                x,
                y,
              ),
              true,
            );
            viewer.forceRedraw();
            await new Promise((resolve) => requestAnimationFrame(resolve));
            await loaded();
          }
        }
        return item.source.maxLevel;
      });
      expect(failed(requests)).toEqual([]);
      // Image information, and at least a tile of each level.
      expect(requests.size).toBeGreaterThan(levels + 1);
      await view.close();
    },
  );

  test("shows in Mirador, with thumbnails", async () => {
    const { view, requests, quiet } = await open(`mirador.html?of=/v${version}/manifests/box.json`);
    await view.locator(".openseadragon-canvas canvas").first().waitFor();
    await view.locator("img[src*='/images/box/']").first().waitFor();
    await expect
      .poll(() =>
        [...requests.keys()].some((url) => url.includes("/images/box/1~20a.jpg/") && /\.jpg$/.test(url)),
      )
      .toBe(true);
    await quiet();
    expect(failed(requests)).toEqual([]);
    await view.close();
  });
});
