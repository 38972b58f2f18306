// Redis over HTTP, as Upstash offers it, by @upstash/redis. Requests are JSON, so that values go as base64.

import type { Redis } from "@upstash/redis/cloudflare";
import { type RedisDriver, type RedisScripts, redisFailure } from "./driver.ts";

export interface RedisRestOptions<Script extends string> {
  readonly url: string;
  readonly token: string;
  /** Longest time for one request. */
  readonly timeoutMs: number;
  readonly scripts: RedisScripts<Script>;
}

type Runner = ReturnType<Redis["createScript"]>;

/** A driver. Nothing is asked yet. */
export function redisRest<Script extends string>({
  url,
  token,
  timeoutMs,
  scripts,
}: RedisRestOptions<Script>): RedisDriver<Script> {
  let runners: Promise<Record<Script, Runner>> | undefined;

  const load = async () => {
    // Loaded on demand. This form of the package only uses fetch, on any runtime.
    const { Redis } = await import("@upstash/redis/cloudflare");
    const redis = new Redis({
      url,
      token,
      enableTelemetry: false,
      automaticDeserialization: false,
      // An entry never waits for another, larger one.
      enableAutoPipelining: false,
      responseEncoding: false,
      retry: false,
      signal: () => AbortSignal.timeout(timeoutMs),
    });
    const made = Object.entries<string>(scripts).map(([name, lua]) => [name, redis.createScript(lua)]);
    return Object.fromEntries(made) as Record<Script, Runner>;
  };

  return {
    form: "base64",
    encode: (value) => Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("base64"),
    decode: (reply) => new Uint8Array(Buffer.from(String(reply), "base64")),
    async run(script, keys, args) {
      try {
        runners ??= load();
        return await (await runners)[script].exec([...keys], args.map(String));
      } catch (error) {
        throw redisFailure(withoutBody(error));
      }
    },
    async close() {},
  };
}

/** The package's messages end in the whole request, value and all. */
function withoutBody(error: unknown): unknown {
  if (!(error instanceof Error) || !error.name.startsWith("Upstash")) return error;
  return new Error(error.message.split(", command was:")[0]?.slice(0, 200));
}
