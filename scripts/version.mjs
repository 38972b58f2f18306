// The version that a build shows.
//
//   node scripts/version.mjs      prints that of this checkout

import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { git } from "./git.mjs";

/**
 * The version of a checkout: that of package.json with the commit that is checked out, `0.1.0+ab12cd3`, or
 * without it if the commit has the tag of that version, `v0.1.0`. A folder that is not a checkout of its own
 * has no commit; the variable SMALTI_VERSION gives a build there the whole version (in a container, from an
 * archive).
 */
export function version(root, env = process.env) {
  if (env.SMALTI_VERSION) return env.SMALTI_VERSION;
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const head = git(root, "rev-parse", "--show-prefix", "HEAD");
  // A prefix means that the commit belongs to a repository around this folder.
  const commit = head?.startsWith("\n") ? head.trim().slice(0, 7) : undefined;
  if (!commit || git(root, "tag", "--points-at", "HEAD")?.split("\n").includes(`v${version}`)) return version;
  return `${version}+${commit}`;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href)
  console.log(version(resolve(dirname(fileURLToPath(import.meta.url)), "..")));
