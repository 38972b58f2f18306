// Makes the pictures of docs/how-to/watermark.md: a mark drawn here, on responses of the built product.
//
//   npm run build && node bench/pictures/overlay.mjs [FOLDER]        default: docs/pictures

import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { bytesAt, withBuilt } from "../../scripts/built-server.mjs";

const target = process.argv[2] ?? "docs/pictures";
const mostBytes = 20_000;
const part = "1200,400,1440,1080";

/** Each picture by name, with the settings besides the image, and its request. */
const pictures = {
  "overlay-corner.jpg": ["", `sample.jpg/${part}/220,/0/default.jpg`],
  "overlay-top-left.jpg": [
    ", anchor: top-left, offset: [6, 6], opacity: 1",
    `sample.jpg/${part}/220,/0/default.jpg`,
  ],
  "overlay-scale.jpg": [
    ", anchor: center, fit: scale, opacity: 0.35",
    `sample.jpg/${part}/220,/0/default.jpg`,
  ],
  "overlay-tile.jpg": [", anchor: center, fit: tile, opacity: 0.25", `sample.jpg/${part}/220,/0/default.jpg`],
  "overlay-turned.jpg": ["", `sample.jpg/${part}/220,/!90/gray.jpg`],
  "overlay-small.jpg": [", offset: [4, 4]", `sample.jpg/${part}/60,/0/default.jpg`],
  "overlay-alpha.png": [", opacity: 0.8, offset: [0, 0]", "disc.png/full/165,/0/default.png"],
  "overlay-bitonal.png": [", opacity: 1", `sample.jpg/${part}/220,/0/bitonal.png`],
};

/**
 * A ring around three books, white with a dark edge, on transparent ground; no text, so that no font is
 * needed.
 */
const mark = `<svg xmlns="http://www.w3.org/2000/svg" width="72" height="72" viewBox="0 0 72 72">
  <g fill="none" stroke="#102030" stroke-width="8"><circle cx="36" cy="36" r="28"/></g>
  <g fill="none" stroke="#fff" stroke-width="5"><circle cx="36" cy="36" r="28"/></g>
  <g fill="#d8402c" stroke="#fff" stroke-width="2"><rect x="20" y="22" width="9" height="28"/>
  <rect x="31" y="18" width="9" height="32" fill="#2c70c8"/>
  <rect x="42" y="24" width="9" height="26" fill="#e8b030"/></g></svg>`;

const disc = `<svg xmlns="http://www.w3.org/2000/svg" width="660" height="495"><circle cx="330" cy="248" r="230" fill="#5a8a6a"/></svg>`;

const folder = mkdtempSync(join(tmpdir(), "overlay-"));
try {
  mkdirSync(target, { recursive: true });
  mkdirSync(join(folder, "masters"));
  copyFileSync("static/sample/sample.jpg", join(folder, "masters/sample.jpg"));
  await sharp(Buffer.from(disc)).png().toFile(join(folder, "masters/disc.png"));
  await sharp(Buffer.from(mark)).png().toFile(join(folder, "mark.png"));
  for (const [name, [settings, request]] of Object.entries(pictures))
    await withBuilt(
      folder,
      `image: { jpeg_quality: 70 }\noverlay: { image: mark.png${settings} }`,
      async (base) => {
        const bytes = await bytesAt(`${base}/iiif/3/${request}`);
        if (bytes.length > mostBytes) throw new Error(`${name} has ${bytes.length} bytes, over ${mostBytes}`);
        writeFileSync(join(target, name), bytes);
        console.log(`${name}: ${bytes.length} bytes`);
      },
    );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
