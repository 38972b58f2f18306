// The viewers of /view, copied from their packages as they are: the files that images need, in folders that have the version in
// their names, so that what is at one address never changes.

import { copyFile, mkdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/**
 * Packages with their exact versions, and what of them is copied: name in the folder, and path in the package where that is another.
 * Names of Universal Viewer's parts hold hashes. Those for sound, films, books and models are left out; they name other hosts.
 */
const viewers = [
  {
    name: "mirador",
    version: "4.0.0",
    files: { "mirador.min.js": "dist/mirador.min.js", "LICENSE.txt": "LICENSE" },
  },
  {
    name: "universalviewer",
    version: "4.4.0",
    files: {
      "LICENSE.txt": "LICENSE.txt",
      "uv.css": "dist/uv.css",
      ...Object.fromEntries(
        [
          "UV.js",
          "UV.js.LICENSE.txt",
          "132.3ef33a42897845911a4a.js",
          "560.3d50ebd90220503763a4.js",
          "560.3d50ebd90220503763a4.js.LICENSE.txt",
          "561.b4bc0392dd5030a85245.js",
          "561.b4bc0392dd5030a85245.js.LICENSE.txt",
          "3708.1b4cda0f9774d95bfbb9.js",
          "3885.8609aa33f6bb354ebcec.js",
          "3885.8609aa33f6bb354ebcec.js.LICENSE.txt",
          "6104.fbb963cb65ce34e6f0b6.js",
          "6520.8ac5d910823add256c55.js",
          "8444.19b99c44d6d4857aa85a.js",
        ].map((name) => [`umd/${name}`, `dist/umd/${name}`]),
      ),
    },
  },
];

/** Names of the packages. */
export const viewerPackages = viewers.map(({ name }) => name);

/**
 * Copies all viewers below a folder; `packages` is node_modules. Throws where a package has another version or lacks a file: the pages
 * of /view and their policies are written for these.
 */
export async function copyViewers(packages, target) {
  for (const { name, version, files } of viewers) {
    const from = join(packages, name);
    const found = JSON.parse(await readFile(join(from, "package.json"), "utf8")).version;
    if (found !== version)
      throw new Error(
        `Expected ${name} ${version} in node_modules; found ${found}. Run npm ci, or adapt scripts/viewer-files.mjs, src/api/view/viewers.ts and the policies there.`,
      );
    for (const [file, path] of Object.entries(files)) {
      const place = join(target, `${name}-${version}`, file);
      await mkdir(dirname(place), { recursive: true });
      await copyFile(join(from, path), place).catch(() => {
        throw new Error(`${name} ${version} has no ${path}, which scripts/viewer-files.mjs names.`);
      });
    }
  }
}

/**
 * What the viewers' files say of the software that is bundled in them, as texts by the name of the package:
 * comments that are kept for their licences, and the files of such comments.
 */
export async function viewerNotices(packages) {
  const noticesOf = async ({ name, files }) => {
    const paths = Object.values(files).filter((path) => /\.js(\.LICENSE\.txt)?$/.test(path));
    const texts = await Promise.all(paths.map((path) => readFile(join(packages, name, path), "utf8")));
    const notices = texts.flatMap((text, i) =>
      paths[i].endsWith(".txt") ? [text.trim()] : legalComments(text),
    );
    return [name, [...new Set(notices)]];
  };
  return Object.fromEntries(await Promise.all(viewers.map(noticesOf)));
}

const legalComments = (code) =>
  (code.match(/\/\*[!*\s][\s\S]*?\*\//g) ?? []).filter((comment) =>
    /^\/\*!|@license|@preserve/.test(comment),
  );
