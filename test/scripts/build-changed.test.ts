// What `npm start` does before it starts: it builds a checkout once, and again if its sources change.
// @module-tag slow

import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildSources } from "../../scripts/build-stamp.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));
let checkout: string;
beforeAll(() => {
  checkout = mkdtempSync(join(tmpdir(), "smalti-changed-"));
  for (const name of buildSources)
    cpSync(join(root, name), join(checkout, name), {
      recursive: true,
      filter: (path) => !path.includes("node_modules"),
    });
  symlinkSync(join(root, "node_modules"), join(checkout, "node_modules"));
  // A build of a moment: the suite "build" tries the real one.
  writeFileSync(
    join(checkout, "scripts/build.mjs"),
    `import "esbuild";
    import { copyFileSync, mkdirSync } from "node:fs";
    import { markBuilt, sourcesDigest } from "./build-stamp.mjs";
    const root = ${JSON.stringify(checkout)};
    export async function build() {
      mkdirSync(root + "/dist", { recursive: true });
      copyFileSync(root + "/src/base/errors.ts", root + "/dist/app.js");
      markBuilt(root + "/dist", sourcesDigest(root));
    }`,
  );
});
afterAll(() => rmSync(checkout, { recursive: true, force: true }));

/** Returns its standard error. */
function prestart(): string {
  const { prestart = "" } = JSON.parse(readFileSync(join(checkout, "package.json"), "utf8")).scripts;
  const [, script = ""] = /^node (\S+)$/.exec(prestart) ?? [];
  const { status, stderr } = spawnSync(process.execPath, [script], { cwd: checkout, encoding: "utf8" });
  expect([status, stderr]).toEqual([0, expect.any(String)]);
  return stderr;
}

const built = () => readFileSync(join(checkout, "dist/app.js"), "utf8");

test("builds once and says so, then does neither, until a source changes", () => {
  expect(prestart()).toMatch(/^smalti: building dist\/.*half a minute\.\nsmalti: .* built in [\d.]+ s\.\n$/);
  const main = join(checkout, "dist/app.js");
  writeFileSync(main, "as it was");
  expect(prestart()).toBe("");
  expect(built()).toBe("as it was");
  appendFileSync(join(checkout, "src/base/errors.ts"), 'console.log("changed");\n');
  expect(prestart()).toMatch(/^smalti: the sources have changed; building dist\/ again\.\n/);
  expect(built()).toContain('console.log("changed")');
});

test("builds again if a build was not finished", () => {
  rmSync(join(checkout, "dist/.built-from"));
  writeFileSync(join(checkout, "dist/app.js"), "");
  expect(prestart()).toContain("building");
  expect(built()).not.toBe("");
});

test("names npm ci if the packages are not installed", () => {
  rmSync(join(checkout, "node_modules"));
  rmSync(join(checkout, "dist"), { recursive: true });
  const { status, stderr } = spawnSync(process.execPath, ["scripts/build-changed.mjs"], {
    cwd: checkout,
    encoding: "utf8",
  });
  expect([status, stderr]).toEqual([1, expect.stringMatching(/run npm ci\.\n$/)]);
});
