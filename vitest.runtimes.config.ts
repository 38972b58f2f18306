import { defineConfig } from "vitest/config";
import "./test/sampled.ts"; // workers inherit the seed

// One black-box suite over HTTP against the built dist/ on every runtime, as test/runtimes/selection.ts
// divides it: npm run test:runtimes. RUNTIMES=deno,bun picks.
export default defineConfig({
  test: {
    include: ["test/runtimes/**/*.test.ts"],
    globalSetup: ["test/runtimes/install.ts", "test/fresh-dist.ts"],
    // Ends what hangs; a busy machine may take its time.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 120_000 } },
    pool: "forks",
    // Most of its time goes by waiting.
    maxWorkers: 3,
  },
});
