// Measures what caches are worth: hit rate and response time for each backend, and the first tiles of masters
// behind a slow connection, read in ranges or downloaded whole.
//
//   node bench/caches.mjs [--picture 24mp-baseline.jpg] [--requests 600] [--latency 50] [--out caches.json]

import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import http from "node:http";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import sharp from "sharp";
import { compiled } from "./lib/compiled.mjs";
import { ask } from "./lib/http.mjs";
import { median, table } from "./lib/numbers.mjs";
import { machine, pictureSize, readOptions } from "./lib/options.mjs";
import { start } from "./lib/servers.mjs";
import { chances, tileRequest } from "./lib/session.mjs";

const options = readOptions(
  { picture: "24mp-baseline.jpg", requests: "600", latency: "50", bound: "16MiB" },
  "smalti",
);
const latency = Number(options.latency);

/** Starts a Redis server on a free port; undefined if Redis is not installed. */
async function startRedis() {
  const port = await new Promise((done) => {
    const holder = createServer().listen(0, "127.0.0.1", () => {
      const { port } = holder.address();
      holder.close(() => done(port));
    });
  });
  const child = spawn("redis-server", ["--port", String(port), "--save", "", "--appendonly", "no"], {
    stdio: "ignore",
  });
  const started = await new Promise((done) => {
    child.once("error", () => done(false));
    setTimeout(() => done(child.exitCode === null), 500);
  });
  return started ? { port, stop: () => child.kill() } : undefined;
}

/**
 * Returns requests whose popularity falls with their rank (Zipf, exponent 1) over the tiles of every scale
 * factor, seeded.
 */
function popular(size, count) {
  const tile = options.tile;
  const all = [];
  for (let factor = 1; Math.max(size.width, size.height) / factor > tile / 2; factor *= 2)
    for (let row = 0; row * tile * factor < size.height; row++)
      for (let column = 0; column * tile * factor < size.width; column++)
        all.push(tileRequest(size, tile, factor, column, row));
  const chance = chances(7);
  const ranked = all.map((request) => ({ request, order: chance() })).sort((a, b) => a.order - b.order);
  const weights = ranked.map((_, i) => 1 / (i + 1));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return Array.from({ length: count }, () => {
    let left = chance() * total;
    const at = weights.findIndex((weight) => (left -= weight) <= 0);
    return ranked[Math.max(0, at)].request;
  });
}

/** Like `ask`, plus the header that says if the response was cached. */
function askStatus(url, agent) {
  return new Promise((done, fail) => {
    const began = performance.now();
    http
      .get(url, { agent }, (response) => {
        response.resume();
        response.on("end", () =>
          done({
            status: response.statusCode,
            hit: response.headers["cache-status"] === "smalti; hit",
            ms: performance.now() - began,
          }),
        );
      })
      .on("error", fail);
  });
}

async function measureBackend(name, render) {
  const server = await start("smalti", {
    ...options,
    settings: (place) => ({
      cache: { render: render(place), info: { backend: "heap" }, origin: { backend: "heap" } },
    }),
  });
  const agent = new http.Agent({ keepAlive: true });
  const size = await pictureSize(options, options.picture);
  const hits = [];
  const misses = [];
  try {
    await ask(server.url(options.picture, "info.json"), agent);
    for (const request of popular(size, Number(options.requests))) {
      const answer = await askStatus(server.url(options.picture, request.path), agent);
      if (answer.status !== 200) throw new Error(`${name}: status ${answer.status} for ${request.path}`);
      (answer.hit ? hits : misses).push(answer.ms);
    }
  } finally {
    agent.destroy();
    await server.stop();
  }
  return {
    name,
    hitRate: hits.length / (hits.length + misses.length),
    hit: median(hits),
    miss: median(misses),
  };
}

/**
 * Times the first responses for a master behind the slow connection, and counts what was fetched for them.
 */
async function measureOrigin(origin, name, path, ranges) {
  origin.behaviour.ranges = ranges;
  origin.behaviour.delayMs = latency;
  const server = await start("smalti", {
    ...options,
    settings: (place) => ({
      sources: [{ name: "far", type: "http", url: `${origin.url}/{identifier}` }],
      cache: {
        render: { backend: "none" },
        info: { backend: "heap" },
        origin: { backend: "filesystem", path: join(place, "origin") },
      },
    }),
  });
  const agent = new http.Agent({ keepAlive: true });
  try {
    origin.since();
    const first = await ask(server.url(path, name.first), agent);
    const fetched = origin.since();
    const next = await ask(server.url(path, name.next), agent);
    const more = origin.since();
    for (const answer of [first, next])
      if (answer.status !== 200) throw new Error(`status ${answer.status} for ${path}`);
    return { first: first.ms, ...fetched, next: next.ms, more: more.requests };
  } finally {
    agent.destroy();
    await server.stop();
  }
}

const place = mkdtempSync(join(tmpdir(), "smalti-caches-"));
process.on("exit", () => rmSync(place, { recursive: true, force: true }));
const source = join(options.sources, options.picture);
if (!existsSync(source)) throw new Error(`expected ${source}; make it: node bench/sources.mjs`);

const { startS3 } = await compiled("test/servers/s3.ts");
const { startOrigin } = await compiled("test/servers/origin.ts");
const bound = options.bound;
const s3 = await startS3({ account: undefined });
const redis = await startRedis();
const backends = {
  none: () => ({ backend: "none" }),
  heap: () => ({ backend: "heap", max_bytes: bound }),
  filesystem: (folder) => ({ backend: "filesystem", path: join(folder, "render"), max_bytes: bound }),
  ...(redis && { redis: () => ({ backend: "redis", addr: `127.0.0.1:${redis.port}`, max_memory: bound }) }),
  s3: () => ({
    backend: "s3",
    bucket: s3.bucket,
    region: s3.region,
    endpoint: s3.url,
    path_style: true,
    anonymous: true,
  }),
};
if (!redis) console.error("left out: redis (no redis-server on this machine)");
console.log(
  `${machine()}\n${options.picture}, ${options.requests} requests, popularity by rank, slot of ${bound}\n`,
);
const rows = [];
for (const [name, render] of Object.entries(backends)) rows.push(await measureBackend(name, render));
console.log(
  table(
    ["render slot", "hit rate %", "p50 of hits ms", "p50 of misses ms"],
    rows.map(({ name, hitRate, hit, miss }) => [name, 100 * hitRate, hit, miss]),
    1,
  ),
);
redis?.stop();
await s3.close();

/** Files on the remote side: the JPEG as it is, and the same picture as a tiled pyramid. */
const pyramid = join(place, "pyramid.tif");
await sharp(source)
  .tiff({ compression: "jpeg", quality: 90, tile: true, tileWidth: 256, tileHeight: 256, pyramid: true })
  .toFile(pyramid);
const { width, height } = await pictureSize(options, options.picture);
const middle = `${Math.floor(width / 1024) * 512},${Math.floor(height / 1024) * 512}`;
const beside = `${Math.floor(width / 1024) * 512 + 512},${Math.floor(height / 1024) * 512}`;
const paths = { first: `${middle},512,512/512,/0/default.jpg`, next: `${beside},512,512/512,/0/default.jpg` };
const files = { "baseline JPEG": source, "tiled pyramid TIFF": pyramid };
const origin = await startOrigin();
const far = [];
for (const [form, file] of Object.entries(files)) {
  const data = readFileSync(file);
  const { size } = statSync(file);
  origin.masters.set("far", {
    size,
    etag: '"1"',
    type: "image/tiff",
    bytes: (from, to) => data.subarray(from, to),
  });
  for (const ranges of [true, false]) {
    const runs = [];
    for (let i = 0; i < 3; i++) {
      runs.push(await measureOrigin(origin, paths, "far", ranges));
      await pause(100);
    }
    const of = (key) => median(runs.map((run) => run[key]));
    far.push({
      form,
      way: ranges ? "ranges" : "whole file",
      first: of("first"),
      requests: of("requests"),
      megabytes: of("bytes") / 1e6,
      next: of("next"),
      more: of("more"),
    });
  }
}
await origin.close();
console.log(
  `\na tile in the middle of a master behind ${latency} ms, everything empty at first (median of 3)\n`,
);
console.log(
  table(
    ["master", "read", "first tile ms", "requests", "MB", "tile beside it ms", "requests"],
    far.map((row) => [
      row.form,
      row.way,
      row.first,
      String(row.requests),
      row.megabytes,
      row.next,
      String(row.more),
    ]),
  ),
);
if (options.out) writeFileSync(options.out, JSON.stringify({ machine: machine(), rows, far }, null, 2));
process.exit(0);
