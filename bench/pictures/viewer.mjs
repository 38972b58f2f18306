// Makes docs/pictures/viewer.webp for the README: the sample mosaic in the viewer of the built product, in
// Chromium.
//
//   npm run build && node bench/pictures/viewer.mjs [FOLDER]        default: docs/pictures

import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import sharp from "sharp";
import { withBuilt } from "../../scripts/built-server.mjs";
import { chromium } from "../lib/chromium.mjs";

const target = process.argv[2] ?? "docs/pictures";
const folder = mkdtempSync(join(tmpdir(), "smalti-picture-"));
const masters = join(folder, "masters/mosaic");

mkdirSync(masters, { recursive: true });
copyFileSync("static/sample/sample.jpg", join(masters, "mosaic.jpg"));
writeFileSync(join(masters, "manifest.yaml"), "label: Night sky, mosaic\ncanvases:\n  mosaic.jpg: Ceiling\n");

try {
  await withBuilt(folder, "cache: { origin: { backend: heap } }", async (base) => {
    const browser = await chromium.launch({
      executablePath: "/usr/bin/chromium",
      args: ["--no-sandbox", "--disable-gpu"],
    });
    const tab = await browser.newPage({ viewport: { width: 1280, height: 720 }, colorScheme: "light" });
    const quiet = tab.waitForLoadState("networkidle");
    await tab.goto(`${base}/view/mosaic`);
    await quiet;
    await wait(3000);
    const picture = await tab.screenshot();
    await browser.close();
    // Documents are part of the bundle, which is to stay small.
    await sharp(picture).resize(960).webp({ quality: 50, effort: 6 }).toFile(join(target, "viewer.webp"));
  });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
