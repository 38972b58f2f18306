// What does a change cost an answer? Two builds of the service side by side, their requests in turn: CPU per answer and the ratio.
// node bench/change.mjs DIST_BEFORE DIST_AFTER [--rounds 30] [--block 400]: folders as `npm run build` makes them.

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
  options: { rounds: { type: "string", default: "30" }, block: { type: "string", default: "400" } },
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

const rounds = Number(values.rounds);
const block = Number(values.block);
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

const servers = { before: await start(before, 18431), after: await start(after, 18432) };
try {
  const rows = [];
  for (const [name, target] of Object.entries(kinds)) {
    const costs = { before: [], after: [] };
    for (let round = -2; round < rounds; round++) {
      const length = name === "tile at 1/1, made" ? block : 4 * block;
      const targets = Array.from({ length }, (_, i) => target(round + 2, i));
      const order = round % 2 === 0 ? ["before", "after"] : ["after", "before"];
      for (const which of order) {
        const ms = await cost(servers[which], targets);
        if (round >= 0) costs[which].push(ms); // the first two warm up
      }
    }
    const ratios = costs.after.map((ms, i) => ms / costs.before[i]);
    rows.push([
      name,
      figure(median(costs.before)),
      figure(median(costs.after)),
      median(ratios).toFixed(3),
      `${quantile(ratios, 0.25).toFixed(3)} to ${quantile(ratios, 0.75).toFixed(3)}`,
    ]);
  }
  console.log(table(["answer", "before, CPU ms", "after, CPU ms", "ratio", "middle half"], rows, 1));
} finally {
  for (const { server } of Object.values(servers)) server.kill();
  rmSync(folder, { recursive: true, maxRetries: 5 });
}
