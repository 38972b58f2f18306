import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { everything, seedOf } from "./test/sampled.ts";

/** The longest file first, which one of two workers takes alone. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const isLong = ({ moduleId }: TestSpecification) => Number(moduleId.endsWith("/default-build.test.ts"));
    return [...files].sort((a, b) => isLong(b) - isLong(a));
  }
}

// The build that people run installs and builds all of it once more: a third of the commits try it.
const withDefaultBuild = everything || seedOf("default build") % 3 === 0;

// The images of deploy/: npm run test:containers. Needs root and podman.
export default defineConfig({
  test: {
    include: ["test/containers/**/*.test.ts"],
    exclude: withDefaultBuild ? [] : ["test/containers/default-build.test.ts"],
    globalSetup: ["test/containers/setup.ts"],
    // Ends what hangs; a busy machine may take its time.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 120_000 } },
    pool: "forks",
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
  },
});
