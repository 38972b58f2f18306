// Measures what the project promises about speed, and says for each goal if this machine meets it.
//
//   npm run build && node bench/sources.mjs --sizes 24,100,400 && node bench/figures.mjs [options]; see bench/README.md
//
// Goals whose picture is missing are "not measured". With --strict the exit code is 1 if a goal is missed.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { measureCheap, measureCollection } from "./lib/collection.mjs";
import { figure, ratio, table } from "./lib/numbers.mjs";
import { chosenPictures, machine, pictureSize, readOptions } from "./lib/options.mjs";
import { compareQuality } from "./lib/quality.mjs";
import { commonScales, compare } from "./lib/replay.mjs";
import { firstContact } from "./lib/unseen.mjs";

const given = readOptions(
  {
    repetitions: "3",
    limit: "60",
    seconds: "20",
    "per-scale": "24",
    unseen: "7",
    warm: "300",
    seed: "1",
    strict: false,
  },
  "smalti,sharp",
);
const options = {
  ...given,
  passes: 2,
  repetitions: Number(given.repetitions),
  limit: Number(given.limit),
  seconds: Number(given.seconds),
  perScale: Number(given["per-scale"]),
  warm: Number(given.warm),
  seed: Number(given.seed),
};
const both = ["smalti", "sharp"];
const alone = ["smalti"];
if (both.some((name) => !options.servers.includes(name))) throw new Error("expected smalti and sharp to run");

const base24 = "24mp-baseline.jpg";
const base100 = "100mp-baseline.jpg";
const base400 = "400mp-baseline.jpg";
const progressive24 = "24mp-progressive.jpg";
const progressive100 = "100mp-progressive.jpg";

/** The measurements by the names that the goals use; each runs once, in this order. */
const measurements = {
  replay24: { pictures: [base24], run: () => replay(both, base24, 1) },
  clients24: { pictures: [base24], run: () => replay(both, base24, 6) },
  unseen24: { pictures: [base24], run: () => unseen(base24) },
  quality24: { pictures: [base24], run: () => quality(base24) },
  later24: { pictures: [progressive24], run: () => replay(both, progressive24, 1) },
  first24: { pictures: [progressive24], run: () => unseen(progressive24) },
  replay100: { pictures: [base100], run: () => replay(both, base100, 1) },
  unseen100: { pictures: [base100], run: () => unseen(base100) },
  clients100: { pictures: [progressive100], run: () => replay(alone, progressive100, 6) },
  replay400: { pictures: [base24, base400], run: () => replay(alone, base400, 1) },
  one: { pictures: [base24], run: () => collection(1) },
  hundred: { pictures: [base24], run: () => collection(100) },
  thousand: { pictures: [base24], run: () => collection(1000) },
  cheap: { pictures: [base24], run: () => measureCheap(ownBuild(base24)) },
};

/**
 * The goals: a value of a measurement, and its minimum or maximum. Sessions count warm: all responses after
 * the first pass.
 */
const goals = [
  { what: "24 MP baseline, session: CPU, sharp / ours", of: "replay24", value: cpuGain, least: 40 },
  {
    what: "24 MP baseline, mean of scale factors: CPU, sharp / ours",
    of: "replay24",
    value: meanGain,
    least: 12,
  },
  { what: "24 MP baseline, tiles at 1/1: CPU, sharp / ours", of: "replay24", value: gainAt(1), least: 40 },
  { what: "24 MP baseline, tiles at 1/2: CPU, sharp / ours", of: "replay24", value: gainAt(2), least: 20 },
  { what: "24 MP baseline, tiles at 1/4: CPU, sharp / ours", of: "replay24", value: gainAt(4), least: 30 },
  { what: "24 MP baseline, session: p50 ms", of: "replay24", value: ours("p50"), most: 6 },
  { what: "24 MP baseline, 6 clients: tiles/s", of: "clients24", value: ours("perSecond"), least: 1000 },
  { what: "24 MP baseline, unseen file: first ms, ours / sharp", of: "unseen24", value: firstRatio, most: 1 },
  { what: "24 MP baseline, worst scale: PSNR below sharp, dB", of: "quality24", value: worstLoss, most: 0.3 },
  { what: "24 MP progressive, unseen: first ms, ours / sharp", of: "first24", value: firstRatio, most: 1.5 },
  { what: "24 MP progressive, session: CPU, sharp / ours", of: "later24", value: cpuGain, least: 30 },
  { what: "100 MP baseline, session: CPU, sharp / ours", of: "replay100", value: cpuGain, least: 80 },
  {
    what: "100 MP baseline, mean of scale factors: CPU, sharp / ours",
    of: "replay100",
    value: meanGain,
    least: 40,
  },
  { what: "100 MP baseline, session: p50 ms", of: "replay100", value: ours("p50"), most: 6 },
  {
    what: "100 MP baseline, unseen file: first ms, ours / sharp",
    of: "unseen100",
    value: firstRatio,
    most: 1,
  },
  { what: "100 MP progressive, 6 clients: peak MB", of: "clients100", value: ours("peakMB"), most: 400 },
  { what: "400 MP baseline: CPU per tile, 400 / 24 MP", of: "replay400", value: growth, most: 1.1 },
  { what: "100 pictures, tiles at 1/1: CPU, 100 / 1", of: "hundred", value: overOne, most: 1.2 },
  { what: "1,000 pictures, tiles at 1/1: CPU, 1,000 / 1", of: "thousand", value: overOne, most: 1.5 },
  { what: "cached tile: CPU µs", of: "cheap", value: ({ cached }) => cached, most: 180 },
  { what: "unchanged tile (304): CPU µs", of: "cheap", value: ({ unchanged }) => unchanged, most: 150 },
  { what: "info.json: CPU µs", of: "cheap", value: ({ info }) => info, most: 130 },
];

console.log(machine());
const present = new Set(chosenPictures(options));
const found = {};
for (const [name, { pictures, run }] of Object.entries(measurements)) {
  if (!pictures.every((picture) => present.has(picture))) continue;
  console.error(`measuring ${name} …`);
  found[name] = await run();
}

const lines = goals.map(({ what, of, value, least, most }) => {
  const got = found[of] && value(found[of]);
  const met = least === undefined ? got <= most : got >= least;
  const verdict = Number.isFinite(got) ? (met ? "pass" : "MISS") : found[of] ? "MISS" : "not measured";
  return { what, got, goal: least === undefined ? `<= ${most}` : `>= ${least}`, verdict };
});
console.log(
  table(
    ["goal", "measured", "wanted", "verdict"],
    lines.map(({ what, got, goal, verdict }) => [what, figure(got), goal, verdict]),
    1,
  ),
);
for (const { problem } of faultsOf(found)) console.log(problem);
if (given.out)
  writeFileSync(
    given.out,
    JSON.stringify({ machine: machine(), goals: lines, measurements: found }, null, 1),
  );
if (given.strict && lines.some(({ verdict }) => verdict === "MISS")) process.exitCode = 1;

async function replay(names, picture, concurrency) {
  const size = await pictureSize(options, picture);
  return compare(names, picture, size, { ...options, concurrency: [concurrency] });
}

/** Returns the build that is measured, and a picture in the folder of the run. */
function ownBuild(picture) {
  return { master: join(options.sources, picture), program: options.program };
}

function collection(count) {
  return measureCollection({ ...ownBuild(base24), count, requests: 1500, scale: 1 });
}

async function unseen(picture) {
  const size = await pictureSize(options, picture);
  return firstContact(both, picture, size, { ...options, count: Number(given.unseen) });
}

async function quality(picture) {
  return compareQuality(both, picture, await pictureSize(options, picture), options);
}

/** Returns the warm row of a server, ignoring rows with faults or without responses. */
function warm(rows, server) {
  const clean = rows.filter((row) => row.server === server && Object.keys(row.faults).length === 0);
  return clean.find((row) => row.phase !== "cold");
}

function ours(key) {
  return (rows) => warm(rows, "smalti")?.[key];
}

function cpuGain(rows) {
  return ratio(warm(rows, "sharp")?.cpu, warm(rows, "smalti")?.cpu);
}

function gainAt(factor) {
  return (rows) => ratio(warm(rows, "sharp")?.scales[factor]?.cpu, warm(rows, "smalti")?.scales[factor]?.cpu);
}

/** Each scale factor counts alike, however seldom a session asks for it. */
function meanGain(rows) {
  const pair = [warm(rows, "sharp"), warm(rows, "smalti")];
  return pair.includes(undefined) ? undefined : ratio(...commonScales(pair).means);
}

function firstRatio(rows) {
  return ratio(warm(rows, "smalti")?.first, warm(rows, "sharp")?.first);
}

function overOne({ ms }) {
  return ratio(ms, found.one?.ms);
}

function worstLoss(rows) {
  const losses = rows
    .filter((row) => row.server === "smalti")
    .map((row) => rows.find((each) => each.server === "sharp" && each.case === row.case).psnr - row.psnr);
  return Math.max(...losses);
}

function growth(rows) {
  const pair = [warm(found.replay24 ?? [], "smalti"), warm(rows, "smalti")];
  if (pair.includes(undefined)) return undefined;
  const [small, large] = commonScales(pair).means;
  return ratio(large, small);
}

function faultsOf(all) {
  return Object.entries(all).flatMap(([name, rows]) =>
    [rows]
      .flat()
      .filter((row) => row.faults)
      .filter((row) => Object.keys(row.faults).length > 0)
      .map((row) => ({ problem: `faults in ${name}, ${row.server}: ${JSON.stringify(row.faults)}` })),
  );
}
