// The vendored viewers: the files that the pages name, from the very versions that they were written for.

import {
  appendFileSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { checkViewers, viewerPackages } from "../../scripts/viewer-files.mjs";
import { viewers } from "../../src/server/api/view/viewers.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "smalti-viewers-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A copy of the viewers that may be damaged. */
function copied(name: string): string {
  const at = join(folder, name);
  for (const { directory } of viewerPackages)
    cpSync(join(root, directory), join(at, directory), { recursive: true });
  return at;
}

describe("the vendored viewers", () => {
  test("match the manifest, and the pages name them", () => {
    checkViewers();
    const named = Object.values(viewers)
      .flatMap(({ page }) => [...(page.styles ?? []), ...(page.scripts ?? [])])
      .filter((path) => /^viewer\/\w+-\d/.test(path));
    expect(named).toHaveLength(3);
    for (const path of named) {
      expect(viewerPackages.map(({ directory }) => directory)).toContain(
        `static/${path.split("/").slice(0, 2).join("/")}`,
      );
      expect(readFileSync(join(root, "static", path)).length).toBeGreaterThan(1000);
    }
    for (const { directory } of viewerPackages)
      expect(readdirSync(join(root, directory))).toContain("LICENSE.txt");
  });

  test("name no server of others that they would fetch from", () => {
    const files = viewerPackages.flatMap(({ directory }) =>
      (readdirSync(join(root, directory), { recursive: true }) as string[])
        .filter((name) => name.endsWith(".js"))
        .map((name) => join(root, directory, name)),
    );
    expect(files.length).toBeGreaterThan(8);
    for (const file of files)
      expect(readFileSync(file, "utf8")).not.toMatch(/cdn\.|jsdelivr|unpkg|gstatic|googleapis/);
  });

  test("are refused if a file was changed, is missing, or is not in the manifest", () => {
    const changed = copied("changed");
    appendFileSync(join(changed, "static/viewer/mirador-4.0.0/mirador.min.js"), " ");
    expect(() => checkViewers(changed)).toThrow("mirador.min.js is not the file");
    const missing = copied("missing");
    rmSync(join(missing, "static/viewer/universalviewer-4.4.0/umd/UV.js"));
    expect(() => checkViewers(missing)).toThrow("umd/UV.js");
    const more = copied("more");
    writeFileSync(join(more, "static/viewer/mirador-4.0.0/more.js"), "");
    expect(() => checkViewers(more)).toThrow("has files that scripts/viewers.json does not name");
  });
});
