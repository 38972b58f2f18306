// What a server takes from the machine, and how long a request waits: mixed requests under a budget,
// first contacts, sessions, clients that never read, clients that leave, and a stop under load.
//
//   node bench/memory.mjs [--runtime node|deno|bun] [--parts mixed,cold,sessions,webp,slow,aborts,stop] [--small]
//                         [--program dist/main.js] [--out FILE]
//   node bench/memory.mjs --parts long [--minutes 30]
//
// Makes its pictures itself, from the test suite's one picture, in node_modules/.cache/bench-memory: 100
// megapixels, with --small 6. The goals are for two processors, and those of memory for the large pictures;
// with --small the script fails if one is missed that does not depend on the machine. Linux only.

import { spawn } from "node:child_process";
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import http from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import sharp from "sharp";
import { quantile, table } from "./lib/numbers.mjs";
import { nodeFlags, nodeVariables, usage } from "./lib/processes.mjs";
import { freePort } from "./lib/servers.mjs";
import { chances } from "./lib/session.mjs";

const root = fileURLToPath(new URL("../", import.meta.url));
const { values: options } = parseArgs({
  options: {
    runtime: { type: "string", default: "node" },
    parts: { type: "string", default: "mixed,cold,sessions,webp,slow,aborts,stop" },
    program: { type: "string", default: join(root, "dist/main.js") },
    minutes: { type: "string", default: "30" },
    small: { type: "boolean", default: false },
    out: { type: "string" },
  },
});
const { small } = options;

const commands = {
  node: [process.execPath, ...nodeFlags],
  deno: [join(root, "test/runtimes/node_modules/.bin/deno"), "run", "-A"],
  bun: [join(root, "test/runtimes/node_modules/.bin/bun")],
};

const side = small ? 2500 : 10_000;
const folder = join(root, "node_modules/.cache/bench-memory", small ? "small" : "large");
const pyramid = { tile: true, tileWidth: 256, tileHeight: 256, pyramid: true };
const pictures = {
  "baseline.jpg": (image) => image.jpeg({ quality: 90 }),
  "progressive.jpg": (image) => image.jpeg({ quality: 90, progressive: true }),
  "strips.tif": (image) => image.tiff({ compression: "deflate" }),
  "pyramid.tif": (image) => image.tiff({ ...pyramid, compression: "jpeg", quality: 89 }),
  "picture.png": (image) => image.png({ compressionLevel: 3 }),
  "picture.webp": (image) =>
    image.resize(Math.min(side, 6000), Math.min(side, 4000), { fit: "fill" }).webp({ effort: 1 }),
};

async function makePictures() {
  mkdirSync(folder, { recursive: true });
  const fixtures = join(root, "test/fixtures");
  for (const name of ["bomb-50000x50000-1bit.png", "bad-trunc-50.webp", "jp2-tiled-128.jp2"])
    writeFileSync(join(folder, name), readFileSync(join(fixtures, name)));
  const base = readFileSync(join(fixtures, "base.png"));
  for (const [name, write] of Object.entries(pictures)) {
    if (existsSync(join(folder, name))) continue;
    const image = sharp(base, { limitInputPixels: false }).removeAlpha();
    await write(image.resize(side, side, { fit: "fill" })).toFile(join(folder, name));
  }
}

async function start(settings = {}) {
  const place = mkdtempSync(join(tmpdir(), "smalti-memory-"));
  const port = await freePort();
  const file = join(place, "smalti.yaml");
  const whole = {
    addr: `127.0.0.1:${port}`,
    log: { level: "error" },
    sources: [{ name: "pictures", type: "filesystem", root: folder }],
    metrics: { enabled: true },
    ...settings,
  };
  writeFileSync(file, JSON.stringify(whole)); // JSON is YAML
  const child = spawn(
    commands[options.runtime][0],
    [...commands[options.runtime].slice(1), resolve(options.program), "-config", file],
    {
      stdio: ["ignore", "ignore", "inherit"],
      env: { ...process.env, ...nodeVariables, XDG_CACHE_HOME: place },
    },
  );
  const ended = new Promise((done) => child.on("exit", done));
  const url = `http://127.0.0.1:${port}`;
  for (let i = 0; i < 400; i++) {
    if ((await get(`${url}/health`).catch(() => undefined))?.status === 200) break;
    await pause(50);
  }
  let peak = 0;
  const watch = setInterval(() => {
    peak = Math.max(peak, resident(child.pid));
  }, 20);
  return {
    url,
    port,
    child,
    ended,
    resident: () => resident(child.pid),
    peak: () => Math.max(peak, resident(child.pid)),
    async stop() {
      clearInterval(watch);
      child.kill("SIGTERM");
      await ended;
      rmSync(place, { recursive: true, force: true });
    },
  };
}

/** Megabytes of resident memory of a process. */
function resident(pid) {
  try {
    return Number(/^VmRSS:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) / 1024;
  } catch {
    return 0;
  }
}

/** Requests a URL and returns status and milliseconds; without a response status 0 and the error's code. */
function get(url, { signal, agent } = {}) {
  const began = performance.now();
  return new Promise((done) => {
    const end = (status, error) => done({ status, code: error?.code, ms: performance.now() - began });
    http
      .get(url, { signal, agent: agent ?? false }, (response) => {
        response.resume();
        response.on("end", () => end(response.statusCode)).on("error", (error) => end(0, error));
      })
      .on("error", (error) => end(0, error));
  });
}

/** Runs `work` for each of `items`, `width` at a time. */
async function concurrently(items, width, work) {
  const queue = [...items];
  const results = [];
  const one = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) results.push(await work(item));
  };
  await Promise.all(Array.from({ length: width }, one));
  return results;
}

const random = chances(40);
const below = (count) => Math.floor(random() * count);
const image = (id, path) => `/iiif/3/${id}/${path}`;
const tile = (id, scale = 1) => {
  const region = 512 * scale;
  const across = Math.max(1, Math.floor(side / region));
  return image(
    id,
    `${below(across) * region},${below(across) * region},${region},${region}/512,/0/default.jpg`,
  );
};

const mixed = [
  () => image("baseline.jpg", `full/${small ? "max" : "5000,"}/0/default.jpg`),
  () => image("progressive.jpg", "full/1500,/0/default.jpg"),
  () => image("picture.png", "full/2000,/0/default.jpg"),
  () => image("strips.tif", "full/2000,/0/default.png"),
  () => image("strips.tif", `pct:${below(90)},0,10,100/pct:20/17/default.jpg`),
  () => tile("picture.webp").replace(/\/\d+,\d+,/, `/${below(4) * 512},${below(3) * 512},`),
  () => image("jp2-tiled-128.jp2", `${below(4) * 128},0,128,128/^1500,1500/0/default.jpg`),
  () => image("bomb-50000x50000-1bit.png", "full/max/0/default.png"),
  () => image("bad-trunc-50.webp", "full/max/0/default.jpg"),
  () => tile("baseline.jpg", 4),
  () => tile("progressive.jpg", 2),
  () => image("baseline.jpg", `${below(8) * 200},0,1000,1000/1000,/${below(360)}/default.png`),
];

/** A folder of pictures nobody has asked for yet: links to a few files of the size of a photograph. */
async function makeUnseen(count) {
  const [width, height] = small ? [1500, 1000] : [6000, 4000];
  const kinds = {
    "baseline.jpg": (picture) => picture.jpeg({ quality: 90 }),
    "progressive.jpg": (picture) => picture.jpeg({ quality: 90, progressive: true }),
    "pyramid.tif": (picture) => picture.tiff({ ...pyramid, compression: "jpeg", quality: 89 }),
    "picture.png": (picture) => picture.png({ compressionLevel: 3 }),
  };
  const masters = join(folder, "photographs");
  mkdirSync(masters, { recursive: true });
  for (const [name, write] of Object.entries(kinds))
    if (!existsSync(join(masters, name)))
      await write(
        sharp(join(root, "test/fixtures/base.png")).removeAlpha().resize(width, height, { fit: "fill" }),
      ).toFile(join(masters, name));
  const unseen = mkdtempSync(join(folder, "unseen-"));
  // Of twenty files, thirteen are plain JPEG, three progressive, three pyramids and one PNG.
  const ids = Array.from({ length: count }, (_, i) => {
    const at = (i * 7) % 20;
    const name = Object.keys(kinds)[[13, 16, 19, 20].findIndex((end) => at < end)];
    linkSync(join(masters, name), join(unseen, `${i}-${name}`));
    return `${i}-${name}`;
  });
  return { unseen, ids, width, height };
}

const rows = [];
/** Notes a figure; `goal` is the largest value that is good. */
function note(part, name, value, goal, unit) {
  const missed = goal !== undefined && value > goal;
  rows.push({ part, name, value, goal, unit, missed });
}

const parts = {
  async mixed() {
    const server = await start({ image: { memory_budget: "512MiB" } });
    await get(server.url + tile("pyramid.tif"));
    let over = false;
    const cheap = [];
    const viewer = (async () => {
      while (!over) {
        cheap.push(await get(server.url + tile("pyramid.tif")));
        await pause(100);
      }
    })();
    const urls = Array.from({ length: small ? 120 : 1000 }, (_, i) => mixed[i % mixed.length]());
    const answers = await concurrently(urls, 64, (path) => get(server.url + path));
    over = true;
    await viewer;
    const statuses = {};
    for (const { status } of answers) statuses[status] = (statuses[status] ?? 0) + 1;
    console.error("mixed: statuses", statuses);
    const lost = answers.filter(({ status }) => ![200, 400, 413, 422, 500, 501, 502, 503].includes(status));
    note("mixed", "peak", server.peak(), 800, "MB");
    note("mixed", "requests without a response", lost.length, 0, "");
    const slowest = Math.max(...answers.map(({ ms }) => ms)) / 1000;
    note("mixed", "slowest request", slowest, small ? undefined : 30, "s");
    note(
      "mixed",
      "cheap tiles, p95",
      quantile(
        cheap.map(({ ms }) => ms),
        0.95,
      ),
      small ? undefined : 100,
      "ms",
    );
    note(
      "mixed",
      "cheap tiles, slowest",
      Math.max(...cheap.map(({ ms }) => ms)),
      small ? undefined : 2000,
      "ms",
    );
    await pause(20_000);
    note("mixed", "after 20 s of idleness", server.resident(), 350, "MB");
    await server.stop();
  },

  async cold() {
    const { unseen, ids, width, height } = await makeUnseen(small ? 40 : 200);
    const server = await start({ sources: [{ name: "unseen", type: "filesystem", root: unseen }] });
    const overviews = [];
    const others = [];
    await concurrently(ids, 8, async (id) => {
      const agent = new http.Agent({ keepAlive: true, maxSockets: 6 });
      await get(server.url + image(id, "info.json"), { agent });
      overviews.push(
        await get(
          server.url + image(id, `full/${Math.ceil(width / 16)},${Math.ceil(height / 16)}/0/default.jpg`),
          { agent },
        ),
      );
      const zoomed = [4, 4, 4, 4, 1, 1].map((scale) => {
        const region = 512 * scale;
        const [x, y] = [width, height].map(
          (length) => below(Math.max(1, Math.floor(length / region))) * region,
        );
        const [w, h] = [Math.min(region, width - x), Math.min(region, height - y)];
        return image(id, `${x},${y},${w},${h}/${Math.ceil(w / scale)},${Math.ceil(h / scale)}/0/default.jpg`);
      });
      others.push(...(await Promise.all(zoomed.map((path) => get(server.url + path, { agent })))));
      agent.destroy();
    });
    const all = [...overviews, ...others];
    const ms = (answers) => answers.map((answer) => answer.ms);
    note("cold", "requests that failed", all.filter(({ status }) => status !== 200).length, 0, "");
    note("cold", "first overview tile, p95", quantile(ms(overviews), 0.95), small ? undefined : 2000, "ms");
    note("cold", "first overview tile, slowest", Math.max(...ms(overviews)), small ? undefined : 5000, "ms");
    note("cold", "tiles after it, p95", quantile(ms(others), 0.95), undefined, "ms");
    await server.stop();
    rmSync(unseen, { recursive: true });
  },

  async sessions() {
    const server = await start();
    const end = performance.now() + (small ? 5 : 90) * 1000;
    const clients = Array.from({ length: 8 }, async (_, i) => {
      const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
      while (performance.now() < end)
        await get(server.url + tile(i % 2 ? "baseline.jpg" : "pyramid.tif", 1 << below(4)), { agent });
      agent.destroy();
    });
    await pause((small ? 2 : 30) * 1000);
    const early = server.resident();
    await Promise.all(clients);
    note("sessions", "peak", server.peak(), 250, "MB");
    note("sessions", "growth after a third", server.resident() - early, small ? undefined : 25, "MB");
    await server.stop();
  },

  /** A realistic mix at about 70 % of what two processors can do; not part of the usual run. */
  async long() {
    const minutes = Number(options.minutes);
    const server = await start();
    const end = performance.now() + minutes * 60_000;
    const descriptors = () => readdirSync(`/proc/${server.child.pid}/fd`).length;
    const answers = [];
    const samples = [];
    const sampling = setInterval(
      () => samples.push({ minute: performance.now() / 60_000, mb: server.resident(), fds: descriptors() }),
      5000,
    );
    const ids = ["baseline.jpg", "pyramid.tif", "progressive.jpg", "jp2-tiled-128.jp2", "picture.webp"];
    const usual = ([id, scale]) =>
      id === "jp2-tiled-128.jp2"
        ? image(id, `${below(4) * 128},${below(3) * 128},128,128/128,/0/default.jpg`)
        : id === "picture.webp"
          ? image(id, `${below(4) * 256},${below(4) * 256},256,256/256,/0/default.jpg`)
          : tile(id, scale);
    // Viewers: a few tiles at a time, then a pause in which their reader looks.
    const viewers = Array.from({ length: 6 }, async () => {
      const agent = new http.Agent({ keepAlive: true, maxSockets: 6 });
      while (performance.now() < end) {
        // Of 200 views one is of WebP, which is decoded as a whole.
        const id = random() < 0.005 ? "picture.webp" : ids[Math.min(3, Math.floor(random() ** 2 * 4))];
        const scale = 1 << below(4);
        const tiles = Array.from({ length: id === "picture.webp" ? 1 : 6 }, () => usual([id, scale]));
        answers.push(...(await Promise.all(tiles.map((path) => get(server.url + path, { agent })))));
        await pause(50 + below(300));
      }
      agent.destroy();
    });
    const before = usage(server.child.pid).cpu;
    const began = performance.now();
    await Promise.all(viewers);
    const load = (usage(server.child.pid).cpu - before) / (performance.now() - began) / 2;
    clearInterval(sampling);
    const late = samples.slice(Math.floor(samples.length / 3));
    const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
    const [at, of] = [mean(late.map(({ minute }) => minute)), mean(late.map(({ mb }) => mb))];
    const slope =
      mean(late.map(({ minute, mb }) => (minute - at) * (mb - of))) /
      mean(late.map(({ minute }) => (minute - at) ** 2));
    console.error(`long: ${answers.length} requests, ${Math.round(load * 100)} % of two processors`);
    note("long", "growth a minute, in the last two thirds", slope, 0.5, "MB");
    note("long", "peak", server.peak(), undefined, "MB");
    const times = answers.map(({ ms }) => ms);
    note("long", "p99", quantile(times, 0.99), 250, "ms");
    note("long", "requests that failed", answers.filter(({ status }) => status !== 200).length, 0, "");
    note("long", "more descriptors", late.at(-1).fds - late[0].fds, 16, "");
    await server.stop();
  },

  async webp() {
    const server = await start();
    for (let i = 0; i < 6; i++)
      await get(server.url + image("picture.webp", `${i * 256},0,512,512/512,/0/default.jpg`));
    note("webp", "peak of six tiles", server.peak(), undefined, "MB");
    await pause(20_000);
    note("webp", "after 20 s of idleness", server.resident(), 200, "MB");
    await server.stop();
  },

  async slow() {
    for (const count of small ? [200] : [200, 1000]) {
      const server = await start({
        image: { memory_budget: "512MiB" },
        limits: { max_in_flight: 2000 },
        cache: { render: { backend: "heap" } },
      });
      const path = image("picture.png", "0,0,2400,2400/max/0/default.png");
      await get(server.url + path);
      const before = server.resident();
      const sockets = Array.from({ length: count }, () => {
        const socket = connect(server.port, "127.0.0.1");
        socket.on("error", () => {});
        socket.pause();
        socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
        return socket;
      });
      await pause(6000);
      note(`slow ${count}`, "peak above the budget", server.peak() - 512, 150, "MB");
      for (const socket of sockets) socket.destroy();
      await pause(small ? 15_000 : 60_000);
      note(`slow ${count}`, "afterwards, of before", (server.resident() / before) * 100, 120, "%");
      await server.stop();
    }
  },

  async aborts() {
    const server = await start({ cache: { render: { backend: "none" } } });
    const replaced = async () => {
      const text = await (await fetch(`${server.url}/metrics`)).text();
      return Number(/^smalti_worker_replacements_total\S* (\d+)/m.exec(text)?.[1] ?? Number.NaN);
    };
    const ids = ["baseline.jpg", "progressive.jpg", "pyramid.tif", "strips.tif"];
    await concurrently(
      Array.from({ length: small ? 200 : 1000 }, (_, i) => i),
      16,
      async (i) => {
        const gone = new AbortController();
        const answer = get(server.url + tile(ids[i % 4], 1 << below(3)), { signal: gone.signal });
        await pause(below(60));
        gone.abort();
        await answer;
      },
    );
    await pause(2000);
    // On a busy machine some workers do not notice an abort in time; if none did, most of 200 were replaced.
    note("aborts", "workers replaced", await replaced(), small ? 20 : 0, "");
    await server.stop();
  },

  async stop() {
    const server = await start();
    const lost = [];
    let answered = 0;
    // Half of the clients keep their connection, and all go on until the server accepts no more.
    const clients = Array.from({ length: 32 }, async (_, i) => {
      const agent = new http.Agent({ keepAlive: i % 2 === 0, maxSockets: 1 });
      for (;;) {
        const { status, code } = await get(server.url + tile("baseline.jpg", 2), { agent });
        if (code === "ECONNREFUSED") break;
        if (status === 0) lost.push(code);
        else answered++;
      }
      agent.destroy();
    });
    await pause(2000);
    server.child.kill("SIGTERM");
    await Promise.all(clients);
    await server.ended;
    console.error(`stop: ${answered} requests with a response, lost`, lost);
    note("stop", "requests lost", lost.length, 0, "");
    await server.stop();
  },
};

await makePictures();
for (const part of options.parts.split(",")) {
  if (!parts[part]) throw new Error(`expected parts of ${Object.keys(parts).join(", ")}, received "${part}"`);
  await parts[part]();
}
console.log(
  table(
    ["part", "figure", options.runtime, "goal", ""],
    rows.map(({ part, name, value, goal, unit, missed }) => [
      part,
      name,
      `${value.toFixed(value < 10 ? 1 : 0)} ${unit}`.trim(),
      goal === undefined ? "-" : `${goal} ${unit}`.trim(),
      missed ? "missed" : "",
    ]),
  ),
);
if (options.out) writeFileSync(options.out, JSON.stringify(rows, null, 2));
if (small && rows.some(({ missed }) => missed)) process.exitCode = 1;
