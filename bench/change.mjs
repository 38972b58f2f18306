// Measures what a change costs per response. Processes of two builds run in parallel and take turns with
// requests: those of `figures.mjs` and the cheapest ones. Prints CPU time per response, responses per second
// for six clients, memory, the first tile of an unseen file, and the ratio of each, after / before, with two
// standard errors.
//
//   node bench/change.mjs DIST_BEFORE DIST_AFTER [--processes 12] [--rounds 12] [--warm 5000] [--unseen 3] [--pictures A,B] [--only TITLE] [--processor 0]
//
// The folders are as `npm run build` makes them; the pictures are as `sources.mjs` makes them, else noise of
// 4096 by 4096. Two processes of the same build differ by some percent for as long as they run, depending on
// how V8 compiles and places their code. More processes therefore improve the result; more rounds do not.
// Code that is not compiled yet costs twice as much and varies more, hence the long warm-up. The lower
// quartile of a process's rounds counts, since other work on a machine only makes code slower. Occasional
// work, such as garbage collection and recompilation, counts only in the long session: the mean of thousands
// of responses. `--processor` pins all processes to one processor, and `taskset -c 1 node bench/change.mjs`
// pins this script to another (Linux); that halves the differences between processes.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import sharp from "sharp";
import { figure, mean, quantile, table } from "./lib/numbers.mjs";
import { machine, pictureSize } from "./lib/options.mjs";
import { threadTimes, usage } from "./lib/processes.mjs";
import { pass } from "./lib/replay.mjs";
import { start } from "./lib/servers.mjs";
import { gridTiles, sample, scaleFactors, session } from "./lib/session.mjs";
import { firstContact } from "./lib/unseen.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    processes: { type: "string", default: "12" },
    rounds: { type: "string", default: "12" },
    warm: { type: "string", default: "5000" },
    unseen: { type: "string", default: "3" },
    only: { type: "string", default: "" },
    sources: { type: "string" },
    processor: { type: "string" },
    pictures: { type: "string", default: "noise.jpg" },
  },
});
const [before, after] = positionals.map((folder) => resolve(folder, "main.js"));
if (!before || !after)
  throw new Error("expected two folders: the build before the change, and the one after it");
const { processes, rounds, warm, unseen } = Object.fromEntries(
  ["processes", "rounds", "warm", "unseen"].map((name) => [name, Number(values[name])]),
);

const own = values.sources ? undefined : mkdtempSync(join(tmpdir(), "smalti-change-"));
const options = {
  before,
  program: after,
  sources: resolve(values.sources ?? own),
  cache: { render: "none", info: "heap", origin: "filesystem" },
  tile: 512,
  processor: values.processor,
};
if (own) {
  const grain = { type: "gaussian", mean: 128, sigma: 20 };
  await sharp({ create: { width: 4096, height: 4096, channels: 3, noise: grain, background: "#888" } })
    .blur(2)
    .jpeg({ quality: 90 })
    .toFile(join(own, "noise.jpg"));
}

/** One name for each process, of both builds in turn. */
const names = Array.from({ length: processes }, (_, i) =>
  i % 2 === 0 ? ["before", "smalti"] : ["smalti", "before"],
).flat();

/** Responses of a process before the next one takes its turn, and responses of a long session. */
const blockLength = 60;
const longLength = 3000;

/** Returns the kinds of requests: a title, the requests, and how many run concurrently. */
function kindsOf(size) {
  const walk = sample(session(size, { tile: options.tile, seed: 1 }), blockLength);
  const block = (requests) => repeated(requests, blockLength);
  return [
    ["session", walk, 1],
    ["session, 6 clients", walk, 6],
    ...scaleFactors(size, options.tile).map((factor) => [
      `tiles at 1/${factor}`,
      block(gridTiles(size, options.tile, factor, blockLength)),
      1,
    ]),
    ["image information", Array(200).fill({ kind: "info", factor: "info", path: "info.json" }), 1],
  ].filter(([title]) => title.startsWith(values.only));
}

const repeated = (requests, length) => Array.from({ length }, (_, i) => requests[i % requests.length]);

/** Returns CPU microseconds per response, responses per second, and the median in milliseconds. */
async function cost(server, picture, requests, concurrency, seconds = 30) {
  const total = () => [...threadTimes(server.pid).values()].reduce((sum, ns) => sum + ns, 0);
  const begun = total();
  const { answers, faults, perSecond, p50 } = await pass(server, picture, requests, {
    concurrency,
    seconds,
  });
  if (answers === 0 || Object.keys(faults).length > 0)
    throw new Error(`${server.name}: ${JSON.stringify(faults)}`);
  return { cpu: (total() - begun) / answers / 1e3, perSecond, p50 };
}

/**
 * Runs all processes together, warmed up. Returns the cost of their better rounds for each kind, and their
 * largest memory.
 */
async function run(picture, kinds) {
  const servers = [];
  try {
    for (const name of names) servers.push(await start(name, options));
    const blocks = servers.map(() => kinds.map(() => []));
    const least = Math.ceil(warm / kinds.reduce((sum, [, requests]) => sum + requests.length, 0));
    for (let round = -least; round < rounds; round++)
      for (const [i, [, requests, concurrency]] of kinds.entries())
        for (const n of round % 2 === 0 ? servers.keys() : [...servers.keys()].reverse()) {
          const block = await cost(servers[n], picture, requests, concurrency);
          if (round >= 0) blocks[n][i].push(block);
        }
    const column = (list, key) => list.map((each) => each[key]);
    return servers.map((server, n) => ({
      name: server.name,
      peak: usage(server.pid)?.peak / 1e6,
      kinds: blocks[n].map((list) => ({
        cpu: quantile(column(list, "cpu"), 0.25),
        perSecond: quantile(column(list, "perSecond"), 0.75),
        p50: quantile(column(list, "p50"), 0.25),
      })),
    }));
  } finally {
    for (const server of servers) await server.stop();
  }
}

/** Runs the processes one after another, alone. Returns the mean cost of a response in a long session. */
async function longSessions(picture, size) {
  const requests = session(size, { tile: options.tile, seed: 1 });
  const results = [];
  for (const name of names) {
    const server = await start(name, options);
    try {
      if (warm > 0) await cost(server, picture, repeated(requests, warm), 1, 120);
      results.push({ name, ...(await cost(server, picture, repeated(requests, longLength), 1, 120)) });
    } finally {
      await server.stop();
    }
  }
  return results;
}

/**
 * A row of the table: geometric means over the processes of each build, their ratio, and two standard errors
 * of that.
 */
function row(title, results, read) {
  const [old, changed] = ["before", "smalti"].map((name) => {
    const logs = results.filter((each) => each.name === name).map((each) => Math.log(read(each)));
    const middle = mean(logs);
    const variance = logs.reduce((sum, log) => sum + (log - middle) ** 2, 0) / (logs.length - 1);
    return { middle, error: variance / logs.length };
  });
  return [
    title,
    figure(Math.exp(old.middle)),
    figure(Math.exp(changed.middle)),
    Math.exp(changed.middle - old.middle).toFixed(3),
    `± ${(2 * Math.sqrt(old.error + changed.error)).toFixed(3)}`,
  ];
}

console.log(machine());
try {
  for (const picture of values.pictures.split(",")) {
    const size = await pictureSize(options, picture);
    const kinds = kindsOf(size);
    const results = kinds.length > 0 ? await run(picture, kinds) : [];
    const rows = kinds.flatMap(([title, , concurrency], i) => {
      const cpu = row(`${title}: CPU us`, results, ({ kinds }) => kinds[i].cpu);
      if (title === "session") return [cpu, row(`${title}: p50 ms`, results, ({ kinds }) => kinds[i].p50)];
      if (concurrency === 1) return [cpu];
      return [cpu, row(`${title}: answers/s`, results, ({ kinds }) => kinds[i].perSecond)];
    });
    if (kinds.length > 0) rows.push(row("peak MB", results, ({ peak }) => peak));
    if ("long session".startsWith(values.only))
      rows.push(row("long session: CPU us", await longSessions(picture, size), ({ cpu }) => cpu));
    if (unseen > 0) {
      const contacts = (
        await firstContact(names, picture, size, { ...options, count: unseen, warm: 300 })
      ).map(({ server, ...figures }) => ({ name: server, ...figures }));
      rows.push(row("unseen file: first ms", contacts, ({ first }) => first));
      rows.push(row("unseen file: CPU ms", contacts, ({ cpu }) => cpu));
    }
    console.log(
      `\n${picture}, ${size.width} x ${size.height}, ${processes} processes of each build, ${rounds} rounds`,
    );
    console.log(table(["", "before", "after", "after / before", "two standard errors"], rows, 1));
  }
} finally {
  if (own) rmSync(own, { recursive: true, maxRetries: 5 });
}
