// Meters that servers share in Redis: the step that merges them, and its arguments.

import { withDeadline } from "../../base/index.ts";
import type { RedisDriver } from "../stores/redis/driver.ts";
import type { Exchange, MergeRow } from "./merge.ts";

/** Milliseconds for which a meter is stored, at most. */
const maxStoredMs = 7_200_000;
/** Milliseconds for which a server counts after a merge. */
const serverMs = 120_000;
/** Amounts are whole pixels in Redis, which its integers hold exactly. */
const perMegapixel = 1e6;

/**
 * KEYS: the servers, and the meters. ARGV: name of this server; then for each meter what drains in a
 * millisecond, the floor and the amount, in pixels. Returns the number of servers, then the level of each
 * meter. The clock is that of Redis, which all servers share. A meter is stored until it has drained.
 */
const merge = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local result = {}
for at = 2, #KEYS do
  local base = 3 * (at - 2) + 1
  local per_ms, floor, amount = tonumber(ARGV[base + 1]), tonumber(ARGV[base + 2]), tonumber(ARGV[base + 3])
  local stored, since = string.match(redis.call('GET', KEYS[at]) or '', '^(%d+) (%d+)$')
  local level = 0
  if stored then level = math.max(0, stored - math.max(0, now - since) * per_ms) end
  level = math.floor(math.max(level, floor) + amount)
  local ttl = math.ceil(math.min(${maxStoredMs}, level / per_ms + 1000))
  redis.call('SET', KEYS[at], string.format('%.0f %.0f', level, now), 'PX', ttl)
  result[at] = level
end
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ${serverMs})
redis.call('PEXPIRE', KEYS[1], ${serverMs})
result[1] = redis.call('ZCARD', KEYS[1])
return result`;

export const mergeScripts = { merge } as const;

export interface RedisExchangeOptions {
  readonly driver: Pick<RedisDriver<keyof typeof mergeScripts>, "run">;
  /** Of all keys. */
  readonly prefix: string;
  /** Name of this server, another one in each process. */
  readonly server: string;
  /** Milliseconds for a merge. */
  readonly limitMs: number;
  /** Returns the name of a meter for the store. */
  readonly naming: (name: string) => Promise<string>;
}

/** Creates the exchange with what Redis holds. Nothing is sent yet. */
export function redisExchange({ driver, prefix, server, limitMs, naming }: RedisExchangeOptions): Exchange {
  // The braces keep all keys on one node of a cluster, as scripts require.
  const space = `{${prefix}visitors}:`;
  const argumentsOf = ({ perMs, floor, amount }: MergeRow) => [
    String(perMs * perMegapixel),
    ...[floor, amount].map((megapixels) => String(Math.round(megapixels * perMegapixel))),
  ];
  return {
    async merge(rows) {
      const names = await Promise.all(rows.map(({ name }) => naming(name)));
      const keys = [`${space}servers`, ...names.map((name) => `${space}m:${name}`)];
      const reply = await withDeadline(limitMs, () =>
        driver.run("merge", keys, [server, ...rows.flatMap(argumentsOf)]),
      );
      const numbers = Array.isArray(reply) ? reply.map(Number) : [];
      const isWhole = (number: number) => Number.isSafeInteger(number) && number >= 0;
      if (numbers.length !== keys.length || !numbers.every(isWhole))
        throw new Error("Redis returned something else than levels. Set another prefix.");
      const [servers = 1, ...levels] = numbers;
      return { servers: Math.max(1, servers), levels: levels.map((level) => level / perMegapixel) };
    },
  };
}
