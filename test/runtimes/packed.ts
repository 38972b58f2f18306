// The npm package, packed from the current dist/.

import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export interface Packed {
  /** Path of the tarball. */
  readonly tarball: string;
  readonly unpackedSize: number;
  /** In the package. */
  readonly paths: readonly string[];
}

/** Packs into a folder. The suite has built dist/ before. */
export function packInto(folder: string): Packed {
  const root = fileURLToPath(new URL("../../", import.meta.url));
  const args = ["pack", "--json", "--ignore-scripts", `--pack-destination=${folder}`];
  const [{ filename, unpackedSize, files }] = JSON.parse(
    execFileSync("npm", args, { cwd: root, encoding: "utf8" }),
  );
  const paths = files.map(({ path }: { readonly path: string }) => path);
  return { tarball: join(folder, filename), unpackedSize, paths };
}
