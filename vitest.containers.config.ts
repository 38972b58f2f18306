import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The longest file first, which one of two workers takes alone. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const isLong = ({ moduleId }: TestSpecification) => Number(moduleId.endsWith("/default-build.test.ts"));
    return [...files].sort((a, b) => isLong(b) - isLong(a));
  }
}

// The images of deploy/, by tests of their own and by those of the runtimes: npm run test:containers. Needs
// root and podman.
export default defineConfig({
  test: {
    include: [
      "test/containers/**/*.test.ts",
      ...["http", "scale-out", "stop"].map((name) => `test/runtimes/${name}.test.ts`),
    ],
    globalSetup: ["test/containers/setup.ts"],
    env: { RUNTIMES: "node-container,workerd-container" },
    // Ends what hangs; a busy machine may take its time.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } },
    pool: "forks",
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
  },
});
