// The npm package, packed from the current dist/.

import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export interface Packed {
  /** Path of the tarball. */
  readonly tarball: string;
  /** Files of the package; `size` in bytes. */
  readonly files: readonly { readonly path: string; readonly size: number }[];
}

/** Packs into a folder. The suite has built dist/ before. */
export function packInto(folder: string): Packed {
  const root = fileURLToPath(new URL("../../", import.meta.url));
  const args = ["pack", "--json", "--ignore-scripts", `--pack-destination=${folder}`];
  const [{ filename, files }] = JSON.parse(execFileSync("npm", args, { cwd: root, encoding: "utf8" }));
  return { tarball: join(folder, filename), files };
}
