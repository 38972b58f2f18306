// The folder with the files that belong to the program: modules of WebAssembly, pages, workers.

import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve, sep } from "node:path";
import { pathToFileURL } from "node:url";

/** A file that only this folder has. */
const mark = "wasm/pixels.wasm";

const isThere = (folder: URL) => existsSync(new URL(mark, folder));

/**
 * Returns the folder as a URL with a final slash: the one that is `given`, the one of the module at `module`
 * (its `import.meta.url`), or, if a bundler has put that module elsewhere, the one of the package smalti as
 * seen from there. Throws an Error that says what to do if the files are in none.
 */
export function distFolder(module: string | undefined, given?: string): URL {
  if (given !== undefined) {
    const folder = pathToFileURL(resolve(given) + sep);
    if (isThere(folder)) return folder;
    throw new Error(
      `expected the folder dist of the package smalti, received ${given}, which has no ${mark}; give the path of that folder or of a copy`,
    );
  }
  const own = module === undefined ? undefined : new URL("./", module);
  if (own && isThere(own)) return own;
  const installed = installedFolder(module);
  if (installed && isThere(installed)) return installed;
  throw new Error(
    "the files of smalti (wasm/, static/ and its workers) are not next to this module, since the program is bundled; leave the package smalti out of the bundle (external), or copy node_modules/smalti/dist and name the copy in the option files (by useFiles for smalti/imaging)",
  );
}

/** Returns the folder of the package in the node_modules above a module, or above the current folder. */
function installedFolder(module: string | undefined): URL | undefined {
  try {
    const from = module ?? pathToFileURL(`${process.cwd()}/index.js`).href;
    return new URL("dist/", pathToFileURL(createRequire(from).resolve("smalti/package.json")));
  } catch {
    return undefined;
  }
}
