// The command that started this program, without its arguments.

import { isAbsolute, relative } from "node:path";
import { type Env, type StartCommands, shellWord } from "../../../base/index.ts";
import { containerCommands } from "../container-commands.ts";

/** Runtimes that start this program as a process with arguments. */
export type ProcessRuntime = "node" | "deno" | "bun";

/** Commands that run the file of the bundle. */
const runners: Readonly<Record<ProcessRuntime, string>> = {
  node: "node",
  deno: "deno run --allow-net --allow-read --allow-write --allow-env --allow-sys",
  bun: "bun run",
};

/** The bundle as in docs/reference/runtimes.md, for pages that show no path of this machine. */
const usualScript = "dist/main.js";

/** Programs that download the package and run it, by the path of the script. */
const fetchers: readonly (readonly [path: RegExp, command: string])[] = [
  [/[/\\]_npx[/\\]/, "npx smalti"],
  [/[/\\]pnpm[/\\](?:.*[/\\])?dlx[-/\\]/, "pnpm dlx smalti"],
  [/[/\\]\.?bunx-.*smalti/, "bunx smalti"],
  [/[/\\]npm[/\\].*[/\\]smalti[/\\][^/\\]+[/\\]dist[/\\]main\.js$/, "deno run -A npm:smalti"],
  [/(?:^|[/\\])smalti$/, "smalti"],
  // Windows, and shells of pnpm: the command is a script that names the file.
  [/[/\\]node_modules[/\\]smalti[/\\]dist[/\\]main\.js$/, "smalti"],
];

/** True for a package that npm runs from the folder of a project: `npx smalti` if it is installed there. */
const isExecuted = ({ npm_command: command, npm_lifecycle_event: script }: Env) =>
  command === "exec" && (script === undefined || script === "npx");

/**
 * The commands for the way this process was started: by `npm start` and its like (the environment says so),
 * by npx and its like, by the installed program `smalti`, in a container, or by the file of the bundle.
 * `script`: path of the file that the runtime was asked to run; `cwd`: the current folder.
 */
export function startCommands(
  runtime: ProcessRuntime,
  script: string | undefined,
  env: Env,
  cwd: string,
): StartCommands {
  if (env.SMALTI_IMAGE) return containerCommands(env.SMALTI_IMAGE);
  const [, found] = fetchers.find(([path]) => path.test(script ?? "")) ?? [];
  const fetched = found === "smalti" && isExecuted(env) ? "npx smalti" : found;
  // The path comes first: Deno gives a downloaded package the environment of a task too.
  const known = fetched ?? scriptCommand(env);
  const command = known ?? `${runners[runtime]} ${usualScript}`;
  const program = known ?? `${runners[runtime]} ${shellWord(fromFolder(cwd, script ?? usualScript))}`;
  return { folder: `${command} DIR`, config: `${command} -config smalti.yaml`, program };
}

/** Returns a path as a person types it: relative to the current folder if it is in there. */
function fromFolder(cwd: string, path: string): string {
  const below = relative(cwd, path);
  return below.startsWith("..") || isAbsolute(below) ? path : below;
}

/**
 * Returns the command that ran the script or task "start" of the checkout, if that started this process: Bun
 * reports it like npm.
 */
function scriptCommand({
  npm_lifecycle_event: script,
  npm_config_user_agent: agent = "",
}: Env): string | undefined {
  if (agent.startsWith("deno/")) return "deno task start"; // Deno does not name the task
  if (script !== "start") return undefined;
  return agent.startsWith("bun/") ? "bun run start" : "npm start --";
}
