// Replays a viewer's session over HTTP against this server and its peers, and compares the cost of a
// response.
//
//   npm run build && node bench/sources.mjs && node bench/replay.mjs [options]; see bench/README.md

import { writeFileSync } from "node:fs";
import { figure, mean, ratio, table } from "./lib/numbers.mjs";
import { chosenPictures, machine, pictureSize, readOptions } from "./lib/options.mjs";
import { commonScales, compare } from "./lib/replay.mjs";
import { reads } from "./lib/servers.mjs";
import { firstContact } from "./lib/unseen.mjs";

const given = readOptions(
  {
    concurrency: "1,6",
    repetitions: "3",
    passes: "2",
    limit: "60",
    seconds: "20",
    "per-scale": "24",
    unseen: "5",
    warm: "300",
    seed: "1",
  },
  "smalti,sharp,iiif-processor,iipsrv",
);
const options = {
  ...given,
  concurrency: given.concurrency.split(",").map(Number),
  repetitions: Number(given.repetitions),
  passes: Number(given.passes),
  limit: Number(given.limit),
  seconds: Number(given.seconds),
  perScale: Number(given["per-scale"]),
  warm: Number(given.warm),
  seed: Number(given.seed),
};
const unseen = Number(given.unseen);

const result = { machine: machine(), cache: options.cache, replay: [], unseen: [] };
console.log(result.machine);
for (const picture of chosenPictures(options)) {
  const size = await pictureSize(options, picture);
  const names = options.servers.filter((name) => reads(name, picture));
  const rows = await compare(names, picture, size, options);
  const contacts = unseen > 0 ? await firstContact(names, picture, size, { ...options, count: unseen }) : [];
  result.replay.push(...rows);
  result.unseen.push(...contacts);
  if (given.out) writeFileSync(given.out, JSON.stringify(result, null, 1));
  console.log(`\n${picture}, ${size.width} x ${size.height}`);
  console.log(sessionTable(rows));
  console.log(scaleTable(rows));
  if (contacts.length > 0) console.log(contactTable(contacts));
}
for (const server of options.servers) growth(server);

function sessionTable(rows) {
  const base = (row) =>
    rows.find(
      (each) => each.server === "sharp" && each.phase === row.phase && each.concurrency === row.concurrency,
    );
  return table(
    [
      "session",
      "phase",
      "clients",
      "n",
      "p50 ms",
      "p95 ms",
      "tiles/s",
      "CPU ms",
      "sharp/it",
      "KB",
      "peak MB",
      "faults",
    ],
    rows.map((row) => [
      row.server,
      row.phase,
      String(row.concurrency),
      String(row.answers),
      row.p50,
      row.p95,
      row.perSecond,
      row.cpu,
      times(base(row)?.cpu, row.cpu),
      row.kilobytes,
      row.peakMB,
      problems(row.faults),
    ]),
  );
}

function scaleTable(rows) {
  const with_ = rows.filter((row) => Object.keys(row.scales ?? {}).length > 0);
  if (with_.length === 0) return "";
  const factors = Object.keys(with_[0].scales);
  const sharp = with_.find((row) => row.server === "sharp");
  const lines = with_.flatMap((row) => [
    [row.server, "CPU ms", ...factors.map((factor) => row.scales[factor]?.cpu), mean(cpus(row))],
    [row.server, "p50 ms", ...factors.map((factor) => row.scales[factor]?.p50), ""],
    [
      row.server,
      "sharp/it",
      ...factors.map((factor) => times(sharp?.scales[factor]?.cpu, row.scales[factor]?.cpu)),
      times(sharp && mean(cpus(sharp)), mean(cpus(row))),
    ],
  ]);
  return `\n${table(["tiles at", "", ...factors.map((factor) => `1/${factor}`), "mean"], lines)}`;
}

function contactTable(contacts) {
  const sharp = contacts.find((each) => each.server === "sharp");
  return `\n${table(
    ["unseen file", "n", "first ms", "it/sharp", "CPU ms", "it/sharp", "next ms", "faults"],
    contacts.map((each) => [
      each.server,
      String(each.answers),
      each.first,
      times(each.first, sharp?.first),
      each.cpu,
      times(each.cpu, sharp?.cpu),
      each.next,
      problems(each.faults),
    ]),
    1,
  )}`;
}

/** CPU per tile over pictures of one form and growing size, at the scale factors that all of them have. */
function growth(server) {
  const rows = result.replay.filter((row) => row.server === server && row.scales && cpus(row).length > 0);
  for (const form of new Set(rows.map((row) => formOf(row.picture)))) {
    const same = rows.filter((row) => formOf(row.picture) === form);
    if (same.length < 2) continue;
    const { common, means } = commonScales(same);
    const lines = same.map((row, i) => [
      row.picture,
      ...common.map((factor) => row.scales[factor].cpu),
      means[i],
      times(means[i], means[0]),
    ]);
    const heading = [`${server}: CPU ms at`, ...common.map((factor) => `1/${factor}`), "mean", "growth"];
    console.log(`\n${table(heading, lines, 1)}`);
  }
}

function cpus(row) {
  return Object.values(row.scales)
    .map((scale) => scale.cpu)
    .filter(Number.isFinite);
}

function formOf(picture) {
  return picture.replace(/^\d+mp-/, "");
}

function times(a, b) {
  const value = ratio(a, b);
  return value === undefined ? "-" : `${figure(value)}x`;
}

function problems(faults) {
  const list = Object.entries(faults).map(([problem, count]) => `${count} ${problem}`);
  return list.join("; ") || "none";
}
