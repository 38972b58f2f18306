// Makes the figures of "Considered, and set aside" in docs/dependencies.md: each package beside the part used instead of it.
//
//   node bench/set-aside.mjs [--only TEXT] [--rounds 5] [--modules FOLDER]
//
// Each row runs in a process of its own, which is ended after --seconds (120). Times are medians of CPU time (user and system) in
// ms; both sides take turns. geotiff, fzstd, omggif and srvx are no dependencies of the project: their rows run when they are in
// --modules (a folder that holds node_modules; npm install geotiff fzstd omggif srvx). --only takes rows by package or text.

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { median, ratio, table } from "./lib/numbers.mjs";
import { machine } from "./lib/options.mjs";
import { rows as jpeg } from "./set-aside/jpeg.mjs";
import { rows as others } from "./set-aside/others.mjs";
import { packageVersion } from "./set-aside/packages.mjs";
import { rows as png } from "./set-aside/png.mjs";
import { rows as resize } from "./set-aside/resize.mjs";
import { rows as tiff } from "./set-aside/tiff.mjs";

/**
 * Rows of package, what and unit, with either `times`, which resolves to the sides as functions to run (`per`: what a run is
 * divided by; `rounds`: at most so many), or `values`, sides whose functions return a number or text. A value's side may call
 * `progress` with what is known so far, which stands if it does not end.
 */
const rows = [...jpeg, ...png, ...resize, ...tiff, ...others];

const { values: options } = parseArgs({
  options: {
    only: { type: "string", default: "" },
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "120" },
    modules: { type: "string" },
    row: { type: "string" },
    side: { type: "string" },
  },
});
if (options.modules) process.env.SET_ASIDE_MODULES = options.modules;

if (options.row) {
  await runRow(rows[Number(options.row)], options.side);
  process.exit(); // servers would keep it running
} else report();

/** In a child process: measures one row and writes the results as lines of JSON; the last one counts. */
async function runRow(row, side) {
  const answer = (result) => process.stdout.write(`\n${JSON.stringify(result)}\n`);
  if (row.values) return answer(await row.values[side](answer));
  const sides = await row.times();
  const names = Object.keys(sides);
  for (const name of names) await sides[name]();
  const seen = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < Math.min(Number(options.rounds), row.rounds ?? 99); round++)
    for (const name of names) seen[name].push(await cpuOf(sides[name]));
  answer(Object.fromEntries(names.map((name) => [name, median(seen[name]) / (row.per ?? 1)])));
}

/** CPU time of a run in ms, over as many repetitions as take 50 ms. */
async function cpuOf(run) {
  const before = process.cpuUsage();
  const began = performance.now();
  let times = 0;
  do {
    await run();
    times++;
  } while (performance.now() - began < 50);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / times;
}

/** The last whole line of JSON that a child wrote; where it failed or was ended, words that say so. */
function child(index, side) {
  const args = ["--row", String(index), "--rounds", options.rounds, ...(side ? ["--side", side] : [])];
  const { stdout, stderr, signal, status } = spawnSync(
    process.execPath,
    [fileURLToPath(import.meta.url), ...args],
    { encoding: "utf8", timeout: Number(options.seconds) * 1000, killSignal: "SIGKILL" },
  );
  const lines = stdout.split("\n").filter((line) => /^[{"\d[-]/.test(line));
  const last = lines.length > 0 ? JSON.parse(lines.at(-1)) : undefined;
  if (signal) return `${last === undefined ? "" : `${last}, then `}no end in ${options.seconds} s`;
  if (status !== 0) return `failed: ${/^\w*Error: .*/m.exec(stderr)?.[0] ?? `status ${status}`}`;
  return last;
}

function report() {
  console.log(`${new Date().toISOString().slice(0, 10)}, ${machine()}\n`);
  const lines = [];
  for (const [index, row] of rows.entries()) {
    if (!`${row.package} ${row.what}`.includes(options.only)) continue;
    const version = packageVersion(row.package);
    const found = version ? measured(row, index) : { theirs: "not installed: --modules" };
    const { theirs, own, sharp } = typeof found === "string" ? { theirs: found } : found;
    lines.push([
      `${row.package} ${version ?? ""}`,
      row.what,
      row.unit ?? "",
      theirs,
      own ?? "",
      sharp ?? "",
      ratio(theirs, own) ?? "",
    ]);
    console.error(lines.at(-1).join(" | "));
  }
  console.log(table(["package", "measured", "unit", "theirs", "own", "sharp", "theirs / own"], lines, 3));
}

function measured(row, index) {
  if (row.times) return child(index);
  return Object.fromEntries(Object.keys(row.values).map((side) => [side, child(index, side)]));
}
