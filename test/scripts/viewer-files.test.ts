// The viewers in the bundle: the files that the pages name, from the very versions that they were written for.

import { cp, mkdtemp, readdir, readFile, rm, unlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { copyViewers } from "../../scripts/viewer-files.mjs";
import { viewers } from "../../src/api/view/viewers.ts";

const packages = fileURLToPath(new URL("../../node_modules/", import.meta.url));
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "smalti-viewers-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("the viewers in the bundle", () => {
  test("are all files of packages that their pages name, as they are in the packages, with licences", async () => {
    const target = join(folder, "viewer");
    await copyViewers(packages, target);
    const named = Object.values(viewers)
      .flatMap(({ page }) => [...(page.styles ?? []), ...(page.scripts ?? [])])
      .filter((path) => /^viewer\/\w+-\d/.test(path));
    expect(named).toHaveLength(3);
    for (const path of named) {
      const [, name = "", rest = ""] = /^viewer\/(\w+)-[\d.]+\/(.+)$/.exec(path) ?? [];
      const copy = await readFile(join(folder, path));
      expect(copy.equals(await readFile(join(packages, name, "dist", rest)))).toBe(true);
    }
    for (const viewer of await readdir(target))
      expect(await readdir(join(target, viewer))).toContain("LICENSE.txt");
  });

  test("name no server of others that they would fetch from", async () => {
    const target = join(folder, "viewer");
    const files = (await readdir(target, { recursive: true })).filter((name) => name.endsWith(".js"));
    expect(files.length).toBeGreaterThan(8);
    for (const file of files)
      expect(await readFile(join(target, file), "utf8")).not.toMatch(
        /cdn\.|jsdelivr|unpkg|gstatic|googleapis/,
      );
  });

  test("are refused where a package has another version or lacks a file", async () => {
    const own = join(folder, "node_modules");
    for (const name of ["mirador", "universalviewer"]) {
      await cp(join(packages, name, "dist"), join(own, name, "dist"), { recursive: true });
      for (const file of ["package.json", "LICENSE", "LICENSE.txt"])
        await cp(join(packages, name, file), join(own, name, file)).catch(() => {});
    }
    await unlink(join(own, "universalviewer/dist/umd/UV.js"));
    await expect(copyViewers(own, join(folder, "a"))).rejects.toThrow("umd/UV.js");
    const facts = join(own, "mirador/package.json");
    await writeFile(
      facts,
      JSON.stringify({ ...JSON.parse(await readFile(facts, "utf8")), version: "4.0.1" }),
    );
    await expect(copyViewers(own, join(folder, "b"))).rejects.toThrow("Expected mirador 4.0.0");
  });
});
