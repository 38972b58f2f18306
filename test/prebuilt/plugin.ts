// Tests get the modules of src/ from the bundle of test/prebuilt/bundle.ts.

import type { Plugin } from "vitest/config";
import { type Bundle, prebuilt } from "./bundle.ts";

/** A plugin for the configurations of the suites. While vitest watches, it loads modules one by one. */
export function prebuiltSources(): Plugin {
  let watches = false;
  let bundle: Promise<Bundle> | undefined;
  return {
    name: "prebuilt-sources",
    enforce: "pre",
    configureVitest({ vitest }) {
      watches = vitest.config.watch;
    },
    async load(id) {
      if (watches || !id.includes("/src/")) return undefined;
      bundle ??= prebuilt();
      const { file, modules } = await bundle;
      const module = modules[id];
      if (!module) return undefined;
      const { as, names } = module;
      const values = names.map((name) => `export const ${name} = ${as}.${name};`);
      return [`import { ${as} } from ${JSON.stringify(file)};`, ...values].join("\n");
    },
  };
}
