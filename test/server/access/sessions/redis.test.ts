import { createHash } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { redisSessions } from "../../../../src/server/access/sessions/redis.ts";
import { type SessionScript, sessionScripts } from "../../../../src/server/access/sessions/redis-scripts.ts";
import { createSessions } from "../../../../src/server/access/sessions/sessions.ts";
import type { RedisDriver } from "../../../../src/server/stores/redis/driver.ts";
import { redisRest } from "../../../../src/server/stores/redis/rest.ts";
import { redisTcp } from "../../../../src/server/stores/redis/tcp.ts";
import { sessionsContract } from "../../../contracts/sessions.ts";
import {
  type RedisServer,
  type RestFront,
  startRedis,
  startRestFront,
  tcpOptions,
} from "../../../servers/redis.ts";

const token = "the-token";
let redis: RedisServer;
let front: RestFront;
beforeAll(async () => {
  redis = await startRedis();
  front = await startRestFront(redis, token);
});
afterAll(async () => {
  await front?.close();
  await redis?.close();
});
beforeEach(async () => {
  await redis.admin.flushall();
});

const tcp = (connectEachTime = false, { port }: Pick<RedisServer, "port"> = redis) =>
  redisTcp({ ...tcpOptions({ port }), connectEachTime, scripts: sessionScripts });
const rest = () => redisRest({ url: front.url, token, timeoutMs: 120_000, scripts: sessionScripts });

const drivers: [string, () => RedisDriver<SessionScript>][] = [
  ["Redis (TCP)", () => tcp()],
  ["Redis (TCP, a connection for each call)", () => tcp(true)],
  ["Redis (REST)", rest],
];

/** Returns all keys with their contents. */
async function contents(): Promise<string> {
  const parts: string[] = [];
  for (const key of (await redis.admin.keys("*")).toSorted()) {
    const kind = await redis.admin.type(key);
    const value =
      kind === "string" ? await redis.admin.get(key) : (await redis.admin.zrange(key, "0", "-1")).join(" ");
    parts.push(`${key}\n${value}\n`);
  }
  return parts.join("");
}

for (const [name, driver] of drivers)
  sessionsContract(
    name,
    async () => {
      const make = () => redisSessions({ driver: driver(), prefix: "contract" });
      return { store: make(), again: make, contents };
    },
    { byProfile: false },
  );

const ttlMs = 3_600_000;
const grant = () => ({
  profile: "p",
  user: "ann",
  fingerprint: "0123456789abcdef0123456789abcdef",
  grantedAt: Date.now(),
  expiresAt: Date.now() + ttlMs,
});
const open = (driver = tcp(), over: { readonly maxTokens?: number; readonly ttlMs?: number } = {}) => {
  const store = redisSessions({ driver, prefix: "test", ...over });
  return createSessions({ store, ttlMs: over.ttlMs ?? ttlMs });
};
const digest = (id: string) => createHash("sha256").update(id).digest("hex");

describe("sessions in Redis", () => {
  it("take one command to find, by their cookie and by a token", async () => {
    const sessions = open();
    const { id } = await sessions.logIn(grant());
    const issued = await sessions.issueToken(id, ttlMs);
    await sessions.findByToken(issued?.id ?? "");
    await sessions.find(id);
    await redis.admin.config("RESETSTAT");
    await sessions.find(id);
    await sessions.findByToken(issued?.id ?? "");
    const stats = await redis.admin.info("commandstats");
    expect(/cmdstat_evalsha:calls=(\d+)/.exec(stats)?.[1]).toBe("2");
    expect(stats).not.toMatch(/cmdstat_(eval|select|auth|hello|script)\b/);
    await sessions.close();
  });

  it("are shared whichever way Redis is reached", async () => {
    const [one, two] = [open(tcp()), open(rest())];
    const { id } = await one.logIn(grant());
    const issued = await two.issueToken(id, ttlMs);
    expect(await one.findByToken(issued?.id ?? "")).toEqual(await two.find(id));
    expect((await two.find(id))?.grants[0]?.user).toBe("ann");
    await two.logOut(id);
    expect(await one.find(id)).toBeUndefined();
    await one.close();
  });

  it("expire in Redis on their own, with everything that belongs to them", async () => {
    const sessions = open(tcp(), { ttlMs: 400 });
    const { id } = await sessions.logIn(grant());
    await sessions.issueToken(id, ttlMs);
    expect((await redis.admin.keys("*")).length).toBe(4);
    await expect.poll(() => redis.admin.keys("*:[stb]:*")).toEqual([]);
    expect((await sessions.count()).total).toBe(0);
    expect(await redis.admin.keys("*")).toEqual([]);
    await sessions.close();
  });

  it("end with 20,000 tokens in one step", async () => {
    const sessions = open();
    const { id } = await sessions.logIn(grant());
    const other = await sessions.logIn(grant());
    const first = await sessions.issueToken(id, ttlMs);
    const kept = await sessions.issueToken(other.id, ttlMs);
    const session = digest(id);
    const batch = redis.admin.pipeline();
    for (let i = 0; i < 20_000; i++) {
      const key = digest(`${i}`);
      batch.set(`{test}:v1:t:${key}`, `${session} x`);
      batch.zadd(`{test}:v1:b:${session}`, Date.now() + ttlMs, key);
    }
    await batch.exec();
    await redis.admin.config("RESETSTAT");
    await sessions.logOut(id);
    expect(/cmdstat_evalsha:calls=(\d+)/.exec(await redis.admin.info("commandstats"))?.[1] ?? "1").toBe("1");
    expect((await redis.admin.keys("*")).length).toBe(4);
    expect(await sessions.findByToken(first?.id ?? "")).toBeUndefined();
    expect(await sessions.findByToken(kept?.id ?? "")).toBeDefined();
    await sessions.close();
  });

  it("have a bounded number of tokens, of which those that expire first are removed", async () => {
    const sessions = open(tcp(), { maxTokens: 3 });
    const { id } = await sessions.logIn(grant());
    const lifetimes = [50_000, 20_000, 30_000, 40_000, 60_000];
    const tokens: string[] = [];
    for (const ttl of lifetimes) tokens.push((await sessions.issueToken(id, ttl))?.id ?? "");
    const found = await Promise.all(tokens.map((each) => sessions.findByToken(each)));
    expect(found.map((each) => each !== undefined)).toEqual([true, false, false, true, true]);
    await sessions.close();
  });

  it("do not exist if their value is garbage or of another version", async () => {
    const sessions = open();
    const { id } = await sessions.logIn(grant());
    const issued = await sessions.issueToken(id, ttlMs);
    for (const value of ["", "{{{", '{"version":4,"createdAt":0,"expiresAt":9e15,"grants":[]}']) {
      await redis.admin.set(`{test}:v1:s:${digest(id)}`, value);
      expect(await sessions.find(id)).toBeUndefined();
      expect(await sessions.findByToken(issued?.id ?? "")).toBeUndefined();
    }
    await sessions.close();
  });

  it("keep prefixes apart", async () => {
    const one = open();
    const two = createSessions({ store: redisSessions({ driver: tcp(), prefix: "other" }), ttlMs });
    const { id } = await one.logIn(grant());
    expect(await two.find(id)).toBeUndefined();
    await two.logOut(id);
    expect(await one.find(id)).toBeDefined();
    await Promise.all([one.close(), two.close()]);
  });

  it("fail if Redis has no memory left, but existing ones are found and ended", async () => {
    const own = await startRedis();
    const sessions = open(tcp(false, own));
    const { id } = await sessions.logIn(grant());
    await own.admin.config("SET", "maxmemory", "1");
    await expect(sessions.logIn(grant(), id)).rejects.toThrow("(OOM)");
    await expect(sessions.check()).rejects.toThrow("(OOM)");
    expect((await sessions.find(id))?.grants.length).toBe(1);
    await sessions.logOut(id);
    expect(await sessions.find(id)).toBeUndefined();
    await sessions.close();
    await own.close();
  });
});
