import { defineConfig } from "vitest/config";

// One black-box suite over HTTP against the built dist/ on every runtime: npm run test:runtimes. RUNTIMES=deno,bun picks.
export default defineConfig({
  test: {
    include: ["test/runtimes/**/*.test.ts"],
    globalSetup: ["test/runtimes/install.ts", "test/fresh-dist.ts"],
    // Ends what hangs; a busy machine may take its time.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } },
    pool: "forks",
    // Most of its time goes by waiting.
    maxWorkers: 3,
  },
});
