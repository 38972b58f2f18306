// Measures what a tile costs more when the service says all that it can of itself: log lines, metrics that are scraped, Server-Timing,
// traces to a collector that answers or is dead, reports of errors. Instructions by perf, in alternating order: those of the whole process,
// and of its main thread, where all of this is done. Processes that do the same differ by some 3 % (see "off, once more"), so that each
// start is one sample; what they differ by is in their workers mostly.
//
//   npm run build && node bench/observing.mjs [--tiles 300] [--rounds 5] [--warm 1500] [--starts 1] [--master FILE] [--kept]
//
//   --master: a JPEG; else noise of 6144 by 4096, whose tiles are cut from the file without loss, or rendered to 256 pixels (one in three)
//   --rendered: all tiles are rendered      --kept: tiles that the render slot holds

import { spawn } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import sharp from "sharp";

const { values } = parseArgs({
  options: {
    tiles: { type: "string", default: "300" },
    warm: { type: "string", default: "1500" },
    rounds: { type: "string", default: "5" },
    starts: { type: "string", default: "1" },
    master: { type: "string" },
    rendered: { type: "boolean", default: false },
    kept: { type: "boolean", default: false },
  },
});
const [tiles, rounds] = [Number(values.tiles), Number(values.rounds)];
const folder = mkdtempSync(join(tmpdir(), "smalti-observing-"));
mkdirSync(join(folder, "images"));
const master = join(folder, "images", "noise.jpg");
if (values.master) copyFileSync(values.master, master);
else
  await sharp({
    create: {
      width: 6144,
      height: 4096,
      channels: 3,
      background: "gray",
      noise: { type: "gaussian", mean: 128, sigma: 20 },
    },
  })
    .jpeg({ quality: 85 })
    .toFile(master);
const { width, height } = await sharp(master).metadata();

const collector = createServer((request, response) => {
  request.resume();
  request.on("end", () => response.writeHead(200, { "Content-Type": "application/json" }).end("{}"));
});
await new Promise((resolve) => collector.listen(0, "127.0.0.1", resolve));
const live = `http://127.0.0.1:${collector.address().port}`;
/** Takes connections and never answers. */
const hanging = createServer(() => {});
await new Promise((resolve) => hanging.listen(0, "127.0.0.1", resolve));
const dead = `http://127.0.0.1:${hanging.address().port}`;

const all = (otlp) => `log: { requests: true, format: json }
metrics: { enabled: true }
http: { server_timing: true }
errors: { report_url: "${otlp}/errors" }
tracing: { otlp_endpoint: "${otlp}" }
`;
const variants = {
  off: "log: { requests: false }\n",
  /** Shows how much two servers differ that do the same. */
  "off, once more": "log: { requests: false }\n",
  log: "log: { requests: true }\n",
  all: all(live),
  "all, dead collector": all(dead),
};

let port = 18_000 + (process.pid % 1000);

/** Starts a server for each variant, in a process of its own. */
function startServers() {
  return Object.entries(variants).map(([name, config]) => {
    port++;
    const slot = values.kept ? "{ backend: heap }" : "{ backend: none }";
    const file = join(folder, `${port}.yaml`);
    writeFileSync(
      file,
      `addr: "127.0.0.1:${port}"\nsources: [{ name: images, type: filesystem, root: ${join(folder, "images")} }]\ncache: { render: ${slot}, origin: { backend: heap } }\n${config}`,
    );
    const err = openSync(join(folder, `${port}.log`), "w");
    const child = spawn(process.execPath, ["--max-semi-space-size=4", "dist/main.js", "-config", file], {
      stdio: ["ignore", "ignore", err],
    });
    return { name, url: `http://127.0.0.1:${port}`, child, samples: [], main: [] };
  });
}

const columns = Math.floor(width / 512);
const targets = Array.from({ length: columns * Math.floor(height / 512) }, (_, i) => {
  const [x, y] = [(i % columns) * 512, Math.floor(i / columns) * 512];
  const size = values.rendered || i % 3 === 0 ? "256,256" : "512,512";
  return `/iiif/3/noise.jpg/${x},${y},512,512/${size}/0/default.jpg`;
});
async function ask({ url }, count) {
  for (let i = 0; i < count; i++) await (await fetch(url + targets[i % targets.length])).arrayBuffer();
}

/** Instructions of a process with its threads while `act` runs, and of its main thread. */
async function instructions({ child }, act) {
  const args = ["stat", "--per-thread", "-x,", "-e", "instructions:u", "-p", String(child.pid)];
  const perf = spawn("perf", args, { stdio: ["ignore", "ignore", "pipe"] });
  let text = "";
  perf.stderr.on("data", (part) => (text += part));
  await new Promise((resolve) => setTimeout(resolve, 300)); // until it counts
  await act();
  perf.kill("SIGINT");
  await new Promise((resolve) => perf.on("exit", resolve));
  const threads = text.split("\n").map((line) => line.split(","));
  const sum = (list) => list.reduce((total, [, count]) => total + (Number(count) || 0), 0);
  return { all: sum(threads), main: sum(threads.filter(([name]) => name.endsWith(`-${child.pid}`))) };
}

const median = (list) => {
  const sorted = list.toSorted((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
};

/** Of each start: instructions of a tile by variant, the median of its rounds. */
const starts = [];
for (let start = 0; start < Number(values.starts); start++) {
  const servers = startServers();
  for (const server of servers) {
    for (let tries = 0; ; tries++) {
      const up = await fetch(`${server.url}/health`).catch(() => undefined);
      if (up?.ok) break;
      if (tries > 200) throw new Error("a server does not start");
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await ask(server, Number(values.warm));
  }
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? servers : servers.toReversed();
    for (const server of order) {
      const counted = await instructions(server, async () => {
        await ask(server, tiles / 2);
        if (server.name.startsWith("all")) await (await fetch(`${server.url}/metrics`)).text();
        await ask(server, tiles / 2);
      });
      server.samples.push(counted.all / tiles);
      server.main.push(counted.main / tiles);
    }
  }
  starts.push(servers.map(({ samples, main }) => ({ all: median(samples), main: median(main) })));
  for (const { child } of servers) child.kill("SIGKILL");
}

const millions = (value) => `${(value / 1e6).toFixed(3)} M`;
const percent = (share) => `${(share * 100).toFixed(2)} %`;
console.log(
  `instructions of a ${values.kept ? "kept" : "rendered"} tile, medians of ${rounds} rounds of ${tiles} tiles, ${starts.length} starts`,
);
for (const [i, name] of Object.keys(variants).entries()) {
  const over = starts.map((start) => start[i].all / start[0].all - 1);
  // What the main thread does more, as a share of the whole tile.
  const more = starts.map((start) => (start[i].main - start[0].main) / start[0].all);
  const all = millions(median(starts.map((start) => start[i].all)));
  const main = millions(median(starts.map((start) => start[i].main)));
  console.log(
    `${name.padEnd(20)} ${all}  ${percent(median(over)).padStart(8)} over off   main thread ${main}, ${percent(median(more)).padStart(7)} of a tile more   (starts: ${over.map(percent).join(", ")}; main ${more.map(percent).join(", ")})`,
  );
}
collector.closeAllConnections();
collector.close();
hanging.closeAllConnections();
hanging.close();
rmSync(folder, { recursive: true, maxRetries: 5 });
