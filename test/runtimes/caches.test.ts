// The shared backends of the caches on every runtime: Redis over a socket and over HTTP, and a bucket.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type S3Server, startS3, testAccount } from "../s3/server.ts";
import { type RedisServer, type RestFront, startRedis, startRestFront } from "../stores/redis-server.ts";
import { chosenRuntimes } from "./runtimes.ts";
import { startServer } from "./server.ts";

const secrets = {
  AWS_ACCESS_KEY_ID: testAccount.accessKeyId,
  AWS_SECRET_ACCESS_KEY: testAccount.secretAccessKey,
  AWS_SESSION_TOKEN: testAccount.sessionToken,
  REDIS_PASSWORD: "the-password",
  UPSTASH_REDIS_REST_TOKEN: "the-token",
};

interface Ready {
  readonly status: string;
  readonly caches: readonly { readonly name: string; readonly healthy: boolean; readonly error?: string }[];
}

let redis: RedisServer;
let behindFront: RedisServer;
let front: RestFront;
let bucket: S3Server;
beforeAll(async () => {
  Object.assign(process.env, secrets);
  [redis, behindFront, bucket] = await Promise.all([
    startRedis({ password: secrets.REDIS_PASSWORD }),
    startRedis(),
    startS3(),
  ]);
  front = await startRestFront(behindFront, secrets.UPSTASH_REDIS_REST_TOKEN);
});
afterAll(async () => {
  for (const name of Object.keys(secrets)) delete process.env[name];
  await Promise.all([front?.close(), redis?.close(), behindFront?.close(), bucket?.close()]);
});

describe.each(chosenRuntimes())("smalti on $name", (runtime) => {
  it("keeps its entries in Redis, in Redis over REST and in a bucket, and does without them", async () => {
    await Promise.all([redis.admin.flushall(), behindFront.admin.flushall()]);
    bucket.objects.clear();
    const cache = `{
      render: { backend: redis, addr: "127.0.0.1:${redis.port}", password_env: REDIS_PASSWORD, timeout: 10s },
      info: { backend: s3, bucket: ${bucket.bucket}, region: ${bucket.region}, endpoint: "${bucket.url}", path_style: true, session_token_env: AWS_SESSION_TOKEN, timeout: 10s },
      origin: { backend: redis, url: "${front.url}", token_env: UPSTASH_REDIS_REST_TOKEN, timeout: 10s } }`.replaceAll(
      "\n",
      " ",
    );
    const path = "/iiif/3/jpg-baseline-420.jpg/10,20,200,100/max/0/default.png";
    const server = await startServer(runtime, { cache });
    try {
      const ready = async () => (await (await fetch(`${server.url}/ready`)).json()) as Ready;
      const get = async () => {
        const response = await fetch(`${server.url}${path}`);
        return [response.status, Buffer.from(await response.arrayBuffer()).toString("base64")];
      };
      expect((await ready()).caches.map(({ name, error }) => [name, error])).toEqual([
        ["render", undefined],
        ["info", undefined],
        ["origin", undefined],
      ]);
      const first = await get();
      expect(first[0]).toBe(200);
      // Entries are written after the answer.
      const entriesOf = async ({ admin }: RedisServer) => (await admin.keys("*:e:*")).length;
      await expect.poll(() => entriesOf(redis), { timeout: 120_000 }).toBe(1);
      await expect.poll(() => entriesOf(behindFront), { timeout: 120_000 }).toBeGreaterThan(0);
      await expect.poll(() => bucket.objects.size, { timeout: 120_000 }).toBeGreaterThan(0);
      // Asked for again, the entry is used.
      const [key = ""] = await redis.admin.keys("*:e:*");
      const used = () => redis.admin.zscore("{smalti/render}:used", key.split(":e:")[1] ?? "");
      const before = Number(await used());
      expect(await get()).toEqual(first);
      expect(Number(await used())).toBeGreaterThan(before);
      expect(await redis.admin.keys("*:e:*")).toEqual([key]);
      await redis.kill();
      front.broken = true;
      bucket.fault = () => ({ refuse: { status: 503, code: "SlowDown" } });
      expect(await get()).toEqual(first);
      const after = await ready();
      expect(after.status).toBe("ready");
      expect(after.caches.map(({ healthy }) => healthy)).toEqual([false, false, false]);
      const told = `${JSON.stringify(after)}${server.output()}`;
      for (const secret of Object.values(secrets)) expect(told).not.toContain(secret);
    } finally {
      bucket.fault = () => undefined;
      front.broken = false;
      await server.close();
      await redis.restart();
    }
  });
});
