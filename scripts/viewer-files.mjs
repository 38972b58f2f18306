// The viewers of /view, vendored: the files that images need, as in their packages, in folders of
// static/viewer/ whose names contain the version, so that the content at an address never changes.
// scripts/viewers.json is their manifest.
//
//   node scripts/viewer-files.mjs                   compares the files with the manifest
//   node scripts/viewer-files.mjs mirador@4.1.0     replaces a viewer by a version of its package
//
// Names of Universal Viewer's parts contain hashes: before another version, adapt them in the manifest. Its
// parts for sound, films, books and models are left out; they contact other hosts.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const manifest = join(root, "scripts/viewers.json");

/**
 * Packages with their versions, licences, homes and the digests of their tarballs, and their vendored files:
 * the name in the folder, the path in the package and its SHA-256.
 */
const viewers = JSON.parse(readFileSync(manifest, "utf8"));

const folderOf = ({ name, version }) => `static/viewer/${name}-${version}`;

const digestOf = (algorithm, encoding, bytes) => createHash(algorithm).update(bytes).digest(encoding);

/** The packages, as `packagesOf` of bundle-contents.mjs has others. */
export const viewerPackages = viewers.map(({ name, version, license, home, ...viewer }) => ({
  name,
  version,
  license,
  home,
  directory: folderOf({ ...viewer, name, version }),
}));

/**
 * Throws if the files below a folder, by default those of the project, are not exactly those of the manifest.
 */
export function checkViewers(at = root) {
  for (const viewer of viewers) {
    const folder = join(at, folderOf(viewer));
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
    const present = entries.filter((entry) => entry.isFile());
    if (present.length > Object.keys(viewer.files).length)
      throw new Error(`${folderOf(viewer)} has files that scripts/viewers.json does not name.`);
    for (const [file, { sha256 }] of Object.entries(viewer.files))
      if (digestOf("sha256", "hex", readFileSync(join(folder, file))) !== sha256)
        throw new Error(
          `${folderOf(viewer)}/${file} is not the file that scripts/viewers.json names; node scripts/viewer-files.mjs ${viewer.name}@${viewer.version} restores it.`,
        );
  }
}

/**
 * Returns the notices about bundled software in the viewers' files, as texts by the name of the package:
 * preserved licence comments, and the files of such comments.
 */
export function viewerNotices() {
  const noticesOf = (viewer) => {
    const paths = Object.keys(viewer.files).filter((path) => /\.js(\.LICENSE\.txt)?$/.test(path));
    const notices = paths.flatMap((path) => {
      const text = readFileSync(join(root, folderOf(viewer), path), "utf8");
      return path.endsWith(".txt") ? [text.trim()] : legalComments(text);
    });
    return [viewer.name, [...new Set(notices)]];
  };
  return Object.fromEntries(viewers.map(noticesOf));
}

const legalComments = (code) =>
  (code.match(/\/\*[!*\s][\s\S]*?\*\//g) ?? []).filter((comment) =>
    /^\/\*!|@license|@preserve/.test(comment),
  );

/** Replaces the files of a viewer by those of `name@version`, and its row of the manifest. */
function replaceViewer(spec) {
  const [, name, version] = /^([a-z]+)@(\d+\.\d+\.\d+)$/.exec(spec) ?? [];
  const before = viewers.find((viewer) => viewer.name === name);
  if (!before) throw new Error(`Expected a viewer and its version, such as mirador@4.0.0, received ${spec}.`);
  const scratch = mkdtempSync(join(tmpdir(), "viewer-"));
  try {
    const npm = (...args) => execFileSync("npm", args, { cwd: scratch, encoding: "utf8" });
    npm("pack", spec, "--ignore-scripts", "--loglevel=error");
    const [tarball] = readdirSync(scratch);
    const integrity = `sha512-${digestOf("sha512", "base64", readFileSync(join(scratch, tarball)))}`;
    const stated = before.version === version ? before.integrity : npm("view", spec, "dist.integrity").trim();
    if (integrity !== stated)
      throw new Error(`Expected the package ${spec} with the digest ${stated}, received ${integrity}.`);
    execFileSync("tar", ["-xzf", tarball], { cwd: scratch });
    const from = join(scratch, "package");
    const facts = JSON.parse(readFileSync(join(from, "package.json"), "utf8"));
    const files = Object.entries(before.files).map(([file, { path }]) => {
      const bytes = readFileSync(join(from, path));
      return [file, { path, sha256: digestOf("sha256", "hex", bytes) }];
    });
    const home = facts.repository?.url ?? facts.repository;
    const row = { name, version, license: facts.license, home, integrity, files: Object.fromEntries(files) };
    rmSync(join(root, folderOf(before)), { recursive: true, force: true });
    for (const [file, { path }] of files) cpSync(join(from, path), join(root, folderOf(row), file));
    viewers[viewers.indexOf(before)] = row;
    writeFileSync(manifest, `${JSON.stringify(viewers, null, 2)}\n`);
  } finally {
    rmSync(scratch, { recursive: true });
  }
  console.log(
    `${spec} is in ${folderOf({ name, version })}. Adapt src/server/api/view/viewers.ts and the policies there, and docs/concepts/viewing.md, to another version.`,
  );
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const specs = process.argv.slice(2);
  if (specs.length === 0) checkViewers();
  for (const spec of specs) replaceViewer(spec);
}
