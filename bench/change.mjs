// What does a change cost an answer? Two builds of the service side by side, their requests in turn, over what `figures.mjs` asks for and
// the cheapest answers: CPU time per answer, answers per second of six clients, memory, the first tile of an unseen file, and the ratio
// of each, after / before.
//
//   node bench/change.mjs DIST_BEFORE DIST_AFTER [--starts 3] [--rounds 24] [--warm 1500] [--unseen 5] [--pictures A,B] [--only TITLE]
//
// Folders as `npm run build` makes them; pictures as `sources.mjs` makes them, else noise of 4096 by 4096. Two processes of the same
// build differ by some percent: give it the same folder twice to see by how much. Of the rounds of a start the lower quartile counts, since
// what else runs on a machine only makes code slower.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import sharp from "sharp";
import { figure, median, quantile, ratio, table } from "./lib/numbers.mjs";
import { machine, pictureSize } from "./lib/options.mjs";
import { threadTimes, usage } from "./lib/processes.mjs";
import { pass } from "./lib/replay.mjs";
import { start } from "./lib/servers.mjs";
import { gridTiles, sample, scaleFactors, session } from "./lib/session.mjs";
import { firstContact } from "./lib/unseen.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    starts: { type: "string", default: "3" },
    rounds: { type: "string", default: "24" },
    warm: { type: "string", default: "1500" },
    unseen: { type: "string", default: "5" },
    only: { type: "string", default: "" },
    sources: { type: "string" },
    pictures: { type: "string", default: "noise.jpg" },
  },
});
const [before, after] = positionals.map((folder) => resolve(folder, "main.js"));
if (!before || !after)
  throw new Error("expected two folders: the build before the change, and the one after it");
const [starts, rounds, warm, unseen] = [values.starts, values.rounds, values.warm, values.unseen].map(Number);

const own = values.sources ? undefined : mkdtempSync(join(tmpdir(), "smalti-change-"));
const options = {
  before,
  program: after,
  sources: resolve(values.sources ?? own),
  cache: { render: "none", info: "heap", origin: "filesystem" },
  tile: 512,
};
if (own) {
  const grain = { type: "gaussian", mean: 128, sigma: 20 };
  await sharp({ create: { width: 4096, height: 4096, channels: 3, noise: grain, background: "#888" } })
    .blur(2)
    .jpeg({ quality: 90 })
    .toFile(join(own, "noise.jpg"));
}

const names = ["before", "smalti"];

/** What is asked for: a title, the requests, how many at a time. */
function kindsOf(size) {
  const walk = sample(session(size, { tile: options.tile, seed: 1 }), 60);
  return [
    ["session", walk, 1],
    ["session, 6 clients", walk, 6],
    ...scaleFactors(size, options.tile).map((factor) => [
      `tiles at 1/${factor}`,
      gridTiles(size, options.tile, factor, 24),
      1,
    ]),
    ["image information", Array(200).fill({ kind: "info", factor: "info", path: "info.json" }), 1],
  ].filter(([title], i) => i === 0 || title.startsWith(values.only));
}

/** CPU microseconds per answer, and answers per second. */
async function cost(server, picture, requests, concurrency) {
  const total = () => [...threadTimes(server.pid).values()].reduce((sum, ns) => sum + ns, 0);
  const begun = total();
  const { answers, faults, perSecond } = await pass(server, picture, requests, {
    concurrency,
    seconds: 30,
  });
  if (answers === 0 || Object.keys(faults).length > 0)
    throw new Error(`${server.name}: ${JSON.stringify(faults)}`);
  return { cpu: (total() - begun) / answers / 1e3, perSecond };
}

/** One start of both: by kind what its better rounds cost, and the largest memory. */
async function run(picture, kinds, nth) {
  const order = nth % 2 === 0 ? names : names.toReversed();
  const servers = {};
  try {
    for (const name of order) servers[name] = await start(name, options);
    for (let answers = 0; answers < warm; answers += 60)
      for (const name of order) await pass(servers[name], picture, kinds[0][1], { seconds: 30 });
    const blocks = kinds.map(() => ({ before: [], smalti: [] }));
    for (let round = -1; round < rounds; round++)
      for (const [i, [, requests, concurrency]] of kinds.entries())
        for (const name of (nth + round) % 2 === 0 ? names : names.toReversed()) {
          const block = await cost(servers[name], picture, requests, concurrency);
          if (round >= 0) blocks[i][name].push(block); // the first round warms up
        }
    const peak = Object.fromEntries(names.map((name) => [name, usage(servers[name].pid)?.peak / 1e6]));
    const column = (list, key) => list.map((each) => each[key]);
    const byKind = blocks.map((each) =>
      Object.fromEntries(
        names.map((name) => [
          name,
          {
            cpu: quantile(column(each[name], "cpu"), 0.25),
            perSecond: quantile(column(each[name], "perSecond"), 0.75),
          },
        ]),
      ),
    );
    return { byKind, peak };
  } finally {
    for (const server of Object.values(servers)) await server.stop();
  }
}

/** A row of the table: medians over the starts, the ratio as the median of theirs, and its least and most. */
function row(title, pairs) {
  const ratios = pairs.map(([old, changed]) => ratio(changed, old)).filter(Number.isFinite);
  return [
    title,
    figure(median(pairs.map(([old]) => old))),
    figure(median(pairs.map(([, changed]) => changed))),
    median(ratios)?.toFixed(3) ?? "-",
    `${Math.min(...ratios).toFixed(3)} to ${Math.max(...ratios).toFixed(3)}`,
  ];
}

console.log(machine());
try {
  for (const picture of values.pictures.split(",")) {
    const size = await pictureSize(options, picture);
    const kinds = kindsOf(size);
    const runs = [];
    for (let nth = 0; nth < starts; nth++) runs.push(await run(picture, kinds, nth));
    const rows = kinds.flatMap(([title, , concurrency], i) => {
      const pairs = (key) => runs.map(({ byKind }) => names.map((name) => byKind[i][name][key]));
      const cpu = row(`${title}: CPU us`, pairs("cpu"));
      return concurrency > 1 ? [cpu, row(`${title}: answers/s`, pairs("perSecond"))] : [cpu];
    });
    rows.push(
      row(
        "peak MB",
        runs.map(({ peak }) => names.map((name) => peak[name])),
      ),
    );
    if (unseen > 0) {
      const contacts = await firstContact(names, picture, size, { ...options, count: unseen, warm: 300 });
      const of = (key) => [names.map((name) => contacts.find(({ server }) => server === name)[key])];
      rows.push(row("unseen file: first ms", of("first")), row("unseen file: CPU ms", of("cpu")));
    }
    console.log(`\n${picture}, ${size.width} x ${size.height}, ${starts} starts of ${rounds} rounds`);
    console.log(table(["", "before", "after", "after / before", "of the starts"], rows, 1));
  }
} finally {
  if (own) rmSync(own, { recursive: true, maxRetries: 5 });
}
