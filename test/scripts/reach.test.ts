// Which tests a change can reach: in a repository of few files, and in this one.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { transformSync } from "esbuild";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import type { ViteUserConfig } from "vitest/config";
import { dependents, readGraph } from "../../scripts/test/graph.mjs";
import { suitesReached } from "../../scripts/test/reach.mjs";
import { suites, without } from "../../scripts/test/reach-rows.mjs";

const folder = mkdtempSync(join(tmpdir(), "smalti-reach-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const write = (root: string, files: Readonly<Record<string, string>>) => {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
};
const gitIn = (cwd: string, ...args: string[]) =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.org", ...args], {
    cwd,
    encoding: "utf8",
  });

const project = {
  "package.json": "{}",
  "vitest.runtimes.config.ts": 'export default { globalSetup: ["test/fresh-dist.ts"] };',
  "scripts/build.mjs": "",
  "src/a.ts": 'export { b } from "./b.ts";',
  "src/b.ts": "export const b = 1;",
  "src/type.ts": "export type Shape = string;",
  "src/lazy.ts": "export const lazy = 1;",
  "test/a.test.ts": 'import { b } from "../src/a.ts";\nimport type { Shape } from "../src/type.ts";',
  "test/lazy.test.ts": 'const { lazy } = await import("../src/lazy.ts");',
  "test/page.test.ts": "readFileSync(`" + "$" + '{root}docs/page.md`);\n// "../src/b.ts" is no import.',
  "test/pictures.test.ts": 'const pictures = new URL("./pictures/", import.meta.url);',
  "test/pictures/one.png": "",
  "test/fresh-dist.ts": 'import "../scripts/build.mjs";',
  "test/runtimes/http.test.ts": "",
  "test/words.test.ts": 'const src = new URL("../src/", import.meta.url);',
  "docs/page.md": "# A page",
  "docs/other.md": "# Another page",
};

describe("in a repository of few files", () => {
  let root = "";
  let next = 0;
  beforeEach(() => {
    root = join(folder, `${next++}`);
    write(root, project);
    gitIn(root, "init", "--quiet", "--initial-branch=main");
    gitIn(root, "add", ".");
    gitIn(root, "commit", "--quiet", "--message=first");
    gitIn(root, "switch", "--quiet", "--create=branch");
  });
  const reachedBy = (files: Readonly<Record<string, string>>) => {
    write(root, files);
    return suitesReached({ root });
  };

  test.each([
    ["src/b.ts", ["test/a.test.ts", "test/words.test.ts"]],
    ["src/lazy.ts", ["test/lazy.test.ts", "test/words.test.ts"]],
    ["docs/page.md", ["test/page.test.ts", "test/words.test.ts"]],
    ["docs/other.md", ["test/words.test.ts"]],
    ["test/pictures/one.png", ["test/pictures.test.ts", "test/words.test.ts"]],
    ["test/pictures/two.png", ["test/pictures.test.ts", "test/words.test.ts"]],
    ["src/type.ts", ["test/words.test.ts"]],
  ])("a change of %s reaches %j", (file, unit) => {
    const reached = reachedBy({ [file]: "export const changed = 1;" });
    expect(reached.changed).toEqual([file]);
    expect(reached.unitFiles).toEqual(unit);
  });

  test("the service reaches the suites that run the build, and a page does not", () => {
    expect(reachedBy({ "docs/page.md": "# Changed" }).suites).toEqual(["check", "unit"]);
    expect(reachedBy({ "src/b.ts": "export const b = 2;" }).suites).toEqual([
      "check",
      "build",
      "unit",
      "runtimes",
    ]);
  });

  test.each(["package.json", "vitest.runtimes.config.ts", "unknown.txt", "unknown/file.ts"])(
    "a change of %s reaches everything, and the reason names it",
    (file) => {
      const reached = reachedBy({ [file]: "{ }" });
      expect(reached.all).toBe(true);
      expect(reached.unitFiles).toHaveLength(5);
      expect(reached.reasons.join("\n")).toContain(file);
    },
  );

  test("a file that is gone reaches everything", () => {
    rmSync(join(root, "src/lazy.ts"));
    expect(suitesReached({ root }).all).toBe(true);
  });

  test("what is committed in the branch counts, and what main had before does not", () => {
    write(root, { "docs/page.md": "# Changed" });
    gitIn(root, "commit", "--quiet", "--all", "--message=second");
    expect(suitesReached({ root }).changed).toEqual(["docs/page.md"]);
    expect(suitesReached({ root, since: "HEAD" }).changed).toEqual([]);
    gitIn(root, "switch", "--quiet", "main");
    gitIn(root, "merge", "--quiet", "branch");
    expect(suitesReached({ root }).changed).toEqual(["docs/page.md"]);
  });

  test("a commit that does not exist reaches everything", () => {
    expect(suitesReached({ root, since: "0".repeat(40) }).all).toBe(true);
  });
});

describe("in this repository", () => {
  const root = fileURLToPath(new URL("../../", import.meta.url));
  const graph = readGraph(root, without);
  const reachedBy = (...changed: string[]) => suitesReached({ root, graph, changed });

  test("each file of src/ with values is reached by the imports of a test or of an entry of dist/", () => {
    const imports = [...graph.targets].map(([file, names]) => {
      return [file, new Set([...names].filter((name) => !name.endsWith("/")))] as const;
    });
    const alone = { ...graph, targets: new Map(imports) };
    const code = [...graph.files].filter((file) => /^src\/.*(?<!\.d)\.tsx?$/.test(file));
    const unreached = code.filter(
      (file) =>
        ![...dependents(alone, [file]).keys()].some((user) => /\.test\.ts$|^src\/[\w-]+\.ts$/.test(user)),
    );
    const values = (file: string) => transformSync(readFileSync(join(root, file), "utf8"), { loader: "tsx" });
    expect(code.length).toBeGreaterThan(500);
    expect(unreached.length).toBeGreaterThan(0);
    expect(unreached.filter((file) => values(file).code !== "")).toEqual([]);
  });

  test("a codec reaches its own tests, those over HTTP, and all runtimes", () => {
    const { unitFiles, files } = reachedBy("src/imaging/codecs/jp2/decode.ts");
    expect(unitFiles).toContain("test/imaging/codecs/jp2/regions.test.ts");
    expect(unitFiles).toContain("test/server/api/mcp.test.ts");
    expect(unitFiles).not.toContain("test/iiif/image/path.test.ts");
    for (const name of ["runtimes", "containers", "browser"])
      expect(files[name]).toEqual([...graph.files].filter((file) => suiteOf(name).tests.test(file)).sort());
  });

  test("a page of docs/how-to reaches the tests of the documentation and of the package", () => {
    const { unitFiles, files } = reachedBy("docs/how-to/mcp.md");
    expect(unitFiles).toContain("test/docs/blocks.test.ts");
    expect(unitFiles).not.toContain("test/server/api/mcp.test.ts");
    expect(files).toMatchObject({
      runtimes: ["test/runtimes/package.test.ts"],
      containers: [],
      browser: ["test/browser/documentation.test.ts"],
    });
  });

  test.each([
    ["deploy/node.Containerfile", "containers"],
    ["deploy/container/health-worker.js", "containers"],
    ["test/runtimes/package-lock.json", "runtimes"],
    ["test/browser/clients/package-lock.json", "browser"],
    ["test/browser/launching.ts", "browser"],
    ["static/admin/figures.js", "browser"],
    ["test/wasm/setup.ts", "unit"],
  ])("%s reaches %s", (file, suite) => {
    const reached = reachedBy(file);
    expect(reached.all).toBe(false);
    expect(reached.suites).toContain(suite);
  });

  test("a change of deploy/ leaves the browser out, and one of a unit test all but unit", () => {
    expect(reachedBy("deploy/node.Containerfile").suites).not.toContain("browser");
    expect(reachedBy("test/iiif/image/path.test.ts").suites).toEqual(["check", "unit"]);
  });

  test.each(suites)("the files of $name are those of $config", async ({ config, tests }) => {
    const { default: loaded } = (await import(join(root, config))) as { default: ViteUserConfig };
    const projects = (loaded.test?.projects ?? [loaded]) as ViteUserConfig[];
    const patterns = projects.flatMap((project) => project.test?.include ?? []).map(patternOf);
    const all = [...graph.files].filter((file) => file.endsWith(".test.ts"));
    expect(all.filter((file) => tests.test(file))).toEqual(
      all.filter((file) => patterns.some((pattern) => pattern.test(file))),
    );
  });
});

const suiteOf = (name: string) => suites.find((suite) => suite.name === name) as (typeof suites)[number];

/** A pattern of files with ** and * as a regular expression. */
const patternOf = (glob: string) =>
  new RegExp(
    `^${glob
      .replaceAll(".", "\\.")
      .replaceAll("**/", "(.+/)?")
      .replace(/(?<!\))\*/g, "[^/]*")}$`,
  );
