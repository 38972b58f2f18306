import { defineConfig } from "vitest/config";
import { filesOf } from "./test/projects.ts";

const usual = {
  setupFiles: ["test/equal-bytes.ts"],
  // Ends what hangs; a busy machine may take its time.
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 120_000 } },
  // Threads would share the few threads that read files, and wait for each other.
  pool: "forks",
} as const;

// A process for each file, or one for many; test/projects.ts says which.
const isolated = { ...usual, sequence: { groupOrder: 1 } } as const;
const together = { ...usual, isolate: false, sequence: { groupOrder: 2 } } as const;

export default defineConfig({
  test: {
    globalSetup: ["test/wasm/setup.ts"],
    // npm run test:quick leaves them out.
    tags: [{ name: "slow", description: "Takes seconds on a quiet machine." }],
    maxWorkers: 3,
    projects: [
      {
        test: {
          ...isolated,
          name: "program",
          include: filesOf("program"),
          globalSetup: ["test/fresh-dist.ts"],
        },
      },
      { test: { ...isolated, name: "alone", include: filesOf("alone") } },
      { test: { ...together, name: "shared", include: filesOf("shared") } },
    ],
  },
});
