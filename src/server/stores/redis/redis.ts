// A store in Redis that any number of processes may share, least recently used out first. Entries are
// verified when read.

import { z } from "zod";
import { isServiceUrl, parseUrl, sizeOption } from "../../../base/index.ts";
import { lifetimeOption, type StoreDefaults, timeoutOption } from "../bounds.ts";
import { decodeEntry, encodeEntry, entryKey, entryPath } from "../entry.ts";
import { roundTrip } from "../round-trip.ts";
import { type Store, tooLargeError } from "../store.ts";
import type { RedisArgument, RedisDriver } from "./driver.ts";
import { accountKeys, type RedisScript } from "./scripts.ts";

const addrForm = "expected host and port of a Redis server, such as 127.0.0.1:6379 or [::1]:6379";
const urlForm =
  "expected an https or http URL of a Redis REST service, such as Upstash, without query and credentials";
const prefixForm = "expected letters, digits and . _ : / -";

/** Host and port of `host:port` or `[host]:port`; undefined for anything else. */
export function parseRedisAddress(
  text: string,
): { readonly host: string; readonly port: number } | undefined {
  const [, inBrackets, plain, digits] =
    /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:/@[\]]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = inBrackets ?? plain;
  const port = Number(digits);
  return host && port > 0 && port < 65536 ? { host, port } : undefined;
}

/** Default port of a Redis server. */
const usualPort = 6379;

/**
 * Returns what is wrong with a text that is no URL of a REST service. The scheme `redis` is of a server,
 * whose parts have keys of their own; a password in it is never repeated.
 */
function urlFault(input: unknown): string {
  const text = typeof input === "string" ? input.trim() : "";
  const server = serverOf(text);
  if (server)
    return `expected an https URL of a Redis REST service; this is the address of a Redis server, so write ${server} instead of url`;
  const host = /^[^\s/:@]+\.upstash\.io/i.exec(text)?.[0];
  if (host !== undefined) return `${urlForm}; write https://${host}`;
  return parseRedisAddress(text) ? `${urlForm}; for a Redis server write addr: ${text} instead` : urlForm;
}

/** Returns what is wrong with a text that is no host and port. */
function addrFault(input: unknown): string {
  const text = typeof input === "string" ? input.trim() : "";
  const server = serverOf(text);
  if (server) return `expected host and port alone; write ${server}`;
  if (/^https?:\/\//i.test(text))
    return `${addrForm}; an address with http:// or https:// is that of a REST service: write it as url, with token_env`;
  return /^[A-Za-z0-9_.-]+$/.test(text) ? `${addrForm}; write ${text}:${usualPort}` : addrForm;
}

/** Returns the parts of a URL of a Redis server as keys to write; undefined for any other text. */
function serverOf(text: string): string | undefined {
  const [, scheme = "", rest = ""] = /^(redis|rediss|valkey|valkeys):\/\/(.*)$/is.exec(text) ?? [];
  if (scheme === "") return undefined;
  const hasPassword = rest.includes("@");
  // With three slashes the host is left out, as the server's own machine; a URL of http would skip them.
  const parsed = parseUrl(`http://${rest.startsWith("/") ? `localhost${rest}` : rest}`);
  // A password with unencoded characters may be taken for the host.
  const url = hasPassword && !`${parsed?.username}${parsed?.password}` ? undefined : parsed;
  const database = /^\/(\d+)$/.exec(url?.pathname ?? "")?.[1] ?? url?.searchParams.get("db") ?? "0";
  // A URL without a port has the default one of its scheme here, port 80, which is left out as well.
  const address = url?.hostname ? `${url.hostname}:${url.port || usualPort}` : "HOST:PORT";
  const keys = [
    `addr: ${address.includes("[") ? `"${address}"` : address}`,
    ...(/^(rediss|valkeys)$/i.test(scheme) ? ["tls: true"] : []),
    ...(/^[1-9]\d*$/.test(database) ? [`db: ${database}`] : []),
    ...(hasPassword ? ["password_env with the name of a variable that holds its password"] : []),
  ];
  return keys.length > 1 ? `${keys.slice(0, -1).join(", ")} and ${keys.at(-1)}` : keys.join("");
}

/** Members of the options of everything stored in Redis: its address. */
export const redisAddressOptions = {
  addr: z
    .string({ error: addrForm })
    .refine((text) => text === "" || parseRedisAddress(text) !== undefined, {
      error: ({ input }) => addrFault(input),
    })
    .default("")
    .meta({ description: "Host and port of a Redis server; or set `url`.", edit: "restart" }),
  db: z.int().min(0).default(0).meta({ description: "Number of the database at `addr`.", edit: "restart" }),
  tls: z.boolean().default(false).meta({ description: "If true, `addr` speaks TLS.", edit: "restart" }),
  password_env: z.string().default("").meta({
    description: "Environment variable that holds the password for `addr`. Empty: none.",
    edit: "restart",
  }),
  url: z
    .string({ error: urlForm })
    .refine((text) => text === "" || isServiceUrl(text), { error: ({ input }) => urlFault(input) })
    .default("")
    .meta({ description: "URL of a Redis REST service (Upstash); or set `addr`.", edit: "restart" }),
  token_env: z.string().default("").meta({
    description: "Environment variable that holds the token for `url`.",
    edit: "restart",
  }),
} as const;

/** A prefix of keys in Redis. */
export const redisPrefixOption = z
  .string({ error: prefixForm })
  .regex(/^[A-Za-z0-9._:/-]*$/, prefixForm)
  .default("smalti/");

/** Options with one address, and what that needs. */
export function withOneRedis<T extends z.ZodType<{ addr: string; url: string; token_env: string }>>(
  options: T,
): T {
  return options
    .refine(({ addr, url }) => (addr === "") !== (url === ""), {
      path: ["addr"],
      error: "expected either addr (host:port) or url (REST), and not both",
    })
    .refine(({ url, token_env }) => !isServiceUrl(url) || token_env !== "", {
      path: ["token_env"],
      error: "is missing; expected the name of the environment variable that holds the token for url",
    });
}

/** Schema of `backend: redis`. */
export const redisOptions = (defaults: StoreDefaults) =>
  withOneRedis(
    z.strictObject({
      backend: z
        .literal("redis")
        .meta({ description: "In Redis, which several servers can share.", edit: "restart" }),
      ...redisAddressOptions,
      prefix: redisPrefixOption.meta({
        description: "Prefix of all keys; the name of the slot follows it.",
        edit: "restart",
      }),
      timeout: timeoutOption,
      max_memory: sizeOption.default(defaults.maxBytes).meta({
        description:
          "Bytes that all entries under the prefix may take in Redis, whichever server wrote them; the service removes the least recently used first.",
        edit: "restart",
      }),
      ttl: lifetimeOption.default(defaults.ttl),
    }),
  );

export interface RedisStoreOptions {
  readonly driver: RedisDriver<RedisScript>;
  readonly prefix: string;
  /** Limit in bytes on entries, keys and their records. An entry above the limit is not stored. */
  readonly maxBytes: number;
  /** Milliseconds since 1970, of the expiry inside the entries; Redis expires them by its own clock. */
  readonly now?: () => number;
}

/**
 * Measured cost of an entry in Redis: its key and its members in the four record keys, rounded up by the
 * allocator.
 */
const costOf = (bytes: number) => Math.ceil(bytes * 1.1) + 1000;
/** Entries that are removed in one step. */
const atOnce = 500;

/** A store over what Redis holds already. */
export function redisStore({ driver, prefix, maxBytes, now = Date.now }: RedisStoreOptions): Store {
  // The braces keep all keys on one node of a cluster, as scripts require.
  const space = `{${prefix}${driver.form === "binary" ? "" : `:${driver.form}`}}:`;
  const entries = `${space}e:`;
  const keys = accountKeys.map((name) => `${space}${name}`);
  const run = (script: RedisScript, ...args: RedisArgument[]) => driver.run(script, keys, [entries, ...args]);
  const memberOf = async (name: string, variant?: string) => (await entryPath(name, variant)).join(":");

  const store: Omit<Store, "check"> = {
    async get(name, variant) {
      const member = await memberOf(name, variant);
      const reply = await run("get", member);
      if (reply === null) return undefined;
      const body = await decodeEntry(driver.decode(reply), entryKey(name, variant), now());
      // An entry that fails verification is a miss, even if it cannot be removed.
      if (!body) await run("remove", member).catch(() => 0);
      return body;
    },
    async set(name, variant, value, ttl = 0) {
      const lifetime = ttl > 0 ? Math.ceil(ttl * 1000) : 0;
      const entry = await encodeEntry(entryKey(name, variant), value, lifetime > 0 ? now() + lifetime : 0);
      const member = await memberOf(name, variant);
      if (costOf(entry.length) > maxBytes) {
        await run("remove", member);
        return;
      }
      const stored = driver.encode(entry);
      await run("put", member, stored, costOf(stored.length), lifetime, maxBytes);
    },
    async add(name, variant, value) {
      const entry = driver.encode(await encodeEntry(entryKey(name, variant), value, 0));
      const member = await memberOf(name, variant);
      const stored = Number(await run("add", member, entry, costOf(entry.length), 0, maxBytes));
      if (stored === 0) throw tooLargeError();
      return stored === 1;
    },
    async delete(name, variant) {
      if (variant !== undefined) return Number(await run("remove", await memberOf(name, variant)));
      const beginning = await memberOf(name);
      for (let removed = 0; ; ) {
        const [seen = 0, gone = 0] = (await run("removeAll", beginning, atOnce)) as number[];
        removed += gone;
        if (seen < atOnce) return removed;
      }
    },
    async clear() {
      await run("forgetAll");
      for (let cursor = 0; ; ) {
        cursor = Number(await run("sweep", cursor));
        if (cursor === 0) return;
      }
    },
    async usage() {
      const [count = 0, bytes = 0] = (await run("usage")) as number[];
      return { entries: count, bytes };
    },
    close: () => driver.close(),
  };
  return {
    maxBytes: () => maxBytes,
    ...store,
    async check() {
      if (!(await roundTrip(store)))
        throw new Error("A read from Redis does not return what was just written. Raise max_memory.");
    },
  };
}
