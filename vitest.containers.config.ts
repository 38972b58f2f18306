import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { limits } from "./test/limits.ts";
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
    setupFiles: ["test/reused-connections.ts"],
    include: ["test/containers/**/*.test.ts"],
    exclude: withDefaultBuild ? [] : ["test/containers/default-build.test.ts"],
    globalSetup: ["test/containers/setup.ts"],
    ...limits,
    pool: "forks",
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
  },
});
