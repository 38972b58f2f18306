// Measures what a tile costs in a collection: tiles of one picture, of a hundred in turn, and of a thousand.
//
//   npm run build && node bench/sources.mjs --sizes 24 && node bench/collection.mjs
//     [--counts 1,100,1000] [--requests 1500] [--scale 1] [--program dist/main.js] [--runs 3]
//
// The pictures are links to one file, so that only their number differs. Derivatives are not cached. Prints
// the CPU time of a tile and the memory of the process, medians of the runs. Linux only.

import { spawn } from "node:child_process";
import { linkSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import { join } from "node:path";
import { parseArgs } from "node:util";
import sharp from "sharp";
import { quantile, table } from "./lib/numbers.mjs";
import { nodeFlags, nodeVariables, usage } from "./lib/processes.mjs";
import { freePort } from "./lib/servers.mjs";
import { chances } from "./lib/session.mjs";

const { values } = parseArgs({
  options: {
    counts: { type: "string", default: "1,100,1000" },
    requests: { type: "string", default: "1500" },
    runs: { type: "string", default: "3" },
    scale: { type: "string", default: "1" },
    program: { type: "string", default: "dist/main.js" },
    master: { type: "string", default: "node_modules/.cache/bench/24mp-baseline.jpg" },
  },
});
const scale = Number(values.scale);
const { width, height } = await sharp(values.master).metadata();
const agent = new http.Agent({ keepAlive: true, maxSockets: 2 });

const get = (url) =>
  new Promise((resolve, reject) => {
    http
      .get(url, { agent }, (response) => {
        response.resume();
        response.on("end", () =>
          response.statusCode === 200 ? resolve() : reject(new Error(`${response.statusCode} ${url}`)),
        );
      })
      .on("error", reject);
  });

/** Sends requests, two at a time. */
async function send(paths) {
  const queue = [...paths];
  const one = async () => {
    for (let path = queue.pop(); path; path = queue.pop()) await get(path);
  };
  await Promise.all([one(), one()]);
}

/** Returns milliseconds of CPU time of a tile, and megabytes of the process. */
async function measure(count) {
  const place = mkdtempSync(join("node_modules/.cache", "collection-"));
  for (let i = 0; i < count; i++) linkSync(values.master, join(place, `${i}.jpg`));
  const port = await freePort();
  const config = join(place, "smalti.yaml");
  const settings = {
    addr: `127.0.0.1:${port}`,
    log: { level: "error" },
    sources: [{ name: "files", type: "filesystem", root: "." }],
    cache: { render: { backend: "none" } },
  };
  writeFileSync(config, JSON.stringify(settings));
  const server = spawn(process.execPath, [...nodeFlags, values.program, "-config", config], {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, ...nodeVariables, XDG_CACHE_HOME: join(place, "cache") },
  });
  try {
    const base = `http://127.0.0.1:${port}`;
    for (let ready = false; !ready; await new Promise((resolve) => setTimeout(resolve, 50)))
      ready = await get(`${base}/ready`).then(
        () => true,
        () => false,
      );
    const random = chances(41);
    const below = (most) => Math.floor(random() * most);
    const side = 512 * scale;
    const tile = (i) => {
      const [x, y] = [below(Math.floor(width / side)) * side, below(Math.floor(height / side)) * side];
      return `${base}/iiif/3/${i % count}.jpg/${x},${y},${side},${side}/512,/0/default.jpg`;
    };
    // The sidecars first, twice, since the first tile of a picture only begins one.
    await send(Array.from({ length: Math.max(2 * count, 400) }, (_, i) => tile(i)));
    await new Promise((resolve) => setTimeout(resolve, 1000));
    await send(Array.from({ length: Math.max(count, 400) }, (_, i) => tile(i)));
    const before = usage(server.pid).cpu;
    const requests = Math.max(Number(values.requests), count);
    await send(Array.from({ length: requests }, (_, i) => tile(i)));
    const after = usage(server.pid);
    return { ms: (after.cpu - before) / requests, mb: after.peak / 2 ** 20 };
  } finally {
    server.kill("SIGKILL");
    rmSync(place, { recursive: true, force: true, maxRetries: 5 });
  }
}

const rows = [];
for (const count of values.counts.split(",").map(Number)) {
  const runs = [];
  for (let n = 0; n < Number(values.runs); n++) runs.push(await measure(count));
  const [ms, mb] = ["ms", "mb"].map((name) =>
    quantile(
      runs.map((run) => run[name]),
      0.5,
    ),
  );
  rows.push({ count, ms, mb });
}
console.log(
  table(
    ["pictures", `tile at 1/${scale}, CPU ms`, "of one picture", "most MB"],
    rows.map(({ count, ms, mb }) => [
      String(count),
      ms.toFixed(2),
      `${(ms / rows[0].ms).toFixed(2)}x`,
      mb.toFixed(0),
    ]),
  ),
);
