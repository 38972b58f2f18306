// The table of WebAssembly modules for scripts, which cannot import TypeScript.

import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");

/** Returns the exports of src/imaging/codecs/modules.ts. */
export async function moduleTable() {
  const { outputFiles } = await esbuild.build({
    entryPoints: [join(root, "src/imaging/codecs/modules.ts")],
    format: "esm",
    write: false,
  });
  const code = Buffer.from(outputFiles[0].contents).toString("base64");
  return import(`data:text/javascript;base64,${code}`);
}
