// Measures JPEG 2000: CPU time of a 512 px tile over HTTP, this server and iipsrv in the same run.
//
//   npm run build && node bench/jp2.mjs [--quick] [--pictures NAME,NAME] [--memory] [--rounds 5] [--tiles 12] [--seconds 20]
//     [--sources FOLDER] [--servers smalti,iipsrv] [--strict] [--out FILE]
//
// Needs opj_compress (Debian: libopenjp2-tools), iipsrv (iipimage-server) and nginx. The files are made once,
// in node_modules/.cache/bench/jp2 or --sources. --quick: 2 rounds of 4 tiles. --memory: also the peak memory
// for 100 megapixels at full size. See bench/README.md.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import sharp from "sharp";
import { ask, fault } from "./lib/http.mjs";
import { pictureFile, pictures } from "./lib/jp2-pictures.mjs";
import { figure, mean, median, ratio, table } from "./lib/numbers.mjs";
import { defaultSources, machine, readOptions } from "./lib/options.mjs";
import { exactUsage, spentExactly, usage } from "./lib/processes.mjs";
import { turn, warmUp } from "./lib/replay.mjs";
import { start } from "./lib/servers.mjs";
import { areaRequest, chances, gridTiles, shuffled, tileRequest } from "./lib/session.mjs";
import { copy, quiet } from "./lib/unseen.mjs";

const given = readOptions(
  {
    sources: join(defaultSources, "jp2"),
    rounds: "",
    tiles: "",
    seconds: "20",
    warm: "300",
    seed: "1",
    quick: false,
    memory: false,
    strict: false,
  },
  "smalti,iipsrv",
);
const options = {
  ...given,
  rounds: Number(given.rounds || (given.quick ? 2 : 5)),
  tiles: Number(given.tiles || (given.quick ? 4 : 12)),
  // Enough for decoders that decode the whole picture.
  settings: () => ({ image: { memory_budget: "16GiB", timeout: "300s" } }),
};
const fullSize = "100mp-97-untiled";
const names = given.pictures?.split(",") ?? Object.keys(pictures).filter((name) => name !== fullSize);

/**
 * The request sets, each on its own copy of the picture. A set's first request is one tile that is not among
 * the others.
 */
const sets = {
  "1/1": pairs,
  "1/2": (size, round) => apart(size, 2, 2, 2, round),
  "1/4": (size) => gridTiles(size, options.tile, 4, options.tiles),
  "full to 512": (size) => [wholeRequest(size, 512)],
};
/**
 * Largest mean difference, in levels, between two decoders and encoders: OpenJPEG 2.5.0 returns regions of
 * HTJ2K in gray.
 */
const mostDistance = 3;
const first = "first request";
const neighbour = "next neighbour";

/**
 * Complete tiles of a factor, far enough apart in the grid that no tile between them is
 * decoded for two of them; seeded for each round.
 */
function apart(size, factor, columnStep, rowStep, round) {
  const chance = chances(Number(options.seed) + round);
  const side = options.tile * factor;
  const along = (length, step) => {
    const count = Math.floor(length / side);
    const begin = Math.floor(chance() * Math.min(step, count));
    return Array.from({ length: Math.ceil((count - begin) / step) }, (_, i) => begin + i * step);
  };
  const [columns, rows] = [along(size.width, columnStep), along(size.height, rowStep)];
  const cells = columns.flatMap((column) => rows.map((row) => [column, row]));
  return shuffled(cells, round + 1)
    .slice(0, options.tiles)
    .map(([column, row]) => tileRequest(size, options.tile, factor, column, row));
}

/** Tiles at 1/1, each followed by the one to its right or, at the edge, to its left. */
function pairs(size, round) {
  return apart(size, 1, 3, 2, round).flatMap((request) => {
    const [x, y] = request.region.map((place) => place / options.tile);
    const beside = (x + 2) * options.tile <= size.width ? x + 1 : x - 1;
    return [request, { ...tileRequest(size, options.tile, 1, beside, y), counts: neighbour }];
  });
}

function wholeRequest(size, longer) {
  const [width, height] = [size.width, size.height].map((side) =>
    Math.round((side * longer) / Math.max(size.width, size.height)),
  );
  return areaRequest(size, [0, 0, size.width, size.height], width, height, "full");
}

/** The complete tile in the lower right corner. */
function cornerTile(size) {
  const last = (length) => Math.floor(length / options.tile) - 1;
  return tileRequest(size, options.tile, 1, last(size.width), last(size.height));
}

/** Returns the CPU ms of each request, sent one after another; none begins after `seconds`. */
async function costs(server, picture, requests, wait) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const began = performance.now();
  const found = [];
  for (const request of requests) {
    if (performance.now() - began > Number(options.seconds) * 1000) break;
    const before = exactUsage(server.pid);
    const problem = await ask(server.url(picture, request.path), agent, 300_000).then(
      (answer) => fault(request, answer),
      (error) => error.code ?? error.message,
    );
    await wait(server.pid);
    const cpu = spentExactly(before, exactUsage(server.pid));
    found.push(problem ? { problem } : { cpu, counts: request.counts });
  }
  agent.destroy();
  return found;
}

/** Returns the mean difference of samples between a server's response for one tile and the first server's. */
async function distanceOf(servers, picture, request) {
  const tiles = [];
  for (const server of servers) {
    const { body } = await ask(server.url(picture, request.path), new http.Agent(), 300_000);
    tiles.push(await sharp(body).raw().toBuffer());
  }
  return tiles.map((tile) => mean([...tile].map((sample, i) => Math.abs(sample - tiles[0][i]))));
}

/**
 * Returns the rows of one picture: the requests, and for each server the CPU ms of a response, as the median
 * over rounds of their means.
 */
async function measure(name, folder) {
  const { size } = pictures[name];
  const made = await pictureFile(name, options.sources);
  const servers = [];
  for (const server of options.servers) servers.push(await start(server, { ...options, sources: folder }));
  const copies = [];
  const fresh = (label) => copies.push(copy(options.sources, `${name}.jp2`, folder, label)) && copies.at(-1);
  const rounds = new Map(servers.map((server) => [server.name, {}]));
  const faults = {};
  const keep = (server, round, what, { cpu, problem }) => {
    if (problem) faults[`${server.name}, ${what}: ${problem}`] = true;
    else ((rounds.get(server.name)[what] ??= [])[round] ??= []).push(cpu);
  };
  const warming = fresh(`${name}-warm`);
  const tiles = [1, 2, 4].flatMap((factor) => gridTiles(size, options.tile, factor, 4));
  for (const server of servers) await warmUp(server, warming, tiles, Number(options.warm));
  const distances = await distanceOf(servers, warming, cornerTile(size));
  const wrong = servers.map((server) => server.name).filter((_, i) => !(distances[i] <= mostDistance));
  for (const server of wrong) faults[`${server}: another picture, whose figures do not count`] = true;
  for (let round = 0; round < options.rounds; round++)
    for (const [set, requestsOf] of Object.entries(sets)) {
      const unseen = fresh(`${name}-${round}-${set.replaceAll(/\W/g, "")}`);
      for (const server of turn(servers, round)) {
        const [begun] = await costs(server, unseen, [cornerTile(size)], quiet);
        keep(server, round, first, begun);
        const requests = requestsOf(size, round);
        for (const each of await costs(server, unseen, requests, () => pause(3)))
          keep(server, round, each.counts ?? set, each);
      }
    }
  for (const server of servers) await server.stop();
  for (const file of copies) rmSync(join(folder, file));
  for (const server of wrong) rounds.set(server, {});
  const whats = [first, "1/1", neighbour, "1/2", "1/4", "full to 512"];
  return whats.map((what) => {
    const cpu = {};
    for (const [server, seen] of rounds) cpu[server] = median((seen[what] ?? []).map(mean));
    const counted = [...rounds].filter(([server]) => !wrong.includes(server));
    const answers = counted.map(([, seen]) => (seen[what] ?? []).flat().length);
    return {
      picture: name,
      what,
      answers: Math.min(...answers),
      cpu,
      file: made,
      faults: Object.keys(faults),
    };
  });
}

/**
 * Peak of memory in MB of a server that has answered nothing but one request for the whole picture at full
 * size.
 */
async function peakOf(server, folder) {
  const file = copy(options.sources, `${fullSize}.jp2`, folder, `${fullSize}-${server}`);
  const running = await start(server, { ...options, sources: folder });
  const { size } = pictures[fullSize];
  const request = areaRequest(size, [0, 0, size.width, size.height], size.width, size.height, "max");
  try {
    const idle = usage(running.pid).peak / 1e6;
    const problem = fault(request, await ask(running.url(file, request.path), new http.Agent(), 600_000));
    return { server, idle, peak: problem ? undefined : usage(running.pid).peak / 1e6, problem };
  } finally {
    await running.stop();
    rmSync(join(folder, file));
  }
}

console.log(machine());
mkdirSync(options.sources, { recursive: true });
const folder = mkdtempSync(join(options.sources, "copies-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
const rows = [];
for (const name of names) {
  console.error(`measuring ${name} …`);
  rows.push(...(await measure(name, folder)));
}
const peaks = [];
if (options.memory) {
  await pictureFile(fullSize, options.sources);
  for (const name of options.servers) peaks.push(await peakOf(name, folder));
}

const cost = (picture, what, server = "smalti") =>
  rows.find((row) => row.picture === picture && row.what === what)?.cpu[server];
const toPeer = (picture, what) => ratio(cost(picture, what), cost(picture, what, "iipsrv"));
const extra = (picture) => cost(picture, first) - cost(picture, "1/1");
const [plain, tiled] = ["24mp-97-untiled", "24mp-97-tiled"];

/** Maximum cost of a tile, in CPU ms or as a ratio. */
const goals = [
  { what: "24 MP untiled 9/7 at 1/1: ours / iipsrv", got: toPeer(plain, "1/1"), most: 0.6 },
  { what: "24 MP untiled 9/7 at 1/2: ours / iipsrv", got: toPeer(plain, "1/2"), most: 0.6 },
  { what: "24 MP tiled 9/7 at 1/1: ours / iipsrv", got: toPeer(tiled, "1/1"), most: 0.6 },
  { what: "24 MP tiled 9/7 at 1/2: ours / iipsrv", got: toPeer(tiled, "1/2"), most: 0.6 },
  { what: "24 MP tiled 5/3 at 1/1: ms", got: cost("24mp-53-tiled", "1/1"), most: 65 },
  { what: "24 MP HTJ2K 5/3 at 1/1: ms", got: cost("24mp-ht-53", "1/1"), most: 15 },
  { what: "24 MP HTJ2K 9/7 at 1/1: ms", got: cost("24mp-ht-97", "1/1"), most: 15 },
  {
    what: "untiled 9/7 at 1/1: 165 / 24 MP",
    got: ratio(cost("165mp-97-untiled", "1/1"), cost(plain, "1/1")),
    most: 1.2,
  },
  { what: "165 MP untiled 9/7, full to 512: ms", got: cost("165mp-97-untiled", "full to 512"), most: 150 },
  {
    what: "24 MP untiled 9/7: next neighbour / tile",
    got: ratio(cost(plain, neighbour), cost(plain, "1/1")),
    most: 0.6,
  },
  { what: "24 MP untiled 9/7 with PLT: first request above a tile, ms", got: extra(plain), most: 20 },
  {
    what: "100 MP untiled 9/7 at full size: peak MB",
    got: peaks.find((row) => row.server === "smalti")?.peak,
    most: 400,
  },
].map((goal) => ({
  ...goal,
  verdict: Number.isFinite(goal.got) ? (goal.got <= goal.most ? "pass" : "MISS") : "not measured",
}));

const peers = options.servers.slice(1);
console.log(
  `\nCPU ms per answer, warm\n${table(
    [
      "picture",
      "request",
      "answers",
      ...options.servers,
      ...peers.map((peer) => `${options.servers[0]} / ${peer}`),
    ],
    rows.map(({ picture, what, answers, cpu }) => [
      picture,
      what,
      String(answers),
      ...options.servers.map((server) => cpu[server]),
      ...peers.map((peer) => ratio(cpu[options.servers[0]], cpu[peer])),
    ]),
  )}`,
);
for (const { server, idle, peak, problem } of peaks)
  console.log(
    `\n${server}, 100 MP at full size: peak ${figure(peak)} MB, idle ${figure(idle)} MB ${problem ?? ""}`,
  );
console.log(
  `\n${table(
    ["goal", "measured", "at most", "verdict"],
    goals.map(({ what, got, most, verdict }) => [what, got, String(most), verdict]),
    1,
  )}`,
);
for (const problem of new Set(
  rows.flatMap(({ picture, faults }) => faults.map((each) => `${picture}, ${each}`)),
))
  console.log(`fault: ${problem}`);
if (given.out) writeFileSync(given.out, JSON.stringify({ machine: machine(), goals, rows, peaks }, null, 1));
if (given.strict && goals.some(({ verdict }) => verdict === "MISS")) process.exitCode = 1;
