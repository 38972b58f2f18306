// Sessions in Redis, shared by any number of servers: records expire on their own, and each operation is one
// atomic script.

import type { RedisArgument, RedisDriver } from "../../stores/redis/driver.ts";
import { readSession, readToken, writeSession, writeToken } from "./records.ts";
import type { SessionScript } from "./redis-scripts.ts";
import { maxNetworks, type SessionStore } from "./store.ts";

export interface RedisSessionsOptions {
  readonly driver: RedisDriver<SessionScript>;
  readonly prefix: string;
  /** Maximum tokens of one session; those that expire first are removed first. */
  readonly maxTokens?: number;
}

/** Sessions that one step reads. */
const pageSize = 500;

/** Creates a store over the existing contents of Redis. */
export function redisSessions({ driver, prefix, maxTokens = 1000 }: RedisSessionsOptions): SessionStore {
  // The braces keep all keys on one node of a cluster, as scripts require.
  const space = `{${prefix}}:v1:`;
  const run = (script: SessionScript, ...args: RedisArgument[]) =>
    driver.run(script, [`${space}all`], [space, ...args]);
  /** Texts arrive as bytes over TCP. */
  const textOf = (reply: unknown) => String(reply);
  /** Redis accepts no lifetime of 0. */
  const lifetimeOf = ({ createdAt, expiresAt }: { readonly createdAt: number; readonly expiresAt: number }) =>
    Math.max(1, Math.ceil(expiresAt - createdAt));

  return {
    async find(key) {
      const reply = await run("find", key);
      return reply === null ? undefined : readSession(textOf(reply));
    },
    async findByToken(key) {
      const reply = (await run("findByToken", key)) as readonly unknown[] | null;
      if (!reply) return undefined;
      const token = readToken(textOf(reply[0]));
      const session = readSession(textOf(reply[1]));
      return token && session && { token, session };
    },
    begin: async (key, session, before = "") =>
      Number(await run("begin", key, writeSession(session), lifetimeOf(session), before)) === 1,
    addToken: async (key, token) =>
      Number(await run("addToken", key, writeToken(token), lifetimeOf(token), token.session, maxTokens)) ===
      1,
    async removeToken(key, session) {
      await run("removeToken", key, session);
    },
    async end(key) {
      await run("finish", key);
    },
    async endMatching(matches) {
      let ended = 0;
      // Pages are read in order of expiry, since newer sessions come later. Sessions of one millisecond may
      // fill a page, which then grows.
      for (let from = "-inf", size = pageSize; ; ) {
        const page = (await run("page", from, size)) as readonly unknown[];
        const texts = page.map(textOf);
        for (let at = 0; at < texts.length; at += 3) {
          const [key = "", , text = ""] = texts.slice(at, at + 3);
          const session = readSession(text);
          if (!session || !matches(session)) continue;
          await run("finish", key);
          ended++;
        }
        if (texts.length < 3 * size) return ended;
        const last = texts.at(-2) ?? "";
        if (last === from) size *= 2;
        from = last;
      }
    },
    async findNetwork(user, network) {
      const reply = await run("findNetwork", user, network);
      return reply === null ? undefined : Number(textOf(reply));
    },
    async rememberNetwork(user, network, lifetime) {
      const { expiresAt } = lifetime;
      await run("rememberNetwork", user, network, expiresAt, lifetimeOf(lifetime), maxNetworks);
    },
    count: async () => ({ total: Number(await run("count")) }),
    async check() {
      const value = crypto.randomUUID();
      if (textOf(await run("check", value)) !== value)
        throw new Error("A read from Redis does not return what was just written.");
    },
    close: () => driver.close(),
  };
}
