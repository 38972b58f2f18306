// Measures the extra cost of a tile under full observation: log lines, scraped metrics, Server-Timing, traces
// to a working or dead collector, error reports; and what it costs to tell readers from crawlers. CPU time by
// the kernel's clock of each thread, in nanoseconds.
//
// Equal processes differ by up to 10 %, depending on how V8 compiles and places their code. The compared
// services are therefore two in one process, requested in turn: what they share costs the same. Their render
// workers do the same work in all variants and are left out of the difference, but not of the total that it
// is a share of. Each service is the first in one of two starts, and the mean of such a pair counts as one
// figure. "off, once more" shows how far the figures can be trusted.
//
//   npm run build && node bench/observing.mjs [--tiles 500] [--rounds 8] [--warm 6000] [--pairs 4] [--only all] [--processor 0] [--master FILE] [--kept] [--rendered | --session] [--networks N]
//
//   --master: a JPEG; by default noise of 6144 by 4096, whose tiles are lossless crops, or rendered to 256 pixels (one in three)
//   --rendered: all tiles are rendered      --kept: tiles that the render slot holds      --session: tiles of all scales, as a viewer requests them
//   --networks: the requests are those of browsers in N networks, as a proxy passes them on
//   --only: a variant to compare with "off", may be repeated; by default all of them
//   --processor: pins the services to this one (Linux), which reduces differences; `taskset -c 1 node bench/observing.mjs` pins this script to another

import { spawn } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import sharp from "sharp";
import { listening } from "./lib/http.mjs";
import { figure, mean, median, table } from "./lib/numbers.mjs";
import { nodeFlags, threadTimes } from "./lib/processes.mjs";
import { session } from "./lib/session.mjs";

const { values } = parseArgs({
  options: {
    // More than fits into one export of traces: the rest of a block goes with the next one of the same
    // service, if that comes within 5 s.
    tiles: { type: "string", default: "500" },
    warm: { type: "string", default: "6000" },
    rounds: { type: "string", default: "8" },
    pairs: { type: "string", default: "4" },
    master: { type: "string" },
    rendered: { type: "boolean", default: false },
    session: { type: "boolean", default: false },
    kept: { type: "boolean", default: false },
    only: { type: "string", multiple: true },
    processor: { type: "string" },
    networks: { type: "string", default: "0" },
    program: { type: "string", default: "dist/program.js" },
  },
});
if (values.session && values.rendered) throw new Error("expected --session or --rendered, not both");
const [tiles, rounds, networks] = [Number(values.tiles), Number(values.rounds), Number(values.networks)];
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
/** Accepts connections and never responds. */
const hanging = createServer(() => {});
await new Promise((resolve) => hanging.listen(0, "127.0.0.1", resolve));
const dead = `http://127.0.0.1:${hanging.address().port}`;

/** The kinds of observation, each as the configuration lines that enable it. */
const kinds = (otlp) => ({
  log: "log: { requests: true, format: json }\n",
  metrics: "metrics: { enabled: true }\n",
  timing: "http: { server_timing: true }\n",
  reports: `errors: { report_url: "${otlp}/errors" }\n`,
  traces: `tracing: { otlp_endpoint: "${otlp}" }\n`,
});
const off = "log: { requests: false }\n";
const { log, metrics, timing, traces } = kinds(live);
const variants = {
  off,
  /** Shows how much two servers differ that do the same. */
  "off, once more": off,
  log,
  metrics: off + metrics,
  timing: off + timing,
  traces: off + traces,
  all: Object.values(kinds(live)).join(""),
  "all, dead collector": Object.values(kinds(dead)).join(""),
  "crawlers: observe": `${off}crawlers: { mode: observe }\n`,
  "crawlers: limit": `${off}crawlers: { mode: limit }\n`,
};
/** Variants that are scraped after each round, which is measured separately. */
const scraped = new Set(Object.keys(variants).filter((name) => variants[name].includes(metrics)));

/** Running child processes. */
const children = new Set();
process.once("exit", () => {
  for (const child of children) child.kill("SIGKILL");
});

let port = 18_000 + (process.pid % 1000);

/**
 * Runs the program once for each configuration, in this one process. It is a file because render workers
 * inherit the flags of the process, and no code from the command line. Each copy of the HTTP adapter installs
 * its own class Response, which the other copies also use for responses, and recognises its instances by a
 * symbol. The symbol has to be shared, or all services but the last send through streams, which costs 0.1 ms.
 */
const several = join(folder, "several.mjs");
writeFileSync(
  several,
  `const [, , program, ...files] = process.argv;
const { Symbol } = globalThis;
globalThis.Symbol = new Proxy(Symbol, { apply: (_, __, [name]) => (name === "cache" ? Symbol.for(name) : Symbol(name)) });
for (const [i, file] of files.entries()) {
  process.argv = [process.execPath, program, "-config", file];
  await import(program + "?" + i);
}`,
);

/** Starts the services of some variants in one process, and waits for each. */
async function startTogether(names) {
  const services = names.map((name) => {
    port++;
    const slot = values.kept ? "{ backend: heap }" : "{ backend: none }";
    const file = join(folder, `${port}.yaml`);
    writeFileSync(
      file,
      `addr: "127.0.0.1:${port}"\nsources: [{ name: images, type: filesystem, root: ${join(folder, "images")} }]\nimage: { max_concurrent: 1 }\ntrusted_proxies: ["127.0.0.1"]\ncache: { render: ${slot}, origin: { backend: heap } }\n${variants[name]}`,
    );
    return { name, file, url: `http://127.0.0.1:${port}` };
  });
  const err = openSync(join(folder, `${port}.log`), "w");
  const program = pathToFileURL(resolve(values.program)).href;
  const files = services.map(({ file }) => file);
  const command = [process.execPath, ...nodeFlags, several, program, ...files];
  const [run, ...rest] = values.processor ? ["taskset", "-c", values.processor, ...command] : command;
  const child = spawn(run, rest, { stdio: ["ignore", "ignore", err] });
  children.add(child);
  for (const { url } of services)
    if (!(await listening(`${url}/health`, () => child.exitCode === null)))
      throw new Error(`a service does not start: see ${folder}`);
  return { child, services };
}

/** Region and size of every tile at full resolution, some of them made smaller. */
function gridTiles() {
  const columns = Math.floor(width / 512);
  return Array.from({ length: columns * Math.floor(height / 512) }, (_, i) => {
    const [x, y] = [(i % columns) * 512, Math.floor(i / columns) * 512];
    return `${x},${y},512,512/${values.rendered || i % 3 === 0 ? "256,256" : "512,512"}/0/default.jpg`;
  });
}
const sessionTiles = () =>
  session({ width, height }).flatMap(({ kind, path }) => (kind === "tile" ? path : []));
const targets = (values.session ? sessionTiles() : gridTiles()).map((path) => `/iiif/3/noise.jpg/${path}`);

const browser =
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36";

/** Headers of request number `at`: none, or those of a browser in one of the networks. */
function headersOf(at) {
  if (networks === 0) return {};
  const network = at % networks;
  return {
    "User-Agent": browser,
    Referer: "https://www.example.org/",
    "X-Forwarded-For": `10.${(network >> 8) & 255}.${network & 255}.7`,
  };
}

async function ask({ url }, count) {
  for (let i = 0; i < count; i++) {
    const response = await fetch(url + targets[i % targets.length], { headers: headersOf(i) });
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`status ${response.status}: see ${folder}`);
  }
}

/**
 * Sends the other requests of a service. V8 has compiled no other code in a service that has only sent
 * pictures, and recompiles much of it for more cases once it is scraped.
 */
async function askOthers({ url }) {
  for (const path of ["/health", "/iiif/3/noise.jpg/info.json", "/", "/nothing"])
    await (await fetch(url + path)).arrayBuffer();
}

const scrape = async ({ url }) => (await fetch(`${url}/metrics`)).text();

/**
 * CPU microseconds that a process uses while `act` runs: its whole, and that without the threads `workers`.
 */
async function spent(pid, workers, act) {
  const before = threadTimes(pid);
  await act();
  const after = threadTimes(pid);
  const used = [...after].map(([thread, ns]) => [thread, (ns - (before.get(thread) ?? 0)) / 1e3]);
  const sum = (list) => list.reduce((total, [, us]) => total + us, 0);
  return { whole: sum(used), observer: sum(used.filter(([thread]) => !workers.has(thread))) };
}

/** The threads that have come since, and used the most time: a render worker of each service. */
function workersOf(pid, count) {
  const others = [...threadTimes(pid)].filter(([thread]) => thread !== pid);
  return new Set(
    others
      .sort(([, a], [, b]) => b - a)
      .slice(0, count)
      .map(([thread]) => thread),
  );
}

/** Seconds between scrapes, as in `docs/examples/operations/prometheus.yml`. */
const scrapeSeconds = 15;
/**
 * CPU microseconds of each scrape. Measured separately: one scrape in each block of tiles would be twenty
 * times the rate of Prometheus.
 */
const scrapes = [];
/** Milliseconds of rest after a scrape. */
const scrapeSettling = 100;

/**
 * Returns the milliseconds of rest after the tiles of a service, so that its later writes and exports count
 * as its own.
 */
const settling = (name) => (name.includes("dead") ? 5400 : 400);

/**
 * Extra cost of each variant over the first, as shares of its whole tile: a list for each start, with a
 * figure for each round.
 */
const more = new Map();
const whole = [];
/** Variants that are compared with "off", each in processes of its own. */
const compared = Object.keys(variants).filter(
  (name) => name !== "off" && (values.only?.includes(name) ?? true),
);
for (let start = 0; start < 2 * Number(values.pairs); start++)
  for (const name of compared) {
    const names = ["off", name];
    const { child, services } = await startTogether(start % 2 === 0 ? names : names.toReversed());
    for (let warmed = 0; warmed < Number(values.warm); warmed += targets.length)
      for (const service of services) {
        await ask(service, targets.length);
        await askOthers(service);
        if (scraped.has(service.name)) await scrape(service);
      }
    const workers = workersOf(child.pid, services.length);
    for (let round = 0; round < rounds; round++) {
      const order = services.map((_, i) => services[(i + round) % services.length]);
      const costs = {};
      for (const service of order)
        costs[service.name] = await spent(child.pid, workers, async () => {
          await ask(service, tiles);
          await new Promise((done) => setTimeout(done, settling(service.name)));
        });
      let share = (costs[name].observer - costs.off.observer) / costs.off.whole;
      for (const service of services.filter((each) => scraped.has(each.name))) {
        const { observer } = await spent(child.pid, workers, async () => {
          await scrape(service);
          await new Promise((done) => setTimeout(done, scrapeSettling));
        });
        scrapes.push(observer);
        // While it is busy with tiles all the time, which those figures are of.
        share += observer / (scrapeSeconds * 1e6);
      }
      whole.push(costs.off.whole / tiles);
      if (round === 0) more.set(name, [...(more.get(name) ?? []), []]);
      more.get(name).at(-1).push(share);
    }
    child.kill("SIGKILL");
    children.delete(child);
  }

const percent = (share) => `${(share * 100).toFixed(2)} %`;
const tile = `${values.kept ? "kept" : "rendered"} tile`;
console.log(
  `a ${tile} without any of it: ${figure(median(whole))} microseconds of CPU time. What it costs more, of that:`,
);
const rows = [...more].map(([name, starts]) => {
  const pairs = starts.flatMap((rounds, i) => (i % 2 === 1 ? [mean([...starts[i - 1], ...rounds])] : []));
  const middle = mean(pairs);
  const deviation = Math.sqrt(mean(pairs.map((share) => (share - middle) ** 2)) / (pairs.length - 1));
  return [
    name,
    percent(middle),
    pairs.length > 1 ? `± ${percent(2 * deviation)}` : "",
    pairs.map(percent).join(", "),
    starts.map((rounds) => percent(mean(rounds))).join(", "),
  ];
});
console.log(table(["", "mean", "two standard errors", "pairs", "starts"], rows, 1));
if (scrapes.length > 0)
  console.log(
    `A scrape costs ${figure(median(scrapes))} microseconds (median; mean ${figure(mean(scrapes))}). One every ${scrapeSeconds} s is counted.`,
  );
collector.closeAllConnections();
collector.close();
hanging.closeAllConnections();
hanging.close();
rmSync(folder, { recursive: true, maxRetries: 5 });
