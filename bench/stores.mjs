// Measures a read from each cache backend: hits of entries of one size, the backends in turn.
//
//   node bench/stores.mjs [--bytes 30000] [--rounds 400]
//
// Redis is the redis-server of this machine, over TCP and behind a REST front in this process; the bucket is
// the strict S3 of the tests in this process, whose own work is included in the CPU column. Times are wall
// times in ms.

import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { median, quantile, table } from "./lib/numbers.mjs";
import { machine } from "./lib/options.mjs";

const root = resolve(fileURLToPath(import.meta.url), "../..");
const { values: options } = parseArgs({
  options: { bytes: { type: "string", default: "30000" }, rounds: { type: "string", default: "400" } },
});
const rounds = Number(options.rounds);

const folder = mkdtempSync(join(tmpdir(), "smalti-bench-stores-"));
const script = join(root, "node_modules", `.bench-stores-${process.pid}.mjs`);
await build({
  stdin: {
    contents: `
      export { heapStore } from "./src/server/stores/heap.ts";
      export { filesystemStore } from "./src/server/stores/filesystem/filesystem.ts";
      export { redisStore } from "./src/server/stores/redis/redis.ts";
      export { redisScripts } from "./src/server/stores/redis/scripts.ts";
      export { redisTcp } from "./src/server/stores/redis/tcp.ts";
      export { redisRest } from "./src/server/stores/redis/rest.ts";
      export { s3Store } from "./src/server/stores/s3.ts";
      export { openBucket } from "./src/base/network/s3.ts";
      export { nodeFiles } from "./src/server/platform/files/node-files.ts";
      export { startRedis, startRestFront } from "./test/servers/redis.ts";
      export { startS3, testAccount } from "./test/servers/s3.ts";`,
    resolveDir: root,
  },
  outfile: script,
  bundle: true,
  format: "esm",
  platform: "node",
  packages: "external",
  logLevel: "warning",
});
const it = await import(pathToFileURL(script).href);
rmSync(script);

const redis = await it.startRedis();
const front = await it.startRestFront(redis, "token");
const bucket = await it.startS3();
const maxBytes = 2 ** 30;
const address = { host: "127.0.0.1", port: redis.port, db: 0, tls: false, password: undefined };
const stores = {
  heap: it.heapStore({ maxBytes }),
  filesystem: it.filesystemStore({ files: it.nodeFiles(), path: folder, maxBytes }),
  "redis, TCP": it.redisStore({
    driver: it.redisTcp({ ...address, timeoutMs: 10_000, connectEachTime: false, scripts: it.redisScripts }),
    prefix: "bench/",
    maxBytes,
  }),
  "redis, REST": it.redisStore({
    driver: it.redisRest({ url: front.url, token: "token", timeoutMs: 10_000, scripts: it.redisScripts }),
    prefix: "bench/",
    maxBytes,
  }),
  s3: it.s3Store({
    bucket: it.openBucket({
      bucket: bucket.bucket,
      region: bucket.region,
      endpoint: bucket.url,
      pathStyle: true,
      credentials: it.testAccount,
      timeoutMs: 10_000,
    }),
    prefix: "bench/",
  }),
};

const names = 20;
const value = new Uint8Array(randomBytes(Number(options.bytes)));
for (const store of Object.values(stores))
  for (let i = 0; i < names; i++) await store.set(`n${i}`, "", value);

const taken = Object.fromEntries(Object.keys(stores).map((name) => [name, { wall: [], cpu: [] }]));
for (let round = 0; round < rounds; round++)
  for (const [name, store] of Object.entries(stores)) {
    const cpu = process.cpuUsage();
    const began = performance.now();
    if (!(await store.get(`n${round % names}`, ""))) throw new Error(`${name} lost an entry`);
    taken[name].wall.push(performance.now() - began);
    const { user, system } = process.cpuUsage(cpu);
    taken[name].cpu.push((user + system) / 1000);
  }

console.log(`${machine()}\nhits of ${options.bytes} bytes, ${rounds} of each, ms\n`);
console.log(
  table(
    ["backend", "least", "p50", "p95", "CPU p50"],
    Object.entries(taken).map(([name, { wall, cpu }]) => [
      name,
      quantile(wall, 0),
      median(wall),
      quantile(wall, 0.95),
      median(cpu),
    ]),
    1,
  ),
);

await Promise.all(Object.values(stores).map((store) => store.close?.()));
await Promise.all([front.close(), redis.close(), bucket.close()]);
rmSync(folder, { recursive: true });
