// The shared backends of the caches on every runtime: Redis over a socket and over HTTP, and a bucket.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RedisServer } from "../servers/redis.ts";
import { runtimesFor } from "./selection.ts";
import { startServer } from "./server.ts";
import { type SharedStores, secrets, startStores } from "./stores.ts";

interface Ready {
  readonly status: string;
  readonly caches: readonly { readonly name: string; readonly healthy: boolean; readonly error?: string }[];
}

let servers: SharedStores;
beforeAll(async () => {
  servers = await startStores();
});
afterAll(() => servers?.close());

describe.each(runtimesFor("caches"))("smalti on $name", (runtime) => {
  it("keeps its entries in Redis, in Redis over REST and in a bucket, and does without them", async () => {
    await Promise.all([servers.redis.admin.flushall(), servers.behindFront.admin.flushall()]);
    servers.bucket.objects.clear();
    const cache = `{
      render: { backend: redis, addr: "127.0.0.1:${servers.redis.port}", password_env: REDIS_PASSWORD, timeout: 10s },
      info: { backend: s3, bucket: ${servers.bucket.bucket}, region: ${servers.bucket.region}, endpoint: "${servers.bucket.url}", path_style: true, session_token_env: AWS_SESSION_TOKEN, timeout: 10s },
      origin: { backend: redis, url: "${servers.front.url}", token_env: UPSTASH_REDIS_REST_TOKEN, timeout: 10s },
      text: { backend: heap } }`.replaceAll("\n", " ");
    const path = "/iiif/3/jpg-baseline-420.jpg/10,20,200,100/max/0/default.png";
    const server = await startServer(runtime, { cache });
    try {
      const ready = async () => (await (await fetch(`${server.url}/ready`)).json()) as Ready;
      const get = async () => {
        const response = await fetch(`${server.url}${path}`);
        return [response.status, Buffer.from(await response.arrayBuffer()).toString("base64")];
      };
      // On a busy machine a check may be late, and passes at another look.
      await expect
        .poll(async () => (await ready()).caches.map(({ name, error }) => [name, error]))
        .toEqual([
          ["render", undefined],
          ["info", undefined],
          ["origin", undefined],
          ["text", undefined],
          ["changes", undefined],
        ]);
      const first = await get();
      expect(first[0]).toBe(200);
      // Entries are written after the response.
      const entriesOf = async ({ admin }: RedisServer) => (await admin.keys("*:e:*")).length;
      await expect.poll(() => entriesOf(servers.redis)).toBe(1);
      await expect.poll(() => entriesOf(servers.behindFront)).toBeGreaterThan(0);
      await expect.poll(() => servers.bucket.objects.size).toBeGreaterThan(0);
      // Asked for again, the entry is used.
      const [key = ""] = await servers.redis.admin.keys("*:e:*");
      const used = () => servers.redis.admin.zscore("{smalti/render}:used", key.split(":e:")[1] ?? "");
      const before = Number(await used());
      expect(await get()).toEqual(first);
      expect(Number(await used())).toBeGreaterThan(before);
      expect(await servers.redis.admin.keys("*:e:*")).toEqual([key]);
      await servers.redis.kill();
      servers.front.broken = true;
      servers.bucket.fault = () => ({ refuse: { status: 503, code: "SlowDown" } });
      expect(await get()).toEqual(first);
      const after = await ready();
      expect(after.status).toBe("ready");
      expect(after.caches.map(({ healthy }) => healthy)).toEqual([false, false, false, true, true]);
      const told = `${JSON.stringify(after)}${server.output()}`;
      for (const secret of Object.values(secrets)) expect(told).not.toContain(secret);
    } finally {
      servers.bucket.fault = () => undefined;
      servers.front.broken = false;
      await server.close();
      await servers.redis.restart();
    }
  });

  it.each(["addr", "url"] as const)(
    "shares budgets of visitors in Redis by %s, and does without",
    async (way) => {
      const [redis, address] =
        way === "addr"
          ? [servers.redis, `addr: "127.0.0.1:${servers.redis.port}", password_env: REDIS_PASSWORD`]
          : [servers.behindFront, `url: "${servers.front.url}", token_env: UPSTASH_REDIS_REST_TOKEN`];
      await redis.admin.flushall();
      const server = await startServer(runtime, {
        extra: `crawlers: { mode: observe, secret_env: AWS_SECRET_ACCESS_KEY, redis: { ${address} } }\n`,
      });
      try {
        const get = async (width: number) => {
          const response = await fetch(`${server.url}/iiif/3/base.png/full/${width},/0/default.jpg`);
          await response.arrayBuffer();
          return response.status;
        };
        expect(await get(200)).toBe(200);
        // What was used is sent after the response.
        await expect.poll(() => redis.admin.keys("{smalti/visitors}:m:*")).not.toEqual([]);
        expect(await redis.admin.zcard("{smalti/visitors}:servers")).toBe(1);
        if (way === "addr") await redis.kill();
        else servers.front.broken = true;
        for (const width of [201, 202]) expect(await get(width)).toBe(200);
      } finally {
        servers.front.broken = false;
        await server.close();
        await servers.redis.restart();
      }
    },
  );
});
