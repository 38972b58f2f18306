import { defineConfig } from "vitest/config";

// Pages in a real Chromium against the built server.
export default defineConfig({
  test: {
    include: ["test/browser/**/*.test.ts"],
    globalSetup: ["test/browser/install.ts", "test/fresh-dist.ts"],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    maxWorkers: 2,
    expect: { poll: { timeout: 60_000 } },
  },
});
