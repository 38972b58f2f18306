// The merging of a server as its configuration says, with the check of its store.

import { type Check, type Log, type Platform, secretOf } from "../../base/index.ts";
import { openRedis } from "../stores/redis/open.ts";
import { createMerging, type Merging } from "./merge.ts";
import { createNaming } from "./merge-names.ts";
import { mergeScripts, redisExchange } from "./merge-redis.ts";
import type { CrawlerOptions } from "./options.ts";

export interface OpenMerging extends Merging {
  readonly check: Check;
  close(): Promise<void>;
}

/** Milliseconds for a connection to be made, for a request over HTTP and for a merge. */
const timeoutMs = 2000;

/**
 * Opens the merging; undefined if servers share nothing. Nothing is connected yet. Throws an Error that names
 * a variable which is not set.
 */
export function openMerging(
  { redis, secret_env }: CrawlerOptions,
  platform: Pick<Platform, "env" | "connectionsEndWithRequest" | "keepAlive">,
  log: Pick<Log, "info" | "warn">,
): OpenMerging | undefined {
  if (!redis) return undefined;
  const driver = openRedis(redis, { scripts: mergeScripts, timeoutMs, platform });
  const naming = createNaming(secretOf(secret_env, platform.env));
  const exchange = redisExchange({
    driver,
    prefix: redis.prefix,
    server: crypto.randomUUID(),
    limitMs: timeoutMs,
    naming: (name) => naming(name, Date.now()),
  });
  const merging = createMerging(exchange, { now: Date.now, log, keepAlive: platform.keepAlive });
  return {
    ...merging,
    check: {
      part: "visitors",
      name: "redis",
      backend: "redis",
      key: "crawlers.redis",
      location: redis.addr || redis.url,
      neededFor: "speed",
      run: async () => void (await exchange.merge([])),
      logs: true,
    },
    async close() {
      merging.close();
      await driver.close();
    },
  };
}
