// podman over the images that setup.ts builds, which lie in a store of their own.

import { execFile, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

export const cacheFolder = fileURLToPath(new URL("../../node_modules/.cache/containers/", import.meta.url));

/** State of running containers; podman permits 50 characters. */
export const runFolder = `/tmp/smalti-podman-${createHash("sha256").update(cacheFolder).digest("hex").slice(0, 12)}`;

/** Options of buildah and podman for the store. */
export const store = [
  "--root",
  `${cacheFolder}storage`,
  "--runroot",
  runFolder,
  "--storage-driver",
  "overlay",
];

/** podman with that store. */
export const podmanCommand = ["podman", ...store, "--runtime", "runc", "--log-level", "fatal"] as const;
const [podmanProgram, ...podmanOptions] = podmanCommand;

/**
 * The command that runs a container as production should: no privileges, nothing to write to but /tmp and
 * volumes, 512 MB.
 */
export const runCommand = [
  ...podmanCommand,
  "run",
  "--read-only",
  "--tmpfs=/tmp",
  "--cap-drop=all",
  "--security-opt=no-new-privileges",
  "--memory=512m",
  "--ulimit=nofile=1024:1024",
  "--ulimit=nproc=1000:1000",
] as const;

/** Runs a program and returns its output; throws with its standard error if it fails. */
export function run(
  program: string,
  args: readonly string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    maxBuffer: 1 << 28,
    ...options,
  });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")} failed: ${error ?? stderr.slice(-2000)}`);
  return stdout.trim();
}

/** Runs podman and returns its output; throws if it fails. */
export const podman = (...args: readonly string[]) => run(podmanProgram, [...podmanOptions, ...args]);

const execFileAsync = promisify(execFile);

/** Runs podman without blocking this process. Returns both streams. */
export async function podmanAsync(...args: readonly string[]): Promise<string> {
  const { stdout, stderr } = await execFileAsync(podmanProgram, [...podmanOptions, ...args], {
    maxBuffer: 1 << 28,
  });
  return stdout + stderr;
}

const idsOf = (filter: string, ...options: readonly string[]) =>
  podman("ps", "--quiet", `--filter=${filter}`, ...options)
    .split("\n")
    .filter(Boolean);

/** Removes containers that a filter of podman selects, and their volumes. */
export function removeContainers(filter: string): void {
  const ids = idsOf(filter, "--all");
  if (ids.length > 0) podman("rm", "--force", "--volumes", ...ids);
}
