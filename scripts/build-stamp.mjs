// A digest of everything that dist/ was built from, so that `npm start` builds only after a change.

import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { version } from "./version.mjs";

/** Everything below the root that a build reads. */
export const buildSources = [
  "docs",
  "package.json",
  "package-lock.json",
  "scripts",
  "src",
  "static",
  "translations",
  "tsconfig.json",
  "wasm",
];
const name = ".built-from";

/** A digest of all files that a build reads, of the version that it writes, and of the Node that runs it. */
export function sourcesDigest(root) {
  const hash = createHash("sha256").update(JSON.stringify([process.version, version(root)]));
  for (const source of buildSources) {
    for (const file of filesOf(root, source)) {
      const bytes = readFileSync(join(root, file));
      hash.update(JSON.stringify([file, bytes.length])).update(bytes);
    }
  }
  return hash.digest("hex");
}

/** The digest that a finished build has left in its folder, if there is one. */
export function builtFrom(folder) {
  try {
    return readFileSync(join(folder, name), "utf8");
  } catch {
    return undefined;
  }
}

/** Marks a folder as built from the inputs with this digest; the last step of a build. */
export function markBuilt(folder, digest) {
  writeFileSync(join(folder, name), digest);
}

/**
 * A file itself, or all files below a folder, sorted; installed packages are left out, as the lock file names
 * them.
 */
function filesOf(root, path) {
  if (!statSync(join(root, path)).isDirectory()) return [path];
  const names = readdirSync(join(root, path)).filter((name) => name !== "node_modules");
  return names.sort().flatMap((name) => filesOf(root, `${path}/${name}`));
}
