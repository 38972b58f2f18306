// What the graph of imports and paths does not show: the suites, and what reaches tests by other ways.

/**
 * A suite runs if one of its tests can be reached; what its configuration names is the set-up of all of
 * them.
 */
export const suites = [
  {
    name: "unit",
    config: "vitest.config.ts",
    tests: /^test\/(?!browser\/|runtimes\/|containers\/).*\.test\.ts$/,
  },
  { name: "runtimes", config: "vitest.runtimes.config.ts", tests: /^test\/runtimes\/.*\.test\.ts$/ },
  {
    name: "containers",
    config: "vitest.containers.config.ts",
    tests: /^test\/containers\/.*\.test\.ts$/,
  },
  { name: "browser", config: "vitest.browser.config.ts", tests: /^test\/browser\/.*\.test\.ts$/ },
];

/** The project "program" alone needs dist/, and its tests import the build by themselves. */
export const notSetUp = ["test/fresh-dist.ts", "test/projects.ts"];

/** A change of these reaches every test. */
export const everything = [
  /^(package|package-lock|tsconfig|deno)\.json$/,
  /^vitest\.[\w.]*config\.ts$/,
  /^\.(ci|npmrc|nvmrc)/,
  /^\.github\/workflows\/(test|nightly)\.yml$/,
  /^scripts\/test/,
  /^test\/(projects|sampled|seeded)\.ts$/,
];

/** Runs after every change: they read the whole tree. */
export const always = ["test/words.test.ts", "test/imports.test.ts", "test/repeatable.test.ts"];

/** Whatever uses these uses dist/. */
const dist = ["scripts/build.mjs"];

/** A change of a file of the pattern counts as a change of `reaches` too. */
export const rows = [
  { files: /^(src|translations)\//, reaches: dist },
  { files: /^static\//, reaches: [...dist, "test/served.ts"] },
  { files: /^wasm\//, reaches: [...dist, "test/wasm/setup.ts"] },
  // Of dist/ they change the site alone.
  { files: /^docs\//, reaches: ["test/docs/pages.ts", "test/runtimes/package.test.ts"] },
  {
    files: /^docs\/reference\/errors\.md$/,
    reaches: ["test/runtimes/http.test.ts", "test/runtimes/smoke.ts"],
  },
  { files: /^[A-Z]+\.md$/, reaches: ["test/docs/pages.ts"] },
  { files: /^(README\.md|LICENSE)$/, reaches: ["test/runtimes/package.test.ts"] },
  { files: /^LICENSE$/, reaches: ["test/containers/default-build.test.ts"] },
  { files: /^deploy\//, reaches: ["test/containers/setup.ts", "test/runtimes/package.test.ts"] },
  { files: /^\.dockerignore$/, reaches: ["test/containers/setup.ts"] },
  { files: /^wrangler\.toml$/, reaches: ["test/runtimes/wrangler.test.ts"] },
  // The suite "check" reads them, which always runs; measurements are run by hand.
  { files: /^(biome\.json|scripts\/check\/|scripts\/(check|docs|format-wasm)\.mjs|bench\/)/, reaches: [] },
  { files: /^scripts\/.*\.d\.mts$/, reaches: [] },
];

/** What names of the graph are no dependencies. */
export const without = [
  // The pages of the site: see the row of docs/.
  { files: "scripts/site/", names: "docs/" },
  // A test that loads a module from the bundle imports the module by its own name.
  { files: "test/prebuilt/", names: "src/" },
];
