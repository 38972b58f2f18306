// @module-tag slow
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { RedisDriver } from "../../../../src/server/stores/redis/driver.ts";
import { parseRedisAddress, redisStore } from "../../../../src/server/stores/redis/redis.ts";
import { type RedisRestOptions, redisRest } from "../../../../src/server/stores/redis/rest.ts";
import { type RedisScript, redisScripts } from "../../../../src/server/stores/redis/scripts.ts";
import { type RedisTcpOptions, redisTcp } from "../../../../src/server/stores/redis/tcp.ts";
import type { Store } from "../../../../src/server/stores/store.ts";
import { storeContract } from "../../../contracts/store.ts";
import {
  type RedisServer,
  type RestFront,
  startRedis,
  startRestFront,
  tcpOptions,
} from "../../../servers/redis.ts";

const password = "the-password";
const token = "the-token";
let redis: RedisServer;
let protectedRedis: RedisServer;
let front: RestFront;
beforeAll(async () => {
  [redis, protectedRedis] = await Promise.all([startRedis(), startRedis({ password })]);
  front = await startRestFront(redis, token);
});
afterAll(async () => {
  await front?.close();
  await Promise.all([redis?.close(), protectedRedis?.close()]);
});

const tcp = (over: Partial<RedisTcpOptions<RedisScript>> = {}) =>
  redisTcp({ ...tcpOptions(redis), scripts: redisScripts, ...over });
const rest = (over: Partial<RedisRestOptions<RedisScript>> = {}) =>
  redisRest({ url: front.url, token, timeoutMs: 120_000, scripts: redisScripts, ...over });

const drivers: [string, () => RedisDriver<RedisScript>][] = [
  ["redis (TCP)", () => tcp()],
  ["redis (TCP, a connection for each call)", () => tcp({ connectEachTime: true })],
  ["redis (REST)", () => rest()],
];

let spaces = 0;
for (const [name, driver] of drivers)
  storeContract(name, async ({ maxBytes, now }) => ({
    store: redisStore({ driver: driver(), prefix: `contract-${++spaces}/`, maxBytes, now }),
  }));

const value = new Uint8Array(5000).map((_, i) => i * 7);
const stores: Store[] = [];
const open = (driver: RedisDriver<RedisScript> = tcp(), maxBytes = 1 << 20, prefix = "test/") => {
  const store = redisStore({ driver, prefix, maxBytes });
  stores.push(store);
  return store;
};
beforeEach(async () => {
  await redis.admin.flushall();
});
afterEach(async () => {
  await Promise.all(stores.splice(0).map((store) => store.close?.()));
});

/** Keys of entries, without the bookkeeping. */
const entryKeys = () => redis.admin.keys("*:e:*");

describe.each(drivers)("an entry in %s", (_, driver) => {
  it.each([
    [
      "changed",
      (stored: string) => `${stored.slice(0, 300)}${stored[300] === "A" ? "B" : "A"}${stored.slice(301)}`,
    ],
    ["shorter", (stored: string) => stored.slice(0, -8)],
    ["empty", () => ""],
    ["something else", () => "something else"],
  ])("is a miss and is removed when it is %s", async (_, damage) => {
    const store = open(driver());
    await store.set("a", "", value);
    const [key = ""] = await entryKeys();
    const stored = (await redis.admin.getBuffer(key))?.toString("latin1") ?? "";
    await redis.admin.set(key, Buffer.from(damage(stored), "latin1"));
    expect(await store.get("a", "")).toBeUndefined();
    expect(await entryKeys()).toEqual([]);
    expect(await store.usage?.()).toEqual({ entries: 0, bytes: 0 });
  });

  it("is a miss when it is another entry's", async () => {
    const store = open(driver());
    await store.set("a", "", value);
    const [key = ""] = await entryKeys();
    await store.set("b", "", value);
    const [other = ""] = (await entryKeys()).filter((each) => each !== key);
    await redis.admin.copy(other, key, "REPLACE");
    expect(await store.get("a", "")).toBeUndefined();
    expect(await store.get("b", "")).toEqual(value);
  });
});

describe("an entry of another format version", () => {
  it("is a miss", async () => {
    const store = open();
    await store.set("a", "", value);
    const [key = ""] = await entryKeys();
    await redis.admin.setrange(key, 6, Buffer.of(1));
    expect(await store.get("a", "")).toBeUndefined();
  });
});

describe("the account of a redis store", () => {
  it("is shared by all users of the prefix, and kept within the limit together", async () => {
    const [one, two] = [open(tcp(), 100_000), open(tcp(), 100_000)];
    await Promise.all(
      Array.from({ length: 60 }, (_, i) => (i % 2 ? one : two).set(`n${i}`, "", new Uint8Array(5000))),
    );
    const usage = await one.usage?.();
    expect(usage).toEqual(await two.usage?.());
    expect(usage?.bytes).toBeLessThanOrEqual(100_000);
    expect(usage?.entries).toBeGreaterThanOrEqual(10);
    expect((await entryKeys()).length).toBe(usage?.entries);
  });

  it("covers the memory that Redis really needs for the entries", async () => {
    const store = open();
    const memory = async () => Number(/used_memory:(\d+)/.exec(await redis.admin.info("memory"))?.[1]);
    // Scripts and connections are there with the first entry.
    await store.set("first", "", value);
    const [before, countedBefore] = [await memory(), (await store.usage?.())?.bytes ?? 0];
    for (let i = 0; i < 400; i++) await store.set(`name ${i}`, "variant", new Uint8Array(100), 3600);
    const used = (await memory()) - before;
    const counted = ((await store.usage?.())?.bytes ?? 0) - countedBefore;
    // Within the growth of its tables; and not twice as much, which would waste the limit.
    expect(used).toBeLessThan(counted * 1.25);
    expect(used).toBeGreaterThan(counted / 2);
  });

  it("removes the least recently used entry first, no matter who used it", async () => {
    const [one, two] = [open(tcp(), 22_000), open(tcp(), 22_000)];
    for (const name of ["a", "b", "c"]) await one.set(name, "", new Uint8Array(5000));
    await two.get("a", "");
    await two.set("d", "", new Uint8Array(5000));
    const held = await Promise.all(
      ["a", "b", "c", "d"].map(async (name) => (await one.get(name, "")) !== undefined),
    );
    expect(held).toEqual([true, false, true, true]);
  });

  it("forgets entries that Redis let expire", async () => {
    const store = open();
    await store.set("a", "", value, 1);
    await store.set("b", "", value);
    expect((await store.usage?.())?.entries).toBe(2);
    await expect.poll(async () => (await entryKeys()).length).toBe(1);
    expect((await store.usage?.())?.entries).toBe(1);
    expect(await store.get("a", "")).toBeUndefined();
  });

  it("heals if Redis evicted an entry", async () => {
    const store = open();
    await store.set("a", "", value);
    for (const key of await entryKeys()) await redis.admin.del(key);
    expect(await store.get("a", "")).toBeUndefined();
    expect(await store.usage?.()).toEqual({ entries: 0, bytes: 0 });
  });

  it.each(["used", "names", "sizes", "ends"])("heals if its key %j was lost", async (lost) => {
    const store = open(tcp(), 36_000);
    for (let i = 0; i < 4; i++) await store.set(`old${i}`, "", new Uint8Array(5000), 3600);
    expect(await redis.admin.del(`{test/}:${lost}`)).toBe(1);
    for (let i = 0; i < 12; i++) await store.set(`new${i}`, "", new Uint8Array(5000), 3600);
    const usage = await store.usage?.();
    expect(usage?.entries).toBeGreaterThanOrEqual(4);
    expect(usage?.bytes).toBeLessThanOrEqual(36_000);
    expect(await store.get("new11", "")).toEqual(new Uint8Array(5000));
  });

  it("knows nothing of entries after it was cleared, and no key is left", async () => {
    const store = open();
    for (let i = 0; i < 50; i++) await store.set(`n${i}`, "", value);
    // An entry that is missing from the bookkeeping.
    await redis.admin.set("{test/}:e:stray", "x");
    await redis.admin.set("stranger", "x");
    await store.clear?.();
    expect(await redis.admin.keys("*")).toEqual(["stranger"]);
  });

  it("removes more variants of a name than fit one step", async () => {
    const store = open(tcp(), 1 << 24);
    await Promise.all(Array.from({ length: 1100 }, (_, i) => store.set("a", `${i}`, Uint8Array.of(1))));
    await store.set("b", "", value);
    expect(await store.delete("a")).toBe(1100);
    expect((await store.usage?.())?.entries).toBe(1);
  });

  it("keeps prefixes and forms apart", async () => {
    const all = [open(), open(tcp(), 1 << 20, "other/"), open(rest())];
    await Promise.all(all.map((store, i) => store.set("a", "", Uint8Array.of(i))));
    expect(await Promise.all(all.map((store) => store.get("a", "")))).toEqual(
      [0, 1, 2].map((i) => Uint8Array.of(i)),
    );
  });

  it("holds values as they are over TCP", async () => {
    await open().set("a", "", value);
    const [key = ""] = await entryKeys();
    expect(await redis.admin.strlen(key)).toBeLessThan(value.length + 200);
  });
});

describe("a redis that cannot be used", () => {
  const failureOf = (driver: RedisDriver<RedisScript>) =>
    open(driver)
      .check()
      .then(
        () => "no failure",
        (error: Error) => error.message,
      );

  it.each([
    ["no password", () => tcp({ port: protectedRedis.port }), /\(NOAUTH\).*password_env/],
    [
      "a wrong password",
      () => tcp({ port: protectedRedis.port, password: "wrong-one" }),
      /\(WRONGPASS\).*password_env/,
    ],
    ["a port where nothing is", () => tcp({ port: 9 }), /\(ECONNREFUSED\).*addr/],
    ["a database that is not there", () => tcp({ db: 99 }), /\(ERR\).*db/],
    ["a server without TLS", () => tcp({ tls: true, timeoutMs: 2000 }), /Redis cannot be used/],
    ["a wrong token", () => rest({ token: "wrong-one" }), /\(WRONGPASS\).*token_env/],
    ["a URL where nothing is", () => rest({ url: "http://127.0.0.1:9" }), /Check addr or url/],
  ])("explains the reason, without address and secret: %s", async (_, driver, message) => {
    const text = await failureOf(driver());
    expect(text).toMatch(message);
    expect(text).not.toMatch(/127\.0\.0\.1|wrong-one|the-password/);
  });

  it("is reported if the prefix belongs to something else", async () => {
    await redis.admin.set("{taken/}:used", "text");
    const store = open(tcp(), 1 << 20, "taken/");
    await expect(store.check()).rejects.toThrow(/\(WRONGTYPE\).*prefix/);
  });

  it("is used with the right password", async () => {
    expect(await failureOf(tcp({ port: protectedRedis.port, password }))).toBe("no failure");
  });

  it("names no value if the service fails", async () => {
    front.broken = true;
    const error = await open(rest())
      .set("a", "", new TextEncoder().encode("a value"))
      .catch((error: Error) => error);
    front.broken = false;
    const text = JSON.stringify([String(error), String((error as Error).cause)]);
    expect(text).toContain("Redis cannot be used");
    expect(text).not.toContain(Buffer.from("a value").toString("base64"));
  });
});

describe("a redis whose memory is full and which evicts nothing", () => {
  it("is filled no further, and existing entries are still read and removed", async () => {
    const own = await startRedis();
    const store = open(tcp({ port: own.port }), 2 ** 30);
    await store.set("a", "", value);
    await own.admin.config("SET", "maxmemory", "1");
    expect(await store.get("a", "")).toEqual(value);
    await expect(store.set("b", "", value)).rejects.toThrow(/\(OOM\).*max_memory/);
    await expect(store.set("a", "", value)).rejects.toThrow(/\(OOM\)/);
    expect(await store.get("b", "")).toBeUndefined();
    expect(await store.usage?.()).toMatchObject({ entries: 1 });
    expect(await store.delete("a")).toBe(1);
    expect(await store.get("a", "")).toBeUndefined();
    await own.close();
  });
});

describe("a redis that disappears and returns", () => {
  it("is connected again with the next request", async () => {
    const own = await startRedis();
    const store = open(tcp({ port: own.port }));
    await store.set("a", "", value);
    await own.kill();
    await expect(store.get("a", "")).rejects.toThrow("Redis cannot be used");
    await expect(store.get("a", "")).rejects.toThrow("ECONNREFUSED");
    await own.restart();
    expect(await store.get("a", "")).toBeUndefined();
    await store.set("a", "", value);
    expect(await store.get("a", "")).toEqual(value);
    await own.close();
  });
});

it.each([
  ["127.0.0.1:6379", { host: "127.0.0.1", port: 6379 }],
  ["[::1]:6380", { host: "::1", port: 6380 }],
  ["redis.example.org:1", { host: "redis.example.org", port: 1 }],
  ["redis", undefined],
  ["redis:", undefined],
  ["redis:65536", undefined],
  ["::1:6379", undefined],
  ["user:secret@redis:6379", undefined],
  ["redis://redis:6379", undefined],
])("%j is interpreted as %j", (text, address) => expect(parseRedisAddress(text)).toEqual(address));
