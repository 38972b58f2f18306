import { defineConfig } from "vitest/config";
import { limits } from "./test/limits.ts";
import { prebuiltSources } from "./test/prebuilt/plugin.ts";

// Pages in a real Chromium against the built server.
export default defineConfig({
  plugins: [prebuiltSources()],
  test: {
    setupFiles: ["test/reused-connections.ts", "test/prebuilt/stacks.ts"],
    include: ["test/browser/**/*.test.ts"],
    globalSetup: ["test/browser/install.ts", "test/fresh-dist.ts"],
    ...limits,
    maxWorkers: 2,
  },
});
