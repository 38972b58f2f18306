// The npm package, built from a commit in a fresh clone, and the comparison of two of them.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

/**
 * Clones a repository's HEAD into a folder, tags it there, installs the packages of the lock file and packs.
 * Returns the path of the tarball, which is in `target`.
 */
export function packFresh({ root, clone, tag, target }) {
  run(root, "git", ["clone", "--quiet", "--no-local", "--no-tags", "--single-branch", ".", clone]);
  run(clone, "git", ["-c", "user.name=release", "-c", "user.email=release", "tag", "-a", tag, "-m", tag]);
  run(clone, "npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"]);
  mkdirSync(target, { recursive: true });
  run(clone, "npm", ["pack", "--loglevel=error", "--pack-destination", target]);
  return join(target, `smalti-${tag.slice(1)}.tgz`);
}

/**
 * The names of the files in which two tarballs differ, sorted; `(the archive itself)` if only the archives
 * do.
 */
export function tarballDifferences(first, second, scratch) {
  if (readFileSync(first).equals(readFileSync(second))) return [];
  const [one, two] = [first, second].map((tarball, i) => {
    const folder = join(scratch, String(i));
    mkdirSync(folder, { recursive: true });
    run(folder, "tar", ["-xzf", tarball]);
    return digests(folder);
  });
  const names = [...new Set([...one.keys(), ...two.keys()])].sort();
  const differing = names.filter((name) => one.get(name) !== two.get(name));
  return differing.length > 0 ? differing : ["(the archive itself)"];
}

/** The digest of each file below a folder, by its relative path. */
function digests(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return new Map(
    files.map((entry) => {
      const path = join(entry.parentPath ?? entry.path, entry.name);
      return [relative(folder, path), createHash("sha256").update(readFileSync(path)).digest("hex")];
    }),
  );
}

/** One file of a tarball, by its path in the package. */
export function fileInTarball(tarball, path) {
  return execFileSync("tar", ["-xzOf", tarball, `package/${path}`], { maxBuffer: 2 ** 28 });
}

/** Runs a program; its output goes to stderr. A version set from outside is not passed on. */
function run(cwd, program, args) {
  const { SMALTI_VERSION: _, ...env } = process.env;
  execFileSync(program, args, { cwd, env, stdio: ["ignore", 2, 2] });
}
