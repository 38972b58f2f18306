import { defineConfig } from "vitest/config";
import { limits } from "./test/limits.ts";
import { prebuiltSources } from "./test/prebuilt/plugin.ts";
import "./test/sampled.ts"; // workers inherit the seed

// One black-box suite over HTTP against the built dist/ on every runtime, as test/runtimes/selection.ts
// divides it: npm run test:runtimes. RUNTIMES=deno,bun picks.
export default defineConfig({
  plugins: [prebuiltSources()],
  test: {
    setupFiles: ["test/reused-connections.ts", "test/prebuilt/stacks.ts"],
    include: ["test/runtimes/**/*.test.ts"],
    globalSetup: ["test/runtimes/install.ts", "test/fresh-dist.ts"],
    ...limits,
    pool: "forks",
    // Most of its time goes by waiting.
    maxWorkers: 3,
  },
});
