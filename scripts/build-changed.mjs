// Builds dist/ before `npm start` if it is missing or its sources have changed since, and says so on standard
// error.

import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { builtFrom, sourcesDigest } from "./build-stamp.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const known = builtFrom(join(root, "dist"));

if (known !== sourcesDigest(root)) {
  console.error(
    known === undefined
      ? "smalti: building dist/, once; this takes about half a minute."
      : "smalti: the sources have changed; building dist/ again.",
  );
  const began = performance.now();
  await (await importBuild()).build({ quiet: true });
  console.error(`smalti: dist/ was built in ${((performance.now() - began) / 1000).toFixed(1)} s.`);
}

async function importBuild() {
  try {
    return await import("./build.mjs");
  } catch (error) {
    if (error.code !== "ERR_MODULE_NOT_FOUND") throw error;
    console.error("smalti: the packages that the build needs are not installed; run npm ci.");
    process.exit(1);
  }
}
