// Images of Containerfiles, and of Debian's packages by mmdebstrap, in the store of podman.ts.

import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cacheFolder, run, store } from "./podman.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** An image of Debian packages and other files, and the inputs that require a rebuild. */
export interface DebianImage {
  readonly containerfile: string;
  readonly names: readonly string[];
  /**
   * Extent of the installation: packages unpacked and not configured, or everything that apt needs to install
   * more.
   */
  readonly variant: "extract" | "apt";
  readonly packages?: string;
  /** Files and folders of this machine, by their names next to the Containerfile. */
  readonly files?: Readonly<Record<string, string>>;
  /** Files of the project that say what `files` are. */
  readonly depends?: readonly string[];
}

/** Builds a Containerfile, which is a path in the project. */
export const buildImage = (containerfile: string, context: string, ...options: readonly string[]) =>
  run(
    "buildah",
    [
      ...store,
      "bud",
      "--isolation=chroot",
      "--format=docker",
      `--file=${join(root, containerfile)}`,
      ...options,
      ".",
    ],
    { cwd: context },
  );

/** True if an image with this recipe exists, which its label identifies. */
export const isBuilt = (recipe: string) =>
  run("buildah", [...store, "images", `--filter=label=recipe=${recipe}`, "--format={{.Name}}"]) !== "";

/** Builds an image, unless one with the same recipe exists. */
export function buildDebian(image: DebianImage): void {
  const { containerfile, names, variant, packages = "", files = {}, depends = [] } = image;
  const options = ["--mode=root", `--variant=${variant}`, "--dpkgopt=path-exclude=/usr/share/locale/*"];
  if (packages) options.push(`--include=${packages}`);
  const digest = createHash("sha256").update(options.join());
  for (const part of [containerfile, ...depends]) digest.update(readFileSync(join(root, part)));
  const recipe = digest.digest("hex").slice(0, 16);
  if (isBuilt(recipe)) return;
  const context = join(cacheFolder, "debian");
  rmSync(context, { recursive: true, force: true });
  mkdirSync(context, { recursive: true });
  for (const [name, path] of Object.entries(files)) cpSync(path, join(context, name), { recursive: true });
  run("mmdebstrap", [...options, "bookworm", join(context, "debian.tar")]);
  buildImage(containerfile, context, `--label=recipe=${recipe}`, ...names.map((name) => `--tag=${name}`));
  rmSync(context, { recursive: true });
}
