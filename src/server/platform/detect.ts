// Which of the runtimes with processes and files this is.

import type { Platform } from "../../base/index.ts";
import { bunPlatform } from "./bun.ts";
import { denoPlatform } from "./deno.ts";
import { nodePlatform } from "./node.ts";

/** The platform of Node, Deno or Bun. `dist`: the directory of the bundle, with a final slash. */
export async function detectPlatform(dist: URL): Promise<Platform> {
  if ("Deno" in globalThis) return denoPlatform(dist);
  if ("Bun" in globalThis) return bunPlatform(dist);
  return nodePlatform(dist);
}
