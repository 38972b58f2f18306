import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { bundleBom, packagesOf } from "../../scripts/bundle-contents.mjs";
import { changelogSection } from "../../scripts/release/changelog.mjs";
import { portableBom } from "../../scripts/release/lock-bom.mjs";
import { fileInTarball, tarballDifferences } from "../../scripts/release/package.mjs";
import { releaseProblems } from "../../scripts/release/problems.mjs";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "smalti-release-test-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const changelog =
  "# Changelog\n\n## [Unreleased]\n\n## [1.2.0] - 2026-03-01\n\n### Added\n\n- A.\n\n## [1.1.0]\n\n- B.\n";

describe("a section of the changelog", () => {
  test("has its date, and its text up to the next section", () => {
    expect(changelogSection(changelog, "1.2.0")).toEqual({ date: "2026-03-01", text: "### Added\n\n- A." });
  });

  test("may have no date; an impossible day counts as none", () => {
    expect(changelogSection(changelog, "1.1.0")).toEqual({ date: undefined, text: "- B." });
    expect(changelogSection("## [1.0.0] - 2026-02-30\n", "1.0.0")?.date).toBeUndefined();
  });

  test("is undefined for another version", () => {
    expect(changelogSection(changelog, "1.2")).toBeUndefined();
  });
});

describe("a checkout is released", () => {
  const git = (...args: string[]) => execFileSync("git", args, { cwd: folder, stdio: "pipe" });
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  const commit = () => {
    git("add", ".");
    git("-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-qm", "x", "--allow-empty");
  };
  beforeEach(() => {
    git("init", "-q", "-b", "main");
    write("package.json", '{ "version": "1.2.0" }');
    write("CHANGELOG.md", changelog);
    write("CITATION.cff", 'version: 1.2.0\ndate-released: "2026-03-01"\n');
    commit();
  });

  test("if nothing is wrong", () => {
    expect(releaseProblems(folder)).toEqual([]);
  });

  test("not with changes, from another branch, or with the tag of another release", () => {
    git("tag", "v1.2.0");
    git("checkout", "-qb", "other");
    write("new", "");
    expect(releaseProblems(folder)).toEqual([
      expect.stringContaining("not committed"),
      expect.stringContaining("on main; this is other"),
      expect.stringContaining("v1.2.0 is tagged already"),
    ]);
  });

  test("not without a dated section, nor if the citation says otherwise", () => {
    write("package.json", '{ "version": "1.1.0" }');
    commit();
    expect(releaseProblems(folder)).toEqual([
      expect.stringContaining("has no date"),
      expect.stringContaining("CITATION.cff has version: 1.2.0; package.json has 1.1.0"),
    ]);
    write("package.json", '{ "version": "1.0.0" }');
    commit();
    expect(releaseProblems(folder)).toEqual([expect.stringContaining('no section "## [1.0.0]')]);
  });

  test("not while package.json names no repository", () => {
    write("package.json", '{ "version": "1.2.0", "repository": "github:OWNER/REPOSITORY" }');
    expect(releaseProblems(folder)).toContainEqual(expect.stringMatching(/OWNER\/REPOSITORY.*repository/));
  });

  test("from a tag only if the tag is of this commit of main", () => {
    expect(releaseProblems(folder, { tagged: true })).toEqual([expect.stringContaining("no tag v1.2.0")]);
    git("tag", "v1.2.0");
    git("checkout", "-q", "v1.2.0");
    expect(releaseProblems(folder, { tagged: true })).toEqual([]);
    commit();
    expect(releaseProblems(folder, { tagged: true })).toEqual([
      expect.stringContaining("of another commit"),
      expect.stringContaining("not on the branch main"),
    ]);
  });
});

describe("two tarballs", () => {
  const pack = (name: string, files: Record<string, string>, seconds = 0) => {
    const at = join(folder, name, "package");
    mkdirSync(at, { recursive: true });
    for (const [file, text] of Object.entries(files)) {
      writeFileSync(join(at, file), text);
      utimesSync(join(at, file), seconds, seconds);
    }
    utimesSync(at, 0, 0);
    const tarball = join(folder, `${name}.tgz`);
    execFileSync("tar", ["-czf", tarball, "-C", join(folder, name), "package"]);
    return tarball;
  };

  test("that are equal have no differences", () => {
    const files = { a: "1", b: "2" };
    expect(tarballDifferences(pack("one", files), pack("two", files), join(folder, "x"))).toEqual([]);
  });

  test("differ in files that are changed, or in one of them alone", () => {
    const one = pack("one", { a: "1", b: "2", same: "" });
    const two = pack("two", { a: "1!", c: "3", same: "" });
    expect(tarballDifferences(one, two, join(folder, "x"))).toEqual(["package/a", "package/b", "package/c"]);
    expect(fileInTarball(two, "a").toString()).toBe("1!");
  });

  test("differ as archives if the times of their files do", () => {
    const one = pack("one", { a: "1" });
    expect(tarballDifferences(one, pack("two", { a: "1" }, 60), join(folder, "x"))).toEqual([
      "(the archive itself)",
    ]);
  });
});

test("the bill of the lock file is the same from each folder and registry, and has the time of the commit", () => {
  const made = (name: string, host: string, serialNumber: string) => ({
    serialNumber,
    metadata: { timestamp: new Date().toISOString(), component: { name, purl: "pkg:npm/%40a/b@1.0.0" } },
    components: [
      {
        name: "c",
        purl: "pkg:npm/c@1.0.0",
        externalReferences: [
          { type: "distribution", url: `https://${host}/c.tgz` },
          { type: "vcs", url: "https://example.org/c" },
        ],
      },
    ],
  });
  const time = new Date("2026-03-01T12:00:00Z");
  const bom = portableBom(made("folder", "one.example", "urn:uuid:1"), time);
  expect(portableBom(made("clone", "two.example", "urn:uuid:2"), time)).toEqual(bom);
  expect(bom.metadata).toMatchObject({ timestamp: "2026-03-01T12:00:00.000Z", component: { name: "@a/b" } });
  expect(bom.components[0]?.externalReferences).toEqual([{ type: "vcs", url: "https://example.org/c" }]);
  // The form that the schema of CycloneDX 1.5 demands of a serial number.
  expect(bom.serialNumber).toMatch(
    /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  );
});

test("packages are found by the innermost folder of packages that a file is in", async () => {
  const install = (at: string, facts: object) => {
    mkdirSync(join(folder, at), { recursive: true });
    writeFileSync(join(folder, at, "package.json"), JSON.stringify(facts));
  };
  install("node_modules/b", { name: "b", version: "1.0.0", license: "MIT" });
  install("node_modules/@s/a", { name: "@s/a", version: "2.0.0", license: "ISC" });
  install("node_modules/@s/a/node_modules/b", { name: "b", version: "3.0.0" });
  const files = [
    "src/main.ts",
    "node_modules/@s/a/x.js",
    "node_modules/@s/a/node_modules/b/y.js",
    "node_modules/b/z.js",
  ];
  const found = await packagesOf(folder, files);
  expect(found.map(({ name, version, license }) => [name, version, license])).toEqual([
    ["@s/a", "2.0.0", "ISC"],
    ["b", "1.0.0", "MIT"],
    ["b", "3.0.0", undefined],
  ]);
});

test("the bill of the bundle has packages with licences, their modules inside them, and our own next to them", () => {
  const bom = bundleBom({
    version: "0.1.0+ab12cd3",
    packages: [
      { name: "@s/a", version: "2.0.0", license: "MIT" },
      { name: "b", version: "1.0.0", license: "MIT OR Apache-2.0" },
      { name: "c", version: "1.0.0" },
    ],
    modules: [
      { file: "wasm/foreign.wasm", bytes: new TextEncoder().encode("abc"), package: "@s/a" },
      { file: "wasm/own.wasm", bytes: new Uint8Array() },
    ],
    prebuilt: ["c"],
  });
  // SHA-256 of "abc" and of nothing: FIPS 180-4 and its examples.
  const abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  const nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
  expect(bom.components).toMatchObject([
    {
      purl: "pkg:npm/%40s/a@2.0.0",
      licenses: [{ license: { id: "MIT" } }],
      components: [{ type: "file", name: "wasm/foreign.wasm", hashes: [{ alg: "SHA-256", content: abc }] }],
    },
    { purl: "pkg:npm/b@1.0.0", licenses: [{ expression: "MIT OR Apache-2.0" }] },
    { purl: "pkg:npm/c@1.0.0", licenses: [{ license: { name: "unknown" } }] },
    { type: "file", name: "wasm/own.wasm", hashes: [{ alg: "SHA-256", content: nothing }] },
  ]);
  expect(bom).toMatchObject({
    metadata: { component: { version: "0.1.0+ab12cd3", purl: "pkg:npm/smalti@0.1.0%2Bab12cd3" } },
    compositions: [{ aggregate: "incomplete", assemblies: ["pkg:npm/c@1.0.0"] }],
  });
});

test("changelog and citation have the version of package.json", () => {
  const read = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), "utf8");
  const { version } = JSON.parse(read("package.json"));
  const section = changelogSection(read("CHANGELOG.md"), version);
  expect(section?.text).not.toBe("");
  expect(parse(read("CITATION.cff"))).toMatchObject({ version, "date-released": section?.date });
});
