// Reasons why a checkout cannot be released.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { git as gitIn } from "../git.mjs";
import { changelogSection } from "./changelog.mjs";

/**
 * All problems of a checkout that is to be released, as sentences; none if it can be. `tagged`: the tag was
 * made already, and HEAD is its commit, which has to be on the branch main, or on that of the remote.
 */
export function releaseProblems(root, { tagged = false } = {}) {
  const manifest = readFileSync(join(root, "package.json"), "utf8");
  const { version } = JSON.parse(manifest);
  const git = (...args) => gitIn(root, ...args);
  const problems = [];
  if (git("status", "--porcelain"))
    problems.push("The tree has changes that are not committed. Commit or stash them.");
  const tag = `v${version}`;
  const commit = git("rev-parse", "--verify", "--quiet", `refs/tags/${tag}^{commit}`);
  if (tagged) {
    if (!commit) problems.push(`There is no tag ${tag}, the version of package.json.`);
    else if (commit !== git("rev-parse", "HEAD"))
      problems.push(`The tag ${tag} is of another commit. Check it out: git checkout ${tag}.`);
    const branches = git("branch", "--all", "--contains", "HEAD", "--format=%(refname)") ?? "";
    if (!branches.split("\n").some((name) => /^refs\/(heads|remotes\/[^/]+)\/main$/.test(name)))
      problems.push("The commit is not on the branch main.");
  } else {
    const branch = git("rev-parse", "--abbrev-ref", "HEAD");
    if (branch !== "main") problems.push(`Releases are made on main; this is ${branch}.`);
    if (commit) problems.push(`${tag} is tagged already. Raise the version in package.json.`);
  }
  // npm makes links of the README from these addresses, and compares one with the provenance.
  if (manifest.includes("OWNER/REPOSITORY"))
    problems.push(
      "package.json still has OWNER/REPOSITORY in repository, homepage and bugs. Write the repository that the release is published from.",
    );
  return [...problems, ...textProblems(root, version)];
}

/** Problems of the texts that name the version and the date. */
function textProblems(root, version) {
  const section = changelogSection(readFileSync(join(root, "CHANGELOG.md"), "utf8"), version);
  if (!section) return [`CHANGELOG.md has no section "## [${version}] - YYYY-MM-DD".`];
  const problems = [];
  if (!section.date)
    problems.push(`The heading of ${version} in CHANGELOG.md has no date: "## [${version}] - YYYY-MM-DD".`);
  if (!section.text) problems.push(`The section ${version} of CHANGELOG.md is empty.`);
  const citation = parse(readFileSync(join(root, "CITATION.cff"), "utf8"));
  if (citation.version !== version)
    problems.push(`CITATION.cff has version: ${citation.version}; package.json has ${version}.`);
  if (section.date && citation["date-released"] !== section.date)
    problems.push(
      `CITATION.cff has date-released: ${citation["date-released"]}; CHANGELOG.md has ${section.date}.`,
    );
  return problems;
}
