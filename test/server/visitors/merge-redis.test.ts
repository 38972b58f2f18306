// Budgets of visitors that servers share in a real Redis.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { redisRest } from "../../../src/server/stores/redis/rest.ts";
import { redisTcp } from "../../../src/server/stores/redis/tcp.ts";
import { createMerging } from "../../../src/server/visitors/merge.ts";
import { createNaming } from "../../../src/server/visitors/merge-names.ts";
import { mergeScripts, redisExchange } from "../../../src/server/visitors/merge-redis.ts";
import { createVisitors, type VisitorLimits } from "../../../src/server/visitors/visitors.ts";
import { hang } from "../../limits.ts";
import { served } from "../../served.ts";
import {
  type RedisServer,
  type RestFront,
  startRedis,
  startRestFront,
  tcpOptions,
} from "../../servers/redis.ts";

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
beforeEach(() => redis.admin.flushall());
const opened: { close(): unknown }[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()));
});

const drivers = {
  TCP: () => redisTcp({ ...tcpOptions(redis), scripts: mergeScripts }),
  "TCP, a connection for each merge": () =>
    redisTcp({ ...tcpOptions(redis), connectEachTime: true, scripts: mergeScripts }),
  REST: () => redisRest({ url: front.url, token, timeoutMs: 120_000, scripts: mergeScripts }),
} as const;

let servers = 0;
const exchange = (driver = drivers.TCP(), secret = "secret", now = Date.now) => {
  opened.push(driver);
  const naming = createNaming(secret);
  return redisExchange({
    driver,
    prefix: "test/",
    server: `server ${servers++}`,
    limitMs: 120_000,
    naming: (name) => naming(name, now()),
  });
};

const limits: VisitorLimits = {
  mode: "limit",
  permits: 2,
  pools: { viewers: 40, listed: 30, strangers: 10, newcomers: 5, programs: 2.5 },
};
const silent = { info() {}, warn() {} };

/** A server with visitors; `use` charges megapixels, `isLimited` says if a program there is. */
function server(driver = drivers.TCP()) {
  const merging = createMerging(exchange(driver), { now: Date.now, log: silent });
  opened.push(merging);
  const visitors = createVisitors(limits, Date.now, merging);
  const meet = (client: string) => {
    const visitor = visitors.meet({
      client,
      agent: "program",
      isKnown: false,
      hasPass: false,
      isListed: false,
    });
    visitor.ask("a", "big");
    return visitor;
  };
  return {
    merging,
    visitors,
    use: (client: string, megapixels: number) => meet(client).chargeWork(megapixels * 20),
    isLimited: (client: string) => meet(client).isLimited(0),
  };
}

const eventually = (look: () => unknown) => expect.poll(look, { timeout: hang, interval: 50 });
const client = "192.0.2.1";

test.each(Object.keys(drivers) as (keyof typeof drivers)[])(
  "two servers give a network together what one would (%s)",
  async (name) => {
    const [one, other] = [server(drivers[name]()), server(drivers[name]())];
    // A program may have 30 megapixels, and 0.08 in ten seconds.
    one.use(client, 20);
    other.use(client, 20);
    expect([one.isLimited(client), other.isLimited(client)]).toEqual([false, false]);
    await eventually(() => other.isLimited(client)).toBe(true);
    // It learns of the other one with its own next merge.
    await eventually(() => {
      one.use(client, 0.0001);
      return one.isLimited(client);
    }).toBe(true);
    expect(one.isLimited("198.51.100.1")).toBe(false);
    expect([one.merging.servers(), other.merging.servers()]).toEqual([2, 2]);
  },
);

test("a pool that many networks have used up at one server is used up at the other", async () => {
  const [one, other] = [server(), server()];
  // A pool drains its burst in a minute. It would take a thousand minutes to drain this.
  for (let n = 0; n < 100; n++) one.use(`10.0.${n}.1`, 0.01 * 150_000);
  other.use(client, 1);
  await eventually(() => {
    other.use(client, 0.001);
    return other.visitors.poolUse("programs") > 10;
  }).toBe(true);
});

test("a server goes on alone while Redis is away, and shares what it has when Redis is back, empty", async () => {
  const one = server();
  one.use(client, 20);
  await eventually(() => redis.admin.keys("*m:*")).not.toEqual([]);
  await redis.kill();
  one.use(client, 20);
  expect(one.isLimited(client)).toBe(true);
  await redis.restart();
  const other = server();
  other.use(client, 4);
  await eventually(() => {
    one.use(client, 0.0001);
    other.use(client, 0.0001);
    return other.isLimited(client);
  }).toBe(true);
});

describe("what Redis has", () => {
  const row = { name: "4 12582912", perMs: 30 / 3_600_000, floor: 0, amount: 3 };

  test("names no network, and expires within two hours, sooner if it has drained before", async () => {
    const { merge } = exchange();
    await merge([row, { ...row, name: "4 99", amount: 1000 }]);
    const keys = await redis.admin.keys("*");
    expect(keys.length).toBe(3);
    for (const key of keys) expect(key).toMatch(/^\{test\/visitors\}:(?:servers|m:[\w-]{22})$/);
    const lives = await Promise.all(keys.map((key) => redis.admin.pttl(key)));
    for (const ms of lives) expect(ms).toBeGreaterThan(0);
    expect(Math.max(...lives)).toBeLessThanOrEqual(7_200_000);
    // 3 megapixels of 30 an hour drain in six minutes.
    expect(lives.filter((ms) => ms <= 361_000).length).toBe(2);
  });

  test("has other names on another day, and with another secret", async () => {
    const day = 86_400_000;
    const names = [
      await createNaming("secret")("a", 0),
      await createNaming("secret")("a", day - 1),
      await createNaming("secret")("a", day),
      await createNaming("other")("a", 0),
    ];
    expect(names[0]).toBe(names[1]);
    expect(new Set(names).size).toBe(3);
    const naming = createNaming("secret");
    expect([await naming("a", 0), await naming("a", day), await naming("a", 0)]).toEqual([
      names[0],
      names[2],
      names[0],
    ]);
  });

  test("drains, adds amounts to what another server charged, and is raised to the floor of a server", async () => {
    const [one, other] = [exchange(), exchange()];
    const still = { ...row, perMs: 1e-12 };
    expect(await one.merge([still])).toEqual({ levels: [3], servers: 1 });
    const second = await other.merge([{ ...still, amount: 4 }]);
    expect(second.servers).toBe(2);
    expect(second.levels[0]).toBeCloseTo(7);
    expect((await one.merge([{ ...still, floor: 40, amount: 1 }])).levels).toEqual([41]);
    // A megapixel drains in a millisecond.
    await expect
      .poll(async () => (await one.merge([{ ...row, perMs: 1, amount: 0 }])).levels, { timeout: hang })
      .toEqual([0]);
  });

  test("is begun again if it is not a meter, and refused if it is something else", async () => {
    const { merge } = exchange();
    await merge([row]);
    const [key = ""] = await redis.admin.keys("*m:*");
    await redis.admin.set(key, "x".repeat(1000));
    expect((await merge([row])).levels).toEqual([3]);
    await redis.admin.del(key);
    await redis.admin.lpush(key, "x");
    await expect(merge([row])).rejects.toThrow("prefix");
    const { merge: mislead } = redisExchange({
      driver: { run: async () => [1, -5] },
      prefix: "",
      server: "a",
      limitMs: 1000,
      naming: async (name) => name,
    });
    await expect(mislead([row])).rejects.toThrow("levels");
  });
});

test("a service is ready without its store of visitors, says so, and serves", async () => {
  const config = `crawlers: { mode: limit, secret_env: SECRET, redis: { addr: "127.0.0.1:${redis.port}" } }`;
  const app = await served(config, { SECRET: "the secret of all servers" });
  opened.push(app.service);
  const health = async () => {
    const response = await app.get("/ready");
    const { visitors } = (await response.json()) as { visitors: readonly { healthy: boolean }[] };
    return [response.status, visitors[0]?.healthy];
  };
  await expect.poll(health, { timeout: hang }).toEqual([200, true]);
  await redis.kill();
  await expect.poll(health, { timeout: hang }).toEqual([200, false]);
  expect((await app.get("/iiif/3/base.png/full/100,/0/default.jpg", { peer: client })).status).toBe(200);
  await redis.restart();
  await expect.poll(health, { timeout: hang }).toEqual([200, true]);
});

test("servers that share budgets need a secret", async () => {
  await expect(served(`crawlers: { redis: { addr: "127.0.0.1:6379" } }`)).rejects.toThrow(
    "crawlers.secret_env",
  );
});
