// Writes test/imaging/codecs/jpg/cjpeg-digests.json: SHA-256 of what cjpeg (libjpeg-turbo, Debian package
// libjpeg-turbo-progs) makes of the pictures in test/imaging/codecs/jpg/cjpeg.ts. `node
// bench/cjpeg-digests.mjs`

import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import * as esbuild from "esbuild";

const root = resolve(fileURLToPath(import.meta.url), "../..");
const folder = join(root, "test/imaging/codecs/jpg");
// the pictures find the fixtures relative to their code, three folders down
const compiled = join(root, "node_modules/.cache/cjpeg/pictures.mjs");
await esbuild.build({
  entryPoints: [join(folder, "cjpeg.ts")],
  outfile: compiled,
  bundle: true,
  format: "esm",
  platform: "node",
  external: ["sharp"],
});
const { cjpeg, digests } = await import(pathToFileURL(compiled).href);
const found = await digests((picture, coding) => {
  const file = cjpeg(picture, coding);
  if (file) return file;
  throw new Error("cjpeg is missing: install libjpeg-turbo-progs");
});
writeFileSync(join(folder, "cjpeg-digests.json"), `${JSON.stringify(found, null, 2)}\n`);
console.log(`${Object.keys(found).length} digests`);
