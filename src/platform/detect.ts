// Which of the runtimes with processes and files this is, and whether it is new enough.

import { bunPlatform } from "./bun.ts";
import { denoPlatform } from "./deno.ts";
import { nodePlatform } from "./node.ts";
import type { Platform } from "./platform.ts";

/** The platform of Node, Deno or Bun. `dist`: the directory of the bundle, with a final slash. */
export async function detectPlatform(dist: URL): Promise<Platform> {
  if ("Deno" in globalThis) return denoPlatform(dist);
  if ("Bun" in globalThis) return bunPlatform(dist);
  return nodePlatform(dist);
}

/** The oldest Node that this runs on, as in `engines` of package.json. */
const oldestNode = [20, 9] as const;

/** One line for the operator when the runtime is too old; Deno and Bun state a version of Node as well. */
export function runtimeProblem(nodeVersion: string): string | undefined {
  const [major = 0, minor = 0] = nodeVersion.split(".").map(Number);
  const [oldestMajor, oldestMinor] = oldestNode;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return undefined;
  return `expected Node ${oldestNode.join(".")} or newer, received ${nodeVersion}; install a newer Node, or run it with Deno or Bun`;
}
