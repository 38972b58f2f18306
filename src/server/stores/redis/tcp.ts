// Redis over TCP or TLS, by ioredis. It connects on demand and does not retry by itself; a connection without
// responses is dropped.

import type { Redis, RedisOptions } from "ioredis";
import { parseIp } from "../../../base/index.ts";
import { type RedisArgument, type RedisDriver, type RedisScripts, redisFailure } from "./driver.ts";

export interface RedisAddress {
  readonly host: string;
  readonly port: number;
  readonly db: number;
  readonly tls: boolean;
  readonly password: string | undefined;
}

export interface RedisTcpOptions<Script extends string> extends RedisAddress {
  /** Time for the connection to be made. */
  readonly timeoutMs: number;
  /** Each script has a connection of its own, for runtimes on which no request may use another's. */
  readonly connectEachTime: boolean;
  readonly scripts: RedisScripts<Script>;
}

/** A connection from which nothing came for so long while something was asked is dead. */
const silenceMs = 10_000;

type Called = (...args: unknown[]) => Promise<unknown>;
type Scripted<Script extends string> = Redis & Record<`${Script}Buffer`, Called>;

/** A driver. Nothing is connected yet. */
export function redisTcp<Script extends string>(options: RedisTcpOptions<Script>): RedisDriver<Script> {
  const { timeoutMs, connectEachTime, scripts, host, port, db, tls, password } = options;
  const settings = {
    host,
    port,
    db,
    // The oldest form of the protocol, which every server speaks.
    protocol: 2,
    ...(password === undefined ? {} : { password }),
    // An address is no server name (RFC 6066, section 3).
    ...(tls ? { tls: parseIp(host) ? {} : { servername: host } } : {}),
    connectTimeout: timeoutMs,
    socketTimeout: silenceMs,
    lazyConnect: true,
    retryStrategy: null,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    enableReadyCheck: false,
    disableClientInfo: true,
  } as const satisfies RedisOptions;
  let client: Promise<Scripted<Script>> | undefined;

  const open = async (): Promise<Scripted<Script>> => {
    // Loaded on demand.
    const { Redis } = await import("ioredis");
    const made = new Redis(settings) as Scripted<Script>;
    // Without a number of keys, that is the first argument of each call.
    for (const [name, lua] of Object.entries<string>(scripts)) made.defineCommand(name, { lua });
    // The error arrives as an event; the promise only says that the connection was closed.
    let failure: unknown;
    made.on("error", (error) => {
      failure = error;
    });
    await made.connect().catch((error: unknown) => {
      failure ??= error;
    });
    // Also if the connection exists, but not to the requested database.
    if (failure === undefined) return made;
    made.disconnect();
    throw failure;
  };

  /** Returns the connection, and opens it if necessary. */
  const connect = (): Promise<Scripted<Script>> => {
    if (client) return client;
    const opening = open();
    const forget = () => {
      if (client === opening) client = undefined;
    };
    opening.then((redis) => redis.once("end", forget), forget);
    client = opening;
    return opening;
  };

  return {
    form: "binary",
    encode: (value) => value,
    decode: bytesOf,
    async run(script, keys, args) {
      let own: Scripted<Script> | undefined;
      const used = connectEachTime ? undefined : connect();
      try {
        const redis = used ? await used : (own = await open());
        const command = redis[`${script}Buffer`] as Called;
        return await command.call(redis, keys.length, ...keys, ...args.map(argument));
      } catch (error) {
        // Any error but a reply means that the connection is gone, before its end is reported.
        const replied = error instanceof Error && error.name === "ReplyError";
        if (!replied && client === used) {
          client = undefined;
          used?.then((redis) => redis.disconnect()).catch(() => {});
        }
        throw redisFailure(error);
      } finally {
        own?.disconnect();
      }
    },
    async close() {
      const open = client;
      client = undefined;
      (await open?.catch(() => undefined))?.disconnect();
    },
  };
}

/** ioredis takes bytes as Buffer only. */
function argument(value: RedisArgument): string | number | Buffer {
  return value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : value;
}

function bytesOf(reply: unknown): Uint8Array {
  const { buffer, byteOffset, byteLength } = reply as Buffer;
  return new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength);
}
