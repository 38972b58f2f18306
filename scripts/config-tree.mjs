// The tree of the configuration's schema for scripts, which cannot import TypeScript.

import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");

/** Returns what `configTree` of src/server/config/schema.ts derives from the schema. */
export async function deriveConfigTree() {
  const { outputFiles } = await esbuild.build({
    entryPoints: [join(root, "src/server/config/schema.ts")],
    bundle: true,
    format: "esm",
    platform: "node",
    mainFields: ["module", "main"],
    write: false,
    logLevel: "warning",
  });
  const code = Buffer.from(outputFiles[0].contents).toString("base64");
  const { configTree } = await import(`data:text/javascript;base64,${code}`);
  return configTree();
}
