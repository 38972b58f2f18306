// Makes a release of the checked-out commit: checks it, builds the package twice in fresh clones and compares
// every byte, writes the package with checksums, bills of materials and notes to release/, and tags the
// commit.
//
//   node scripts/release.mjs              all of it
//     --dry-run                           tags only the clones
//     --skip-tests                        does not run .ci/run
//     --tagged                            the tag exists and its commit is checked out (in a workflow)
//
// CONTRIBUTING.md, "Releasing", describes the steps before and after.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { changelogSection } from "./release/changelog.mjs";
import { lockBom } from "./release/lock-bom.mjs";
import { fileInTarball, packFresh, tarballDifferences } from "./release/package.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const tag = `v${version}`;

const flags = readFlags();
await refuseProblems();
test();
const scratch = mkdtempSync(join(tmpdir(), "smalti-release-"));
try {
  writeRelease(packTwice(scratch));
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
tagCommit();

function readFlags() {
  const options = { "dry-run": {}, "skip-tests": {}, tagged: {} };
  for (const option of Object.values(options)) option.type = "boolean";
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    fail([`${error.message}. The options are --dry-run, --skip-tests and --tagged.`], 2);
  }
}

async function refuseProblems() {
  const { releaseProblems } = await import("./release/problems.mjs").catch((error) => {
    if (error.code !== "ERR_MODULE_NOT_FOUND") throw error;
    fail(["The packages of the lock file are not installed. Run npm ci first."]);
  });
  const problems = releaseProblems(root, { tagged: flags.tagged });
  if (problems.length > 0) fail(problems);
  console.log(`Releasing ${version}${flags["dry-run"] ? " (dry run)" : ""}.`);
}

function test() {
  if (flags["skip-tests"]) console.warn("\n*** THE TESTS ARE SKIPPED: --skip-tests. ***\n");
  else {
    // Before a release tests try everything of which they otherwise draw a sample.
    const env = { ...process.env, TEST_ALL: "1" };
    execFileSync(join(root, ".ci/run"), { cwd: root, env, stdio: "inherit" });
  }
}

/** Builds in two folders whose paths differ in length; returns the tarball if both are equal. */
function packTwice(scratch) {
  const [first, second] = ["one", "another-folder"].map((name) => {
    console.log(`Building in a fresh clone, ${name} ...`);
    return packFresh({
      root,
      clone: join(scratch, name, "clone"),
      tag,
      target: join(scratch, name, "packed"),
    });
  });
  const differing = tarballDifferences(first, second, join(scratch, "compared"));
  if (differing.length > 0)
    throw new Error(
      `Two builds of one commit differ, so nobody could reproduce it:\n${differing.join("\n")}`,
    );
  console.log("Both builds are the same, byte by byte.");
  return first;
}

function writeRelease(tarball) {
  const target = join(root, "release");
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target);
  const name = basename(tarball, ".tgz");
  copyFileSync(tarball, join(target, basename(tarball)));
  writeFileSync(join(target, `${name}.bundle.cdx.json`), fileInTarball(tarball, "dist/sbom.cdx.json"));
  writeFileSync(join(target, `${name}.lock.cdx.json`), `${JSON.stringify(lockBom(root), null, 2)}\n`);
  const { text } = changelogSection(readFileSync(join(root, "CHANGELOG.md"), "utf8"), version);
  // The Node that reproduces the package: compressed files depend on it.
  writeFileSync(join(target, "NOTES.md"), `${text}\n\nBuilt with Node ${process.version}.\n`);
  const sums = readdirSync(target)
    .sort()
    .map((file) => `${sha256(readFileSync(join(target, file)))}  ${file}\n`);
  writeFileSync(join(target, "SHA256SUMS"), sums.join(""));
  console.log(`release/SHA256SUMS:\n${sums.join("")}`);
}

function tagCommit() {
  if (flags.tagged) return;
  if (flags["dry-run"]) return console.log(`Dry run: ${tag} is not tagged.`);
  execFileSync("git", ["tag", "-a", tag, "-m", `smalti ${version}`], { cwd: root, stdio: "inherit" });
  console.log(`Tagged ${tag}. Publish it: git push origin ${tag}`);
}

function sha256(bytes) {
  return createHash("sha256").update(bytes).digest("hex");
}

function fail(messages, code = 1) {
  for (const message of messages) console.error(message);
  process.exit(code);
}
