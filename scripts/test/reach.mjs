// Which suites and test files a change can reach. If in doubt, all.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { git } from "../git.mjs";
import { dependents, foldersOf, readGraph, usersOf } from "./graph.mjs";
import { always, everything, notSetUp, rows, suites, without } from "./reach-rows.mjs";

/**
 * Returns what has changed since a commit, uncommitted and new files included; undefined if there is no such
 * commit. Without `since`: since the branch left main, or on main itself since the commit before.
 */
export function changedFiles(root, since) {
  const from = git(root, "rev-parse", "--verify", "--quiet", `${since ?? usualBase(root)}^{commit}`);
  if (!from) return undefined;
  const tracked = git(root, "diff", "--name-only", "--no-renames", from);
  const added = git(root, "ls-files", "--others", "--exclude-standard");
  if (tracked === undefined || added === undefined) return undefined;
  return [...new Set(`${tracked}\n${added}`.split("\n").filter(Boolean))].sort();
}

function usualBase(root) {
  if (git(root, "rev-parse", "--abbrev-ref", "HEAD") === "main") return "HEAD^";
  for (const main of ["main", "origin/main"]) {
    const base = git(root, "merge-base", "HEAD", main);
    if (base) return base;
  }
  return "none";
}

/**
 * Says what a change since a commit can reach; `changed` names its files in place of git. Returns `suites`,
 * the names of those to run, "check" and "build" included; `files`, the test files of each that has tests;
 * `unitFiles`, those of "unit"; `all`, true if everything has to run; `reasons`, a line for each suite; and
 * `changed`.
 */
export function suitesReached({
  since,
  root = process.cwd(),
  graph = readGraph(root, without),
  ...given
} = {}) {
  const changed = given.changed ?? changedFiles(root, since);
  const doubt = changed ? doubtOf(graph, changed, root) : "there is no commit to compare with";
  const reached = doubt ? undefined : reachedBy(graph, changed);
  const files = {};
  const reasons = [];
  for (const suite of suites) {
    const tests = [...graph.files].filter((file) => suite.tests.test(file)).sort();
    const found = reached ? tests.filter((file) => isReached(graph, suite, file, reached)) : tests;
    files[suite.name] = found;
    reasons.push(`${suite.name}: ${reasonOf(found, tests, doubt, reached)}`);
  }
  const builds = !reached || reached.has("scripts/build.mjs");
  const names = suites.map(({ name }) => name).filter((name) => files[name].length > 0);
  return {
    suites: ["check", ...(builds || names.some((name) => name !== "unit") ? ["build"] : []), ...names],
    files,
    unitFiles: files.unit,
    all: doubt !== undefined,
    reasons,
    changed: changed ?? [],
  };
}

/** Why everything has to run, if so. */
function doubtOf(graph, changed, root) {
  const users = usersOf(graph.targets);
  for (const file of changed) {
    if (everything.some((pattern) => pattern.test(file))) return `${file} is part of every run`;
    if (suites.some(({ tests }) => tests.test(file))) continue;
    if (!existsSync(join(root, file)) && !file.startsWith("docs/")) return `${file} is gone`;
    const named = rows.some(({ files }) => files.test(file)) || users.has(file);
    // Who reads src/ or test/ as a whole does not say what a file in it is for.
    const inNamed = foldersOf(file).some((folder, depth) => depth > 0 && users.has(folder));
    if (!named && !inNamed) return `nothing says which tests read ${file}`;
  }
  return undefined;
}

function reachedBy(graph, changed) {
  const more = changed.flatMap((file) =>
    rows.filter(({ files }) => files.test(file)).flatMap(({ reaches }) => reaches),
  );
  return dependents(graph, [...new Set([...changed, ...more])]);
}

function isReached({ files, targets }, { name, config }, file, reached) {
  if (reached.has(file) || always.includes(file)) return true;
  const setUp = [...(targets.get(config) ?? [])].filter((target) => files.has(target));
  return setUp.some((part) => reached.has(part) && !(name === "unit" && notSetUp.includes(part)));
}

function reasonOf(found, tests, doubt, reached) {
  if (doubt) return `all ${tests.length} files, since ${doubt}`;
  if (found.length === 0) return `left out: no change reaches its ${tests.length} files`;
  const example = found.find((file) => reached.has(file) && !always.includes(file)) ?? found[0];
  const by = reached.get(example);
  const way = always.includes(example) ? "which always run" : `as ${example} by ${by ?? "its set-up"}`;
  return `${found.length} of ${tests.length} files, ${way}`;
}
