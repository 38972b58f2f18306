// Compares the titles of all tests at two commits: a test may be rewritten or moved, but if its title is
// gone, a line of a file of successors has to say what proves the same.
//
//   node scripts/test-titles.mjs OLD NEW [--successors FILE ...] [--config FILE ...]
//
// OLD and NEW are commits, or JSON that `vitest list --json` or vitest's reporter "json" has written (several
// files: separated by commas). A line of a file of successors: `old title (test/file.test.ts) -> successor`,
// in which * stands for any text. Ends with 1 if a title is gone and has no successor.

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { git } from "./git.mjs";
import { suites } from "./test/reach-rows.mjs";

const root = fileURLToPath(new URL("../", import.meta.url));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    successors: { type: "string", multiple: true, default: [] },
    config: { type: "string", multiple: true, default: suites.map(({ config }) => config) },
  },
});
if (positionals.length !== 2) {
  console.error("usage: node scripts/test-titles.mjs OLD NEW [--successors FILE ...] [--config FILE ...]");
  process.exit(2);
}

const [before, after] = positionals.map((side) => titlesOf(side));
const rows = values.successors.flatMap((file) => readFileSync(file, "utf8").split("\n")).flatMap(rowOf);
const gone = [...before].filter((title) => !after.has(title));
const added = [...after].filter((title) => !before.has(title));
const named = new Set(added.map(nameOf));

let unproven = 0;
for (const title of gone) {
  const successor = rows.find(({ old }) => old.test(title))?.successor;
  const moved = successor === undefined && named.has(nameOf(title));
  if (!successor && !moved) unproven++;
  console.log(
    `gone: ${title}\n  -> ${successor ?? (moved ? "the same title in another file" : "NO SUCCESSOR")}`,
  );
}
for (const title of added) console.log(`new: ${title}`);
console.log(
  `${before.size} titles, now ${after.size}: ${gone.length} gone (${unproven} without a successor), ${added.length} new`,
);
process.exitCode = unproven > 0 ? 1 : 0;

/** The titles of one side, as "title (file)". */
function titlesOf(side) {
  const files = side.split(",");
  if (files.every((file) => existsSync(file))) return new Set(files.flatMap((file) => titlesIn(file)));
  const commit = git(root, "rev-parse", "--verify", "--quiet", `${side}^{commit}`);
  if (!commit) throw new Error(`${side} is neither a commit nor a file.`);
  return titlesAt(commit);
}

/** The titles of a checkout in a temporary folder, with the packages that are installed here. */
function titlesAt(commit) {
  const folder = mkdtempSync(join(tmpdir(), "smalti-titles-"));
  const tree = join(folder, "tree");
  try {
    if (git(root, "worktree", "add", "--detach", tree, commit) === undefined)
      throw new Error(`git worktree add ${tree} ${commit} failed.`);
    const locks = git(tree, "ls-files", "*package-lock.json").split("\n");
    for (const at of locks.map((lock) => join(dirname(lock), "node_modules")))
      if (existsSync(join(root, at))) symlinkSync(join(root, at), join(tree, at));
    const configs = values.config.filter((config) => existsSync(join(tree, config)));
    return new Set(configs.flatMap((config) => titlesBy(config, tree, join(folder, `${config}.json`))));
  } finally {
    git(root, "worktree", "remove", "--force", tree);
    rmSync(folder, { recursive: true, force: true });
  }
}

function titlesBy(config, tree, output) {
  // One seed for both, or titles with samples in them would differ.
  const env = { ...process.env, TEST_SEED: "titles" };
  const args = ["node_modules/vitest/vitest.mjs", "list", "--config", config, `--json=${output}`];
  const { status } = spawnSync(process.execPath, args, { cwd: tree, env, stdio: ["ignore", 2, 2] });
  if (status !== 0) throw new Error(`vitest list --config ${config} failed in ${tree}.`);
  return titlesIn(output, tree);
}

/** The titles in a file of JSON; paths in it are those of `tree`, or of wherever it was written. */
function titlesIn(file, tree) {
  const json = JSON.parse(readFileSync(file, "utf8"));
  const short = (path) => (tree ? relative(tree, path) : path.replace(/^.*?(?=test\/.*\.test\.ts$)/, ""));
  if (Array.isArray(json)) return json.map(({ name, file: path }) => `${name} (${short(path)})`);
  return json.testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map((test) => `${[...test.ancestorTitles, test.title].join(" > ")} (${short(name)})`),
  );
}

/** What a test is called without its file. */
function nameOf(title) {
  return title.replace(/ \([^()]*\)$/, "");
}

function rowOf(line) {
  const [, old, successor] = /^(?:[-*] )?(.+ \(\S+\)) -> (.+)$/.exec(line) ?? [];
  if (!old) return [];
  const parts = old.split("*").map((part) => part.replace(/[\\^$.+?()[\]{}|]/g, "\\$&"));
  return [{ old: new RegExp(`^${parts.join(".*")}$`, "s"), successor }];
}
