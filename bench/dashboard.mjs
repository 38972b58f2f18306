// Measures what 32 open dashboards cost a server, idle and rendering tiles at a steady rate, and what 1,000
// closed ones leave behind. Prints the CPU time of the process and its threads, and their instructions if
// perf is installed, with and without watchers in alternating order.
//
//   npm run build && node bench/dashboard.mjs [--seconds 8] [--rounds 5] [--rate 40]      --rate: tiles per second

import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import sharp from "sharp";
import { nodeFlags, spent, usage } from "./lib/processes.mjs";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "8" },
    rounds: { type: "string", default: "5" },
    rate: { type: "string", default: "40" },
  },
});
const [seconds, rounds, rate] = [values.seconds, values.rounds, values.rate].map(Number);
const folder = mkdtempSync(join(tmpdir(), "smalti-dashboard-"));
mkdirSync(join(folder, "images"));
const noise = { type: "gaussian", mean: 128, sigma: 20 };
await sharp({ create: { width: 6144, height: 4096, channels: 3, background: "gray", noise } })
  .jpeg({ quality: 85 })
  .toFile(join(folder, "images", "noise.jpg"));

const port = 18_000 + (process.pid % 1000);
const file = join(folder, "smalti.yaml");
writeFileSync(
  file,
  `addr: "127.0.0.1:${port}"
log: { requests: false }
sources: [{ name: images, type: filesystem, root: ${join(folder, "images")} }]
cache: { render: { backend: none }, info: { backend: heap }, origin: { backend: heap } }
`,
);
const server = spawn(process.execPath, [...nodeFlags, "dist/main.js", "-config", file], {
  stdio: ["ignore", "ignore", "inherit"],
  env: { ...process.env, SERVICE_ADMIN_USER: "a", SERVICE_ADMIN_PASS: "b" },
});
const base = `http://127.0.0.1:${port}`;
const headers = { Authorization: `Basic ${btoa("a:b")}` };
for (let tries = 0; ; tries++) {
  if ((await fetch(`${base}/health`).catch(() => undefined))?.ok) break;
  if (tries > 200) throw new Error("the server does not start");
  await pause(50);
}

let frames = 0;
let bytes = 0;
/** Opens the given number of streams; returns a function that closes them. */
async function watch(count) {
  const agent = new http.Agent({ maxSockets: count });
  const requests = Array.from(
    { length: count },
    () =>
      new Promise((resolve, reject) => {
        const request = http.get(`${base}/admin/stats/stream`, { headers, agent }, (response) => {
          if (response.statusCode !== 200) return reject(new Error(`status ${response.statusCode}`));
          response.on("error", () => {});
          response.on("data", (part) => {
            frames++;
            bytes += part.length;
            resolve(request);
          });
        });
        request.on("error", () => {});
      }),
  );
  const open = await Promise.all(requests);
  return async () => {
    for (const request of open) request.destroy();
    await pause(100);
  };
}

let asked = 0;
async function ask() {
  const at = asked++ % 96;
  const region = `${(at % 12) * 512},${Math.floor(at / 12) * 512},512,512`;
  const response = await fetch(`${base}/iiif/3/noise.jpg/${region}/512,512/0/default.jpg`);
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`a tile: status ${response.status}`);
}

/**
 * Starts counting the instructions of the server; returns how to end that, which resolves to millions of
 * them.
 */
async function counting() {
  const perf = spawn("perf", ["stat", "-x,", "-e", "instructions:u", "-p", String(server.pid)], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let text = "";
  perf.stderr.on("data", (part) => (text += part));
  const ended = new Promise((resolve) => perf.once("exit", resolve).once("error", resolve));
  await pause(300); // until it counts
  return async () => {
    perf.kill("SIGINT");
    await ended;
    return Number(text.split(",")[0]) / 1e6;
  };
}

/**
 * CPU of the server in percent of one processor, and millions of instructions a second, while it is asked for
 * a fixed number of tiles per second.
 */
async function window(tilesPerSecond) {
  const counted = await counting();
  const [before, began] = [usage(server.pid), performance.now()];
  const answers = [];
  while (performance.now() - began < seconds * 1000) {
    if (tilesPerSecond > 0) answers.push(ask());
    const next = tilesPerSecond > 0 ? (answers.length * 1000) / tilesPerSecond : seconds * 1000;
    await pause(began + next - performance.now());
  }
  await Promise.all(answers);
  const ms = performance.now() - began;
  return {
    cpu: (100 * spent(before, usage(server.pid))) / ms,
    instructions: (1000 * (await counted())) / ms,
  };
}

const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)];
const spread = (list) =>
  `${median(list).toFixed(2)} (${Math.min(...list).toFixed(2)} to ${Math.max(...list).toFixed(2)})`;

for (let i = 0; i < 400; i++) await ask();
for (const [name, tilesPerSecond] of [
  ["idle", 0],
  [`${rate} tiles a second`, rate],
]) {
  const results = { without: [], with: [] };
  for (let round = 0; round < rounds; round++) {
    for (const which of round % 2 === 0 ? ["without", "with"] : ["with", "without"]) {
      const close = which === "with" ? await watch(32) : undefined;
      results[which].push(await window(tilesPerSecond));
      await close?.();
      await pause(300);
    }
  }
  console.log(`${name}, median of ${rounds} windows of ${seconds} s:`);
  for (const [unit, of] of [
    ["% of a processor", ({ cpu }) => cpu],
    ["million instructions a second", ({ instructions }) => instructions],
  ]) {
    const [without, watched] = [results.without.map(of), results.with.map(of)];
    const more = watched.map((each, i) => each - without[i]);
    console.log(
      `  ${unit}: without ${spread(without)}, with 32 dashboards ${spread(watched)}, more ${spread(more)}`,
    );
  }
}
console.log(`a frame has ${Math.round(bytes / frames)} bytes`);

/** Returns the server's memory according to the first frame of a stream. */
async function memory() {
  const reader = (await fetch(`${base}/admin/stats/stream`, { headers })).body.getReader();
  const { value } = await reader.read();
  await reader.cancel();
  return JSON.parse(new TextDecoder().decode(value).slice("data: ".length)).memory;
}
const MiB = (n) => `${(n / 2 ** 20).toFixed(1)} MiB`;
for (let round = 0; round <= 3; round++) {
  const { heap, resident } = await memory();
  console.log(`after ${round * 1000} that came and went: objects ${MiB(heap)}, process ${MiB(resident)}`);
  for (let i = 0; round < 3 && i < 1000; i += 20) await (await watch(20))();
}
server.kill("SIGTERM");
await new Promise((resolve) => server.once("exit", resolve));
rmSync(folder, { recursive: true, maxRetries: 5 });
