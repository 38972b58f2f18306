// Measures what the first requests of a process cost: the first one, and those after it.
//
//   npm run build && node bench/sources.mjs --sizes 24 --forms baseline && node bench/first-request.mjs
//     [--runs 9] [--waits 0,2000,session] [--first tile,info] [--master FILE] [--each]
//     [--programs dist/main.js,../before/dist/main.js]
//
// Each process serves one picture with empty caches. After it has said what it serves, it is left alone for a
// wait (ms), then asked for a mix: image information, tiles at 1/1 to 1/8 and thumbnails, none of them twice.
// A wait of 0 leaves no time for the warm-up; "session" instead of a wait stands for 300 requests for another
// picture, which show what is left for a warm-up to gain. The cost of a request is the CPU time of the whole
// process until its response has arrived, and until the process has been idle again, so that it includes what
// the service does later. Prints medians over the processes; `--each` prints every request. Linux only.

import { spawn } from "node:child_process";
import { constants, copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import sharp from "sharp";
import { figure, mean, median, table } from "./lib/numbers.mjs";
import { exactUsage, nodeFlags, nodeVariables, resident, spentExactly } from "./lib/processes.mjs";
import { freePort } from "./lib/servers.mjs";

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "9" },
    waits: { type: "string", default: "0,2000,session" },
    first: { type: "string", default: "tile,info" },
    programs: { type: "string", default: "dist/main.js" },
    master: { type: "string", default: "node_modules/.cache/bench/24mp-baseline.jpg" },
    each: { type: "boolean", default: false },
  },
});
const { width, height } = await sharp(values.master).metadata();
const requests = 20;
/** The picture of a session, a little smaller so that no cache takes it for the picture that is measured. */
const cropped = await sharp(values.master)
  .extract({ left: 16, top: 16, width: width - 16, height: height - 16 })
  .jpeg({ quality: 90 })
  .toBuffer();

/** Returns the path of tile `n` at 1/`scale`, each at another position, aligned to blocks of the file. */
function tile(scale, n) {
  const side = 512 * scale;
  const step = 16 * scale;
  const at = (most, share) => Math.floor((Math.max(0, most - side) * ((n * share + 0.4) % 1)) / step) * step;
  return `${at(width, 0.618)},${at(height, 0.382)},${side},${side}/512,/0/default.jpg`;
}

/** The kinds of requests in the mix, each with the path of its n-th request. */
const kinds = {
  info: () => "info.json",
  tile: (n) => tile(1, n),
  "1/2": (n) => tile(2, n),
  "1/4": (n) => tile(4, n),
  "1/8": (n) => tile(8, n),
  thumbnail: (n) => `full/${200 + n},/0/default.jpg`,
};

/** Returns the kinds of all requests in order. */
function mix(first) {
  const names = Object.keys(kinds);
  return Array.from({ length: requests }, (_, n) => (n === 0 ? first : names[(n - 1) % names.length]));
}

function get(url, agent) {
  return new Promise((resolve, reject) => {
    http
      .get(url, { agent }, (response) => {
        response.resume();
        response.on("end", () =>
          response.statusCode === 200 ? resolve() : reject(new Error(`${response.statusCode} ${url}`)),
        );
      })
      .on("error", reject);
  });
}

/** Returns the reading of a process once it has used nearly no CPU time for 40 ms. */
async function whenIdle(pid) {
  let last = exactUsage(pid);
  for (const end = Date.now() + 5000; Date.now() < end; ) {
    await pause(40);
    const now = exactUsage(pid);
    if (spentExactly(last, now) < 0.3) return now;
    last = now;
  }
  return last;
}

/** Returns the CPU and wall milliseconds of each request of a fresh process, and its memory before them. */
async function measure({ program, wait, first }) {
  const place = mkdtempSync(join(tmpdir(), "smalti-first-"));
  copyFileSync(values.master, join(place, "picture.jpg"), constants.COPYFILE_FICLONE);
  // Not the same bytes, since caches know equal ones again.
  if (wait === "session") writeFileSync(join(place, "other.jpg"), cropped);
  const port = await freePort();
  const config = join(place, "smalti.yaml");
  const sources = [{ name: "files", type: "filesystem", root: "." }];
  writeFileSync(config, JSON.stringify({ addr: `127.0.0.1:${port}`, sources }));
  const server = spawn(process.execPath, [...nodeFlags, program, "-config", config], {
    stdio: ["ignore", "pipe", "ignore"],
    env: { ...process.env, ...nodeVariables, XDG_CACHE_HOME: join(place, "cache") },
  });
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  try {
    await new Promise((done, fail) => {
      server.stdout.once("data", done);
      server.once("exit", () => fail(new Error(`${program} did not come up`)));
    });
    server.stdout.resume();
    const ask = (name, kind, n) => get(`http://127.0.0.1:${port}/iiif/3/${name}/${kinds[kind](n)}`, agent);
    if (wait === "session") for (let n = 0; n < 300; n++) await ask("other.jpg", mix(first)[n % requests], n);
    await pause(wait === "session" ? 500 : Number(wait));
    const held = resident(server.pid) / 2 ** 20;
    const costs = [];
    let before = exactUsage(server.pid);
    const start = before.cpu;
    for (const [n, kind] of mix(first).entries()) {
      const began = performance.now();
      await ask("picture.jpg", kind, n);
      const ms = performance.now() - began;
      const soon = spentExactly(before, exactUsage(server.pid));
      const after = await whenIdle(server.pid);
      costs.push({ soon, cpu: spentExactly(before, after), ms });
      before = after;
    }
    return { costs, held, start };
  } finally {
    agent.destroy();
    server.kill("SIGKILL");
    await new Promise((done) =>
      (server.exitCode ?? server.signalCode) !== null ? done() : server.once("exit", done),
    );
    rmSync(place, { recursive: true, force: true, maxRetries: 5 });
  }
}

const cases = values.programs
  .split(",")
  .flatMap((program) =>
    values.first
      .split(",")
      .flatMap((first) => values.waits.split(",").map((wait) => ({ program, first, wait, runs: [] }))),
  );
for (let n = 0; n < Number(values.runs); n++) for (const each of cases) each.runs.push(await measure(each));

/** Returns the medians over the processes of what each request cost. */
const medians = (runs, what) =>
  Array.from({ length: requests }, (_, n) => median(runs.map(({ costs }) => costs[n][what])));

const heading = [
  "program",
  "first",
  "wait",
  "ms",
  "CPU",
  "until idle",
  "2 to 20: ms",
  "CPU",
  "most",
  "until idle",
  "most",
];
console.log(
  table(
    [...heading, "MB before", "CPU before"],
    cases.map(({ program, wait, first, runs }) => {
      const [[ms, ...laterMs], [soon, ...laterSoon], [cpu, ...later]] = ["ms", "soon", "cpu"].map((what) =>
        medians(runs, what),
      );
      const middle = [
        median(laterMs),
        mean(laterSoon),
        Math.max(...laterSoon),
        mean(later),
        Math.max(...later),
      ];
      const before = ["held", "start"].map((what) => median(runs.map((run) => run[what])));
      return [program, first, wait, ms, soon, cpu, ...middle, ...before];
    }),
    3,
  ),
);
if (values.each)
  for (const { program, wait, first, runs } of cases)
    for (const what of ["soon", "cpu"]) {
      const line = medians(runs, what).map((cpu, n) => `${mix(first)[n]} ${figure(cpu)}`);
      console.log(`\n${program}, ${first} first, ${wait}, ${what}: ${line.join(", ")}`);
    }
