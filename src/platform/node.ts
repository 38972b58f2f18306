// Node 20 and later.

import { serveNode } from "./node-server.ts";
import { startNodeWorker } from "./node-worker.ts";
import type { Platform } from "./platform.ts";
import { processPlatform } from "./process.ts";

/** `dist`: the directory of the bundle. */
export function nodePlatform(dist: URL): Platform {
  return {
    ...processPlatform(dist, "node"),
    version: process.versions.node,
    startWorker: (entry = "thread") => startNodeWorker(new URL(`${entry}.js`, dist)),
    serve: serveNode,
  };
}
