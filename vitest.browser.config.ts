import { defineConfig } from "vitest/config";

// Pages in a real Chromium against the built server.
export default defineConfig({
  test: {
    include: ["test/browser/**/*.test.ts"],
    globalSetup: ["test/browser/install.ts", "test/fresh-dist.ts"],
    // Files of a worker share its Chromium, and what they import. Limits only catch what hangs.
    isolate: false,
    testTimeout: 600_000,
    hookTimeout: 600_000,
    maxWorkers: 2,
    expect: { poll: { timeout: 300_000 } },
  },
});
