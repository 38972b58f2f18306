// Packages that starting the service does not need, in folders of their own with a package.json and a lock
// file: installed when what needs them runs, and again when their lock file has changed.
//
//   node scripts/packages.mjs FOLDER ...

import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");

/**
 * Installs the packages of folders of this project if they are missing or belong to another lock file. Throws
 * if npm fails.
 */
export function installPackages(...folders) {
  for (const folder of folders) {
    const at = join(root, folder);
    const lock = readFileSync(join(at, "package-lock.json"), "utf8");
    const mark = join(at, "node_modules/.installed-lock.json");
    if (readIfThere(mark) === lock) continue;
    console.error(`Installing the packages of ${folder} ...`);
    // Errors alone: a package that wants a newer Node than the oldest we support is run by another runtime.
    const args = ["ci", "--prefix", at, "--no-audit", "--no-fund", "--loglevel=error"];
    const { status } = spawnSync("npm", args, { cwd: at, stdio: ["ignore", 2, 2] });
    if (status !== 0) throw new Error(`npm ci --prefix ${folder} failed.`);
    writeFileSync(mark, lock);
  }
}

/** Path of a program that the packages of a folder bring; installs them first. */
export function packagedProgram(folder, name) {
  installPackages(folder);
  return join(root, folder, "node_modules/.bin", name);
}

function readIfThere(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href)
  installPackages(...process.argv.slice(2));
