// Which file of the project depends on which: by imports, and by the paths that tests and scripts name in
// their strings, since they read files and start programs.

import { existsSync, readFileSync, statSync } from "node:fs";
import { join, posix } from "node:path";
import { git } from "../git.mjs";

/** What is served to browsers depends on nothing. */
const code = /^(?!static\/).*\.(ts|tsx|mts|mjs|js)$/;
const comments = /^\s*(?:\/\/|\/?\*).*$/gm;
/** They are gone at run time, and tsc reads all files anyway. */
const typeImports = /^(?:import|export) type\b[^;]*?from "[^"]+";/gm;
/** A string, or the part of a template between two values. */
const strings = /(?<=["'`}])[\w@.+/-]+(?=["'`*]|\$\{)/g;
/** A folder, if it is a single word, has to be named next to the root. */
const topFolders = /\b(?:root, |readdirSync\()"(\w+)"/g;
const urls = /new URL\("([^"]+)", import\.meta\.url\)/g;

/**
 * Returns the graph of a checkout: `files`, all that git tracks or would add, and `targets`, for each file
 * with code the files that it names and the folders, which end in "/". Paths are relative to `root`.
 * `without` has rows with beginnings of files and of the names that they do not read.
 */
export function readGraph(root, without = []) {
  const listed = git(root, "ls-files", "--cached", "--others", "--exclude-standard") ?? "";
  const files = new Set(listed.split("\n").filter((file) => file && existsSync(join(root, file))));
  const folders = new Set([...files].flatMap(foldersOf));
  const targets = new Map();
  for (const file of files) {
    if (!code.test(file) || !statSync(join(root, file)).isFile()) continue;
    const text = readFileSync(join(root, file), "utf8").replace(comments, "").replace(typeImports, "");
    const rows = without.filter(({ files }) => file.startsWith(files));
    const ignored = (name) => rows.some(({ names }) => name.startsWith(names));
    targets.set(file, new Set(namedIn(text, file, files, folders).filter((name) => !ignored(name))));
  }
  return { files, targets };
}

/** The folders that a file is in, each with "/" at its end. */
export function foldersOf(file) {
  const parts = file.split("/").slice(0, -1);
  return parts.map((_, index) => `${parts.slice(0, index + 1).join("/")}/`);
}

function namedIn(text, file, files, folders) {
  const near = (name) => posix.join(posix.dirname(file), name);
  const words = [...text.matchAll(strings)].map(([word]) => word);
  const relative = words.filter((word) => word.startsWith(".")).map(near);
  // Code of the service knows nothing of the project's folders.
  if (file.startsWith("src/")) return relative.filter((name) => files.has(name));
  const absolute = words.filter((word) => /^\w.*[./]/.test(word));
  const certain = [
    ...[...text.matchAll(topFolders)].map(([, name]) => name),
    // A word like "./" is a folder in an address alone; elsewhere it is the input of some test.
    ...[...text.matchAll(urls)].map(([, name]) => near(name)),
  ];
  const deep = (name) => files.has(name) || name.replace(/\/$/, "").includes("/");
  return [...relative, ...absolute]
    .filter((name) => deep(name) || absolute.includes(name))
    .concat(certain)
    .flatMap((name) => thatExist(name, files, folders));
}

/** The file or folder of that name, if there is one. A folder with packages is what it installs. */
function thatExist(name, files, folders) {
  if (files.has(name)) return [name];
  const folder = name.endsWith("/") ? name : `${name}/`;
  if (!folders.has(folder)) return [];
  const packages = [`${folder}package.json`, `${folder}package-lock.json`];
  return packages.every((file) => files.has(file)) ? packages : [folder];
}

/**
 * Returns the files that depend on one of `changed`, which are in it too, each with the file by which it was
 * reached. Who names a folder depends on the files in it, not on what these import.
 */
export function dependents({ targets }, changed) {
  const users = usersOf(targets);
  const reached = new Map(changed.map((file) => [file, file]));
  const next = [];
  const reach = (from, names) => {
    for (const user of names.flatMap((name) => users.get(name) ?? []))
      if (!reached.has(user)) {
        reached.set(user, from);
        next.push(user);
      }
  };
  for (const file of changed) reach(file, [file, ...foldersOf(file)]);
  for (let at = next.shift(); at !== undefined; at = next.shift()) reach(at, [at]);
  return reached;
}

/** For each file or folder the files that name it. */
export function usersOf(targets) {
  const users = new Map();
  for (const [file, names] of targets)
    for (const name of names) users.set(name, [...(users.get(name) ?? []), file]);
  return users;
}
