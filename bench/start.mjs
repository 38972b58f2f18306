// Measures how quickly the built server is ready, and what the cheapest response costs.
//
//   npm run build && node bench/start.mjs [--runs 9] [--requests 2000]
//
// Prints medians: time from process start to the first image information and the first tile; p50 and p99 of a
// cached info.json at concurrency 1, next to a bare node:http server that sends the same bytes in the same
// run; the size of dist/.

import { spawn } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { Agent, createServer, get } from "node:http";
import { cpus } from "node:os";
import { join } from "node:path";
import { nodeFlags } from "./lib/processes.mjs";

const option = (name, fallback) => Number(process.argv[process.argv.indexOf(`--${name}`) + 1] || fallback);
const runs = process.argv.includes("--runs") ? option("runs", 9) : 9;
const requests = process.argv.includes("--requests") ? option("requests", 2000) : 2000;
const port = 18_900 + Math.floor(Math.random() * 90);
const base = `http://127.0.0.1:${port}`;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const quantile = (values, q) => [...values].sort((a, b) => a - b)[Math.floor(values.length * q)];

function fetchBytes(url, keep = agent) {
  return new Promise((resolve, reject) => {
    get(url, { agent: keep }, (response) => {
      const parts = [];
      response.on("data", (part) => parts.push(part));
      response.on("end", () =>
        response.statusCode === 200
          ? resolve(Buffer.concat(parts))
          : reject(new Error(`${response.statusCode} ${url}`)),
      );
    }).on("error", reject);
  });
}

async function started() {
  const server = spawn(process.execPath, [...nodeFlags, "dist/main.js"], {
    env: { ...process.env, SERVICE_ADDR: `127.0.0.1:${port}` },
    stdio: "ignore",
  });
  const began = performance.now();
  const once = new Agent();
  for (;;) {
    try {
      await fetchBytes(`${base}/iiif/3/sample/info.json`, once);
      break;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
  const info = performance.now() - began;
  await fetchBytes(`${base}/iiif/3/sample/1024,1024,512,512/512,512/0/default.jpg`, once);
  return { server, info, tile: performance.now() - began };
}

async function latencies(url) {
  const times = [];
  for (let n = 0; n < requests + 200; n++) {
    const began = performance.now();
    await fetchBytes(url);
    if (n >= 200) times.push(performance.now() - began);
  }
  return times;
}

const starts = [];
for (let n = 0; n < runs; n++) {
  const { server, info, tile } = await started();
  starts.push({ info, tile });
  server.kill();
  await new Promise((resolve) => server.once("exit", resolve));
}

const { server } = await started();
const body = await fetchBytes(`${base}/iiif/3/sample/info.json`);
const bare = createServer((_, response) => response.end(body)).listen(port + 100, "127.0.0.1");
const own = await latencies(`${base}/iiif/3/sample/info.json`);
const floor = await latencies(`http://127.0.0.1:${port + 100}/`);
server.kill();
bare.close();
agent.destroy();

const size = (folder) =>
  readdirSync(folder, { withFileTypes: true }).reduce(
    (sum, entry) =>
      sum + (entry.isDirectory() ? size(join(folder, entry.name)) : statSync(join(folder, entry.name)).size),
    0,
  );

console.log(`${cpus()[0].model}, ${cpus().length} processors, Node ${process.versions.node}`);
console.log(
  `first info.json from process start: median ${median(starts.map((s) => s.info)).toFixed(0)} ms of ${runs} runs`,
);
console.log(`first tile from process start:      median ${median(starts.map((s) => s.tile)).toFixed(0)} ms`);
console.log(
  `cached info.json, concurrency 1:    p50 ${median(own).toFixed(2)} ms, p99 ${quantile(own, 0.99).toFixed(2)} ms (bare node:http: p50 ${median(floor).toFixed(2)} ms, ratio ${(median(own) / median(floor)).toFixed(1)})`,
);
console.log(`dist:                               ${(size("dist") / 1e6).toFixed(1)} MB`);
