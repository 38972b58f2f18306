// The way to Redis that the options say: over a socket or over HTTP.

import { type Platform, secretOf } from "../../../base/index.ts";
import type { RedisDriver, RedisScripts } from "./driver.ts";
import { parseRedisAddress } from "./redis.ts";
import { redisRest } from "./rest.ts";
import { redisTcp } from "./tcp.ts";

export interface RedisLocation {
  readonly addr: string;
  readonly db: number;
  readonly tls: boolean;
  readonly password_env: string;
  readonly url: string;
  readonly token_env: string;
}

export interface RedisUse<Script extends string> {
  readonly scripts: RedisScripts<Script>;
  /** Time for a connection to be made, and for a request over HTTP. */
  readonly timeoutMs: number;
  readonly platform: Pick<Platform, "env" | "connectionsEndWithRequest">;
}

/** A driver. Nothing is connected yet. Throws an Error that names a variable which is not set. */
export function openRedis<Script extends string>(
  { addr, db, tls, password_env, url, token_env }: RedisLocation,
  { scripts, timeoutMs, platform }: RedisUse<Script>,
): RedisDriver<Script> {
  const { env, connectionsEndWithRequest: connectEachTime = false } = platform;
  const address = parseRedisAddress(addr);
  const password = password_env ? secretOf(password_env, env) : undefined;
  return address
    ? redisTcp({ ...address, db, tls, password, connectEachTime, timeoutMs, scripts })
    : redisRest({ url, token: secretOf(token_env, env), timeoutMs, scripts });
}
