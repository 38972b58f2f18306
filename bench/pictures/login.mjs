// Makes the pictures of docs/how-to/viewer-logins.md of screenshots that the browser tests of viewers
// leave.
//
//   SCREENSHOTS=FOLDER npx vitest run --config vitest.browser.config.ts test/browser/viewers.test.ts
//   node bench/pictures/login.mjs FOLDER

import { join } from "node:path";
import sharp from "sharp";

const [folder] = process.argv.slice(2);
if (!folder) throw new Error("Name the folder of the screenshots: node bench/pictures/login.mjs FOLDER");

const pictures = {
  "login-mirador.webp": "viewers-Mirador-terms.png",
  "login-uv.webp": "viewers-UV-termsOnly.png",
  "login-bar.webp": "viewers-UV-shims-terms.png",
};
for (const [name, screenshot] of Object.entries(pictures))
  await sharp(join(folder, screenshot)).resize(480).webp({ quality: 70 }).toFile(join("docs/pictures", name));
