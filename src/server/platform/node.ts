// Node 20 and later.

import { EventEmitter, setMaxListeners } from "node:events";
import type { Platform } from "../../base/index.ts";
import { processPlatform } from "./process/process.ts";
import { startNodeWorker } from "./workers/node-worker.ts";

/**
 * Maximum of simultaneous listeners for the end of one request, as for the images of a folder; beyond 10 Node
 * warns of a leak.
 */
const maxWaiting = 200;

/**
 * If one of the two is missing, `fetch` copies the request (Fetch standard, "HTTP-network-or-cache fetch").
 */
export const sentOnce = { redirect: "error", window: null } as const;

/** `dist`: the directory of the bundle. */
export function nodePlatform(dist: URL): Platform {
  // A larger value of the surrounding program is kept, and so is 0, which is no limit.
  const max = EventEmitter.defaultMaxListeners;
  if (max > 0 && max < maxWaiting) setMaxListeners(maxWaiting);
  return {
    ...processPlatform(dist, "node"),
    version: process.versions.node,
    startWorker: (entry = "thread") => startNodeWorker(new URL(`${entry}.js`, dist)),
    // Loaded then: it loads Node's fetch, which most commands have no use for.
    serve: async (options) => (await import("./server/node-server.ts")).serveNode(options),
    sentOnce,
  };
}
