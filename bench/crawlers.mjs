// Measures what crawlers get and what readers notice: 1,000 addresses in 400 networks fetch full sizes, tiles
// and manifests of many images, and readers look at other images meanwhile.
//
//   npm run build && node bench/crawlers.mjs [--picture 24mp-baseline.jpg] [--images 200] [--seconds 60]
//     [--crawlers 300] [--modes alone,off,observe,limit] [--kinds swarm,bots,imitators]
//
// Each mode is a server of its own with empty caches. `alone`: readers without crawlers. Kinds of crawlers,
// in equal parts: `swarm` has browsers' agents, one address for each request, and takes full sizes and large
// regions; `bots` say what they are; `imitators` open image information and then tiles in a viewer's order.
// Half of the networks are IPv6. All run in a thread of their own, so that no reader waits for them here.
// Readers: 20 with a page of /view, 5 on a listed origin, 3 on another one. Prints for each mode: p50 and p95
// of readers' tiles in milliseconds, the latter also as a multiple of `alone`, and how many were refused;
// requests of crawlers in a second; pixels that they got of those that they asked for, in percent; and their
// part of the distinct pixels of the collection in an hour.

import { once } from "node:events";
import { linkSync, mkdtempSync, rmSync } from "node:fs";
import http from "node:http";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { quantile, table } from "./lib/numbers.mjs";
import { machine, pictureSize, readOptions } from "./lib/options.mjs";
import { start } from "./lib/servers.mjs";
import { chances, session, tileRequest } from "./lib/session.mjs";

const options = readOptions(
  {
    picture: "24mp-baseline.jpg",
    images: "200",
    seconds: "60",
    crawlers: "300",
    modes: "alone,off,observe,limit",
    kinds: "swarm,bots,imitators",
  },
  "smalti",
);
const images = Number(options.images);
const seconds = Number(options.seconds);
const parallel = Number(options.crawlers);
const kinds = options.kinds.split(",");
const size = await pictureSize(options, options.picture);
const browser =
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36";
const listed = "https://www.example.org";
const megapixels = (width, height) => (width * height) / 1e6;
/** Megapixels of an image with the levels of its tiles. */
const distinct = megapixels(size.width, size.height) * (4 / 3);

/** Address number `at` of 1,000, in 400 networks, every other of which is IPv6. */
function address(at) {
  const network = at % 400;
  const host = 1 + (Math.floor(at / 400) % 200);
  return network % 2 === 0
    ? `198.${18 + (network >> 8)}.${network & 255}.${host}`
    : `2001:db8:${network.toString(16)}::${host}`;
}

/** Asks for a path. Returns the status, the length and the milliseconds; -1 if the connection failed. */
function ask(server, path, agent, headers) {
  return new Promise((resolve) => {
    const began = performance.now();
    const end = (status, bytes, extra = {}) =>
      resolve({ status, bytes, ms: performance.now() - began, ...extra });
    const request = http.get(new URL(path, server.base), { agent, headers, timeout: 60_000 }, (response) => {
      let bytes = 0;
      response.on("data", (part) => {
        bytes += part.length;
      });
      response.on("end", () => end(response.statusCode, bytes, { headers: response.headers }));
      response.on("error", () => end(-1, 0));
    });
    request.on("timeout", () => request.destroy());
    request.on("error", () => end(-1, 0));
  });
}

const imagePath = (name, rest) => `/iiif/3/${name}/${rest}`;

/** The endless requests of one crawler: paths with their megapixels, and the headers of who sends them. */
function* crawl(kind, seed) {
  const chance = chances(seed);
  const pick = (count) => Math.floor(chance() * count);
  const imitated = 600 + (seed % 400);
  for (let n = 0; ; n++) {
    const name = `crawled-${pick(images)}.jpg`;
    const from = { "X-Forwarded-For": address(kind === "imitators" ? imitated : pick(1000)) };
    if (kind === "imitators") {
      const headers = { ...from, "User-Agent": browser };
      yield { path: imagePath(name, "info.json"), area: 0, headers };
      for (const request of session(size, { tile: options.tile, tiles: 60, seed: seed + n }))
        if (request.kind === "tile")
          yield {
            path: imagePath(name, request.path),
            area: megapixels(request.width, request.height),
            headers,
            key: `${name}/${request.path}`,
          };
      continue;
    }
    const headers = {
      ...from,
      "User-Agent": kind === "bots" ? "ExampleBot/1.0 (+https://bot.example)" : browser,
    };
    const choice = chance();
    if (choice < 0.4)
      yield {
        path: imagePath(name, "full/max/0/default.jpg"),
        area: megapixels(size.width, size.height),
        headers,
        key: `${name}/full`,
      };
    else if (choice < 0.9) {
      const request = tileRequest(
        size,
        options.tile,
        1,
        pick(Math.floor(size.width / options.tile)),
        pick(Math.floor(size.height / options.tile)),
      );
      yield {
        path: imagePath(name, request.path),
        area: megapixels(request.width, request.height),
        headers,
        key: `${name}/${request.path}`,
      };
    } else {
      const path = choice < 0.95 ? imagePath(name, "info.json") : `/iiif/presentation/3/${name}`;
      yield { path, area: 0, headers };
    }
  }
}

/** Runs the crawlers until a message comes, then posts what they asked for and got. */
async function runCrawlers(server) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: parallel });
  const total = { asked: 0, got: 0, refused: 0, requests: 0 };
  const seen = new Map();
  let stopped = false;
  const run = async (at) => {
    const requests = crawl(kinds[at % kinds.length], at + 1);
    while (!stopped) {
      const { path, area, headers, key } = requests.next().value;
      const { status } = await ask(server, path, agent, headers);
      total.requests++;
      total.asked += area;
      if (status === 200) {
        total.got += area;
        if (key) seen.set(key, area);
      } else {
        total.refused++;
        await pause(100);
      }
    }
  };
  const all = Promise.all(Array.from({ length: parallel }, (_, at) => run(at)));
  await new Promise((resolve) => parentPort.once("message", resolve));
  const distinct = [...seen.values()].reduce((sum, area) => sum + area, 0);
  parentPort.postMessage({ ...total, distinct });
  stopped = true;
  agent.destroy();
  await all;
}

/** Starts the crawlers. Returns a function that ends them and resolves to what they asked for and got. */
function startCrawlers({ base }) {
  const worker = new Worker(new URL(import.meta.url), { argv: process.argv.slice(2), workerData: { base } });
  return async () => {
    worker.postMessage("stop");
    const [result] = await once(worker, "message");
    await worker.terminate();
    return result;
  };
}

/** One reader: opens images one at a time, six tiles at once, with pauses to look. */
async function read(server, kind, at, until, tiles) {
  const chance = chances(5000 + at);
  const agent = new http.Agent({ keepAlive: true, maxSockets: 6 });
  const headers = { "User-Agent": browser, "X-Forwarded-For": `203.0.${at}.7` };
  if (kind === "listed") headers.Referer = `${listed}/`;
  if (kind === "unlisted") headers.Referer = "https://elsewhere.example.net/";
  while (performance.now() < until) {
    const name = `read-${Math.floor(chance() * images)}.jpg`;
    if (kind === "view") {
      const page = await ask(server, `/view/${name}`, agent, headers);
      const [cookie] = page.headers?.["set-cookie"] ?? [];
      if (cookie) headers.Cookie = cookie.split(";")[0];
    }
    await ask(server, imagePath(name, "info.json"), agent, headers);
    const requests = session(size, { tile: options.tile, tiles: 40, seed: at * 100 + tiles.length }).filter(
      (request) => request.kind === "tile",
    );
    for (let first = 0; first < requests.length && performance.now() < until; first += 6) {
      const some = requests.slice(first, first + 6);
      const results = await Promise.all(
        some.map(({ path }) => ask(server, imagePath(name, path), agent, headers)),
      );
      for (const { status, ms } of results) tiles.push({ kind, status, ms });
      await pause(300 + 700 * chance());
    }
  }
  agent.destroy();
}

if (!isMainThread) await runCrawlers(workerData);
else await compare();

async function compare() {
  const readers = [...Array(20).fill("view"), ...Array(5).fill("listed"), ...Array(3).fill("unlisted")];
  const rows = [];
  /** p95 of readers without crawlers. */
  const quiet = {};
  for (const mode of options.modes.split(",")) {
    const folder = mkdtempSync(join(options.sources, "crawled-"));
    const clean = () => rmSync(folder, { recursive: true, force: true });
    process.once("exit", clean);
    for (let at = 0; at < images; at++)
      for (const part of ["crawled", "read"])
        linkSync(join(options.sources, options.picture), join(folder, `${part}-${at}.jpg`));
    const settings = () => ({
      trusted_proxies: ["127.0.0.1"],
      crawlers: { mode: mode === "alone" ? "off" : mode, listed_origins: [listed] },
    });
    const server = await start("smalti", { ...options, sources: folder, settings });
    server.base = new URL(server.url("x", "y")).origin;
    const stop = mode === "alone" ? undefined : startCrawlers(server);
    const until = performance.now() + seconds * 1000;
    const tiles = [];
    await Promise.all(readers.map((kind, at) => read(server, kind, at, until, tiles)));
    const crawled = await stop?.();
    await server.stop();
    clean();
    for (const kind of ["view", "listed", "unlisted"]) {
      const own = tiles.filter((tile) => tile.kind === kind);
      const times = own.map(({ ms }) => ms);
      const refused = own.filter(({ status }) => status !== 200).length;
      const p95 = quantile(times, 0.95);
      if (mode === "alone") quiet[kind] = p95;
      const crawling =
        crawled && kind === "view"
          ? [
              crawled.requests / seconds,
              (100 * crawled.got) / crawled.asked,
              (100 * crawled.distinct * (3600 / seconds)) / (images * distinct),
            ]
          : [undefined, undefined, undefined];
      rows.push([mode, kind, own.length, quantile(times, 0.5), p95, p95 / quiet[kind], refused, ...crawling]);
    }
  }
  console.log(machine());
  console.log(
    table(
      [
        "mode",
        "readers",
        "tiles",
        "p50, ms",
        "p95, ms",
        "times alone",
        "refused",
        "crawlers' requests/s",
        "they got, %",
        "of the collection in an hour, %",
      ],
      rows,
    ),
  );
}
