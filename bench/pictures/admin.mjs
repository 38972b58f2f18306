// Makes the pictures of docs/operations/admin.md: pages of the operator of the built product, under some
// load, in Chromium.
//
//   npm run build && node bench/pictures/admin.mjs [FOLDER] [--all]        default: docs/pictures; --all: every page in light, dark and narrow

import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import sharp from "sharp";
import { withBuilt } from "../../scripts/built-server.mjs";
import { chromium } from "../lib/chromium.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { all: { type: "boolean", default: false } },
});
const target = positionals[0] ?? "docs/pictures";

const image = "maps/mosaic.jpg";
const addresses = {
  status: "/admin/",
  images: "/admin/browse",
  folder: "/admin/browse/maps",
  image: `/admin/view/${image}`,
  caches: "/admin/cache",
  configuration: "/admin/config",
  access: "/admin/auth",
  doctor: "/admin/doctor",
};
const views = {
  light: { viewport: { width: 1200, height: 900 }, colorScheme: "light" },
  dark: { viewport: { width: 1200, height: 900 }, colorScheme: "dark" },
  narrow: { viewport: { width: 400, height: 860 }, colorScheme: "light" },
};
/**
 * Pictures of the document: page, view, name of the picture, and its quality unless it is 60: a mosaic takes
 * many bytes.
 */
const shown = [
  ["status", "light", "admin-status.webp"],
  ["image", "light", "admin-image.webp", 40],
  ["caches", "light", "admin-caches.webp"],
  ["configuration", "light", "admin-configuration.webp"],
];
const wanted = values.all
  ? Object.keys(addresses).flatMap((page) =>
      Object.keys(views).map((view) => [page, view, `${page}-${view}.png`]),
    )
  : shown;

const folder = mkdtempSync(join(tmpdir(), "smalti-pictures-"));
mkdirSync(join(folder, "masters/maps"), { recursive: true });
mkdirSync(join(folder, "masters/prints"));
const masters = {
  "maps/mosaic.jpg": "static/sample/sample.jpg",
  "maps/plan.jp2": "test/fixtures/jp2-tiled-128.jp2",
  "prints/map.tif": "test/fixtures/tif-deflate-pred2.tif",
  "prints/broken.jpg": "test/fixtures/bad-trunc-50.jpg",
  "cover.jpg": "static/sample/sample.jpg",
};
for (const [name, file] of Object.entries(masters)) copyFileSync(file, join(folder, "masters", name));

process.env.SERVICE_ADMIN_USER = "ada";
process.env.SERVICE_ADMIN_PASS = "only for these pictures";
const options = { executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] };

/** Asks for tiles as a viewer does, and for some things that are not there. */
async function load(base, until) {
  for (let round = 0; Date.now() < until; round++) {
    const [x, y] = [(round * 512) % 3584, (round * 256) % 2048];
    const paths = [
      `${encodeURIComponent(image)}/${x},${y},512,512/512,/0/default.jpg`,
      `cover.jpg/full/!${200 + (round % 50)},400/0/default.webp`,
      `${encodeURIComponent("maps/plan.jp2")}/full/${100 + (round % 40)},/${(round * 7) % 360}/default.jpg`,
      ...(round % 8 === 0
        ? [`${encodeURIComponent("prints/map.tif")}/full/!${300 + round},600/0/gray.png`]
        : []),
      ...(round % 20 === 0 ? ["nothing.jpg/info.json", "cover.jpg/full/9000,/0/default.jpg"] : []),
    ];
    for (const path of paths) await fetch(`${base}/iiif/3/${path}`).then((answer) => answer.arrayBuffer());
    await wait(60);
  }
}

/** Runs in the page: hides the machine that makes the pictures. */
function hideMachine({ base, host }) {
  for (const input of document.querySelectorAll("input"))
    if (input.value === base.replace("http://", "")) input.value = "127.0.0.1:8080";
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { currentNode: text } = texts;
    text.data = text.data
      .replaceAll(base, "https://images.example.org")
      .replaceAll(base.replace("http://", ""), "127.0.0.1:8080")
      .replace(/\S+:\d+$/, (name) => (name.startsWith(host) ? "images-1:4711" : name))
      .replace(/\/tmp\/[^/\s]+/g, "/srv/smalti");
  }
}

try {
  await withBuilt(
    folder,
    "cache: { render: { backend: heap }, origin: { backend: heap } }",
    async (base) => {
      const browser = await chromium.launch(options);
      const busy = load(base, Date.now() + 75_000);
      await wait(2000);
      const open = [];
      for (const [page, view, name, quality = 60] of wanted) {
        const context = await browser.newContext({
          ...views[view],
          httpCredentials: { username: "ada", password: process.env.SERVICE_ADMIN_PASS },
        });
        const tab = await context.newPage();
        await tab.goto(base + addresses[page]);
        open.push({ tab, name, quality });
      }
      // The charts need some samples, which come every twenty seconds.
      await wait(60_000);
      for (const { tab, name, quality } of open) {
        await tab.evaluate(hideMachine, { base, host: hostname() });
        const picture = await tab.screenshot({ fullPage: values.all });
        // Documents are part of the bundle, which is to stay small.
        await sharp(picture)
          .resize(values.all ? null : 900)
          .toFormat(name.endsWith(".png") ? "png" : "webp", { quality, effort: 6 })
          .toFile(join(target, name));
      }
      await browser.close();
      await busy;
    },
    { quiet: true },
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
