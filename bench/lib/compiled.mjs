// Parts of the project, which are in TypeScript, for scripts that are not.

import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = resolve(fileURLToPath(import.meta.url), "../../..");

/** Returns the exports of a module; `path` is relative to the project. Compiled in memory. */
export async function compiled(path) {
  const { outputFiles } = await build({
    entryPoints: [join(root, path)],
    bundle: true,
    format: "esm",
    platform: "node",
    write: false,
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
}
