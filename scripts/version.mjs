// The version that a build shows.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The version of a checkout: that of package.json with the commit that is checked out, `0.1.0+ab12cd3`, or without
 * it if the commit carries the tag of that version, `v0.1.0`. A folder that is no checkout of its own has no commit;
 * a build there (in a container, from an archive) may be told the whole version in the variable SMALTI_VERSION.
 */
export function version(root, env = process.env) {
  if (env.SMALTI_VERSION) return env.SMALTI_VERSION;
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const head = git(root, "rev-parse", "--show-prefix", "HEAD");
  // With a prefix, the commit is that of a repository around this folder.
  const commit = head?.startsWith("\n") ? head.trim().slice(0, 7) : undefined;
  if (!commit || git(root, "tag", "--points-at", "HEAD")?.split("\n").includes(`v${version}`)) return version;
  return `${version}+${commit}`;
}

/** What git prints; undefined if there is no git, or no commit. */
function git(cwd, ...args) {
  try {
    return execFileSync("git", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  } catch {
    return undefined;
  }
}
