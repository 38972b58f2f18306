import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/runtimes/**", "test/containers/**", "test/browser/**", "**/node_modules/**"],
    globalSetup: ["test/wasm/setup.ts"],
    // npm run test:quick leaves them out.
    tags: [{ name: "slow", description: "Takes seconds on a quiet machine." }],
    // Ends what hangs; a busy machine may take its time.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } },
    pool: "forks",
    maxWorkers: 2,
  },
});
