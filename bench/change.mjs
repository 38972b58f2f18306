// What does a change cost an answer? Two builds of the service side by side, their requests in turn: CPU per answer and the ratio.
// node bench/change.mjs DIST_BEFORE DIST_AFTER [--starts 6] [--rounds 10] [--block 400]: folders as `npm run build` makes them.

import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Agent } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import sharp from "sharp";
import { ask, listening } from "./lib/http.mjs";
import { figure, median, quantile, table } from "./lib/numbers.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    starts: { type: "string", default: "6" },
    rounds: { type: "string", default: "10" },
    block: { type: "string", default: "400" },
  },
});
const [before, after] = positionals;
if (!before || !after)
  throw new Error("expected two folders: the build before the change, and the one after it");

const side = 4096;
const tile = 256;
const folder = mkdtempSync(join(tmpdir(), "smalti-change-"));
const grain = { type: "gaussian", mean: 128, sigma: 20 };
await sharp({ create: { width: side, height: side, channels: 3, noise: grain, background: "#888" } })
  .blur(2)
  .jpeg({ quality: 90 })
  .toFile(join(folder, "a.jpg"));

async function start(dist, port) {
  const config = join(folder, `${port}.yaml`);
  const heap = "{ backend: heap, max_bytes: 512MiB }";
  writeFileSync(
    config,
    `addr: "127.0.0.1:${port}"\nimage: { max_concurrent: 1 }\nlog: { level: error }\ncache: { render: ${heap}, info: ${heap}, origin: ${heap} }\nsources: [{ name: a, type: filesystem, root: ${JSON.stringify(folder)}, revalidate: 1m }]\n`,
  );
  const server = spawn(process.execPath, [join(dist, "main.js"), "-config", config], { stdio: "ignore" });
  const url = `http://127.0.0.1:${port}`;
  await listening(`${url}/health`, () => server.exitCode === null);
  return { server, url, agent: new Agent({ keepAlive: true, maxSockets: 2 }) };
}

/** CPU milliseconds of a process's threads, to the nanosecond: the clock of `usage` counts steps of 10 ms. */
function cpuOf(pid) {
  let ns = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`))
    ns += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]);
  return ns / 1e6;
}

/** CPU milliseconds per answer of a block of requests, two at a time. */
async function cost({ server, url, agent }, targets) {
  const begun = cpuOf(server.pid);
  let next = 0;
  const client = async () => {
    for (let at = next++; at < targets.length; at = next++) {
      const { status } = await ask(url + targets[at], agent);
      if (status !== 200) throw new Error(`${status} for ${targets[at]}`);
    }
  };
  await Promise.all([client(), client()]);
  return (cpuOf(server.pid) - begun) / targets.length;
}

const [starts, rounds, block] = [values.starts, values.rounds, values.block].map(Number);
const dists = { before, after };
const across = side / tile;
/** The tiles of one row are kept after their first block; on each shift of the grid lie tiles that nobody has asked for. */
const kinds = {
  "tile at 1/1, made": (round, i) => {
    const at = round * block + i;
    const shift = Math.floor(at / across ** 2); // by 16 pixels, the grid of coded blocks
    const x = (at % across) * tile + 16 * (shift % 16);
    const y = (Math.floor(at / across) % across) * tile + 16 * (Math.floor(shift / 16) % 16);
    const region = [Math.min(x, side - tile), Math.min(y, side - tile), tile, tile];
    return `/iiif/3/a.jpg/${region}/${tile},/0/default.jpg`;
  },
  "tile at 1/1, kept": (_round, i) =>
    `/iiif/3/a.jpg/${(i % across) * tile},0,${tile},${tile}/${tile},/0/default.jpg`,
  "image information": () => "/iiif/3/a.jpg/info.json",
};

/** How fast a process turns out differs from start to start: both are started several times, the other first each time. */
const costs = Object.fromEntries(Object.keys(kinds).map((name) => [name, { before: [], after: [] }]));
try {
  for (let nth = 0; nth < starts; nth++) {
    const order = nth % 2 === 0 ? ["before", "after"] : ["after", "before"];
    const servers = {};
    for (const which of order) servers[which] = await start(dists[which], which === order[0] ? 18431 : 18432);
    for (const [name, target] of Object.entries(kinds)) {
      const length = name === "tile at 1/1, made" ? block : 4 * block;
      for (let round = -2; round < rounds; round++) {
        const targets = Array.from({ length }, (_, i) => target(round + 2, i));
        for (const which of round % 2 === 0 ? order : order.toReversed()) {
          const ms = await cost(servers[which], targets);
          if (round >= 0) costs[name][which].push(ms); // the first two warm up
        }
      }
    }
    for (const { server, agent } of Object.values(servers)) {
      agent.destroy();
      const ended = new Promise((resolve) => server.once("exit", resolve));
      server.kill();
      await ended;
    }
  }
  const rows = Object.entries(costs).map(([name, { before: old, after: changed }]) => {
    const ratios = changed.map((ms, i) => ms / old[i]);
    const spread = [0.25, 0.75].map((q) => quantile(ratios, q).toFixed(3)).join(" to ");
    return [name, figure(median(old)), figure(median(changed)), median(ratios).toFixed(3), spread];
  });
  console.log(table(["answer", "before, CPU ms", "after, CPU ms", "ratio", "middle half"], rows, 1));
} finally {
  rmSync(folder, { recursive: true, maxRetries: 5 });
}
