import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { limits } from "./test/limits.ts";
import { prebuiltSources } from "./test/prebuilt/plugin.ts";
import { filesOf } from "./test/projects.ts";

const usual = {
  setupFiles: ["test/equal-bytes.ts", "test/prebuilt/stacks.ts", "test/restored.ts"],
  ...limits,
  // Threads would share the few threads that read files, and wait for each other.
  pool: "forks",
  isolate: false,
} as const;

export default defineConfig({
  test: {
    globalSetup: ["test/wasm/setup.ts"],
    // npm run test:quick leaves them out.
    tags: [{ name: "slow", description: "Takes seconds on a quiet machine." }],
    teardownTimeout: limits.teardownTimeout,
    maxWorkers: availableParallelism() + 1,
    projects: [
      {
        plugins: [prebuiltSources()],
        test: {
          ...usual,
          setupFiles: [...usual.setupFiles, "test/reused-connections.ts"],
          name: "program",
          include: filesOf("program"),
          globalSetup: ["test/fresh-dist.ts"],
        },
      },
      { plugins: [prebuiltSources()], test: { ...usual, name: "shared", include: filesOf("shared") } },
    ],
  },
});
