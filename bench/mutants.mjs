// The share of small faults in src/ that the suite "unit" catches. Draws mutants from a seed, puts all of
// them into a copy of a commit, records in one run which test files execute which, and then runs for each
// mutant the nearest of those files with the mutant on.
//
//   node bench/mutants.mjs --out FILE.jsonl [--count 200] [--seed 60] [--commit HEAD] [--work FOLDER]
//                            [--nearest 15] [--candidates 0] [--hang 600] [--houses lib,iiif]
//   node bench/mutants.mjs --compare A.jsonl B.jsonl
//
// A run that was stopped goes on with the mutants that FILE.jsonl does not have, if it has the same
// options. --nearest: most test files that run for a mutant. --candidates: if not 0, only the nearest test
// files of each mutant by the graph are recorded. --houses: folders of src/ to draw from. --hang: seconds
// after which a run counts as caught. --compare ends with 1 if the shares differ by more than 1 %.

import { execFileSync, spawnSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { dependents, readGraph } from "../scripts/test/graph.mjs";
import { suites, without } from "../scripts/test/reach-rows.mjs";
import { drawn, houseOf } from "./mutants/draw.mjs";
import { instrument, sitesOf } from "./mutants/sites.mjs";

const root = fileURLToPath(new URL("../", import.meta.url));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    compare: { type: "boolean" },
    out: { type: "string" },
    count: { type: "string", default: "200" },
    seed: { type: "string", default: "60" },
    commit: { type: "string", default: "HEAD" },
    work: { type: "string" },
    nearest: { type: "string", default: "15" },
    candidates: { type: "string", default: "0" },
    hang: { type: "string", default: "600" },
    houses: { type: "string" },
  },
});
const linesOf = (file) => (existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : []);
const rowsOf = (file) => linesOf(file).map((line) => JSON.parse(line));

if (values.compare) process.exit(compare(...positionals.map(rowsOf)));
if (!values.out) {
  console.error("usage: node bench/mutants.mjs --out FILE.jsonl [options], or --compare A.jsonl B.jsonl");
  process.exit(2);
}

const work = values.work ?? `/tmp/smalti-mutants-${values.commit.replaceAll("/", "-")}-${values.seed}`;
const tree = join(work, "tree");
const plan = existsSync(join(work, "plan.json")) ? rowsOf(join(work, "plan.json"))[0] : prepare();
const done = new Set(rowsOf(values.out).map(({ id }) => id));
for (const mutant of plan) if (!done.has(mutant.id)) tryMutant(mutant);
console.log(summary(rowsOf(values.out)));

/** Makes the copy with all mutants in it; returns each with the test files that execute it, nearest first. */
function prepare() {
  rmSync(work, { recursive: true, force: true });
  mkdirSync(tree, { recursive: true });
  const archive = execFileSync("git", ["archive", values.commit], { cwd: root, maxBuffer: 2 ** 30 });
  execFileSync("tar", ["-x", "-C", tree], { input: archive });
  execFileSync("git", ["init", "--quiet"], { cwd: tree });
  execFileSync("git", ["add", "."], { cwd: tree });
  for (const folder of ["", "scripts/check/", "test/deploy/", "test/runtimes/", "test/browser/"])
    if (existsSync(join(root, folder, "node_modules")))
      symlinkSync(join(root, folder, "node_modules"), join(tree, folder, "node_modules"));
  const graph = readGraph(tree, without);
  const sources = [...graph.files].filter((file) => /^src\/.*(?<!\.d)\.tsx?$/.test(file)).sort();
  const houses = values.houses?.split(",");
  const codeOf = (file) => readFileSync(join(tree, file), "utf8");
  const sites = drawn(
    sources
      .filter((file) => !houses || houses.includes(houseOf(file)))
      .flatMap((file) => sitesOf(file, codeOf(file))),
    Number(values.count),
    Number(values.seed),
  );
  const mutants = sites.map((site, id) => {
    return {
      id,
      ...site,
      from: codeOf(site.file).slice(site.start, site.end),
      near: nearestTests(graph, site.file),
    };
  });
  for (const file of new Set(mutants.map((mutant) => mutant.file)))
    writeFileSync(
      join(tree, file),
      instrument(
        codeOf(file),
        mutants.filter((mutant) => mutant.file === file),
      ),
    );
  const executed = record(mutants);
  const result = mutants.map(({ near, ...mutant }) => ({ ...mutant, tests: executed(mutant.id, near) }));
  writeFileSync(join(work, "plan.json"), JSON.stringify(result));
  return result;
}

/**
 * The files of "unit" that can reach a file of src/: its mirror, then by the graph, then those of the
 * program.
 */
function nearestTests({ targets, ...graph }, file) {
  const imports = [...targets].map(([from, to]) => [
    from,
    new Set([...to].filter((name) => !name.endsWith("/"))),
  ]);
  const reached = (of) => [...dependents({ ...graph, targets: new Map(imports) }, [of]).keys()];
  const mirror = file.replace(/^src\//, "test/").replace(/\.tsx?$/, "");
  const isMirror = (test) => Number(test === `${mirror}.test.ts` || test.startsWith(`${mirror}/`));
  const tests = new Set([...reached(file), ...reached("scripts/build.mjs")]);
  const unit = [...tests].filter((test) => suites[0].tests.test(test));
  const near = unit.sort((a, b) => isMirror(b) - isMirror(a));
  return Number(values.candidates) > 0 ? near.slice(0, Number(values.candidates)) : near;
}

/**
 * Runs all tests that may matter, with no mutant on. Files that fail so, since they read src/, do not
 * count.
 */
function record(mutants) {
  const hits = join(work, "hits.tsv");
  const output = join(work, "recorded.json");
  const files = [...new Set(mutants.flatMap(({ near }) => near))];
  console.log(`${mutants.length} mutants, ${files.length} test files to record`);
  vitest(files, { MUTANT_HITS: hits }, ["--reporter=dot", "--reporter=json", `--outputFile.json=${output}`]);
  const { testResults } = JSON.parse(readFileSync(output, "utf8"));
  const green = new Set(
    testResults.filter(({ status }) => status === "passed").map(({ name }) => relative(tree, name)),
  );
  const notes = linesOf(hits).map((line) => line.split("\t"));
  return (id, near) => {
    const own = notes.filter(([number]) => Number(number) === id);
    const inTests = new Set(own.map(([, file]) => relative(tree, file)));
    const atImport = own.some(([, , when]) => when === "import");
    return near.filter((file) => green.has(file) && (atImport || inTests.has(file)));
  };
}

function tryMutant({ id, tests, ...mutant }) {
  const began = performance.now();
  const files = tests.slice(0, Number(values.nearest));
  const { status, signal, error } =
    files.length > 0 ? vitest(files, { MUTANT: `${id}` }, ["--bail=1", "--reporter=dot"]) : { status: 0 };
  const result = status === 0 ? "survived" : signal || error ? "caught by the limit" : "caught";
  const seconds = Math.round((performance.now() - began) / 100) / 10;
  const row = { id, ...mutant, result, executedBy: tests.length, ran: files, seconds };
  appendFileSync(values.out, `${JSON.stringify(row)}\n`);
  console.log(
    `${id} ${mutant.file}:${mutant.line} ${mutant.kind}: ${result}, ${files.length} files, ${seconds} s`,
  );
}

function vitest(files, env, options) {
  const args = [
    "node_modules/vitest/vitest.mjs",
    "run",
    "--config",
    "vitest.config.ts",
    ...options,
    ...files,
  ];
  return spawnSync(process.execPath, args, {
    cwd: tree,
    stdio: ["ignore", "ignore", env.MUTANT ? "ignore" : "inherit"],
    // The run that records all files has none: it is as long as it is.
    ...(env.MUTANT && { timeout: Number(values.hang) * 1000 }),
    killSignal: "SIGKILL",
    env: {
      ...process.env,
      ...env,
      TEST_SEED: "mutants",
      NODE_OPTIONS: `--import=${join(root, "bench/mutants/switch.mjs")}`,
    },
  });
}

function shareOf(rows) {
  return rows.filter(({ result }) => result.startsWith("caught")).length / rows.length;
}

function summary(rows) {
  const houses = [...new Set(rows.map(({ file }) => houseOf(file)))];
  const line = (name, own) => `${name.padEnd(12)} ${(100 * shareOf(own)).toFixed(1)} % of ${own.length}`;
  const lines = houses.map((house) =>
    line(
      house,
      rows.filter(({ file }) => houseOf(file) === house),
    ),
  );
  return [...lines, line("all", rows)].join("\n");
}

/**
 * Prints the shares of two runs and the mutants with different results; returns the status of the process.
 */
function compare(before, after) {
  const key = ({ file, kind, from, line }) => `${file}:${line} ${kind} of ${from}`;
  const results = new Map(before.map((row) => [key(row), row.result]));
  const both = after.filter((row) => results.has(key(row)));
  const others = before.length + after.length - 2 * both.length;
  const isCaught = (result) => result.startsWith("caught");
  for (const row of both)
    if (isCaught(row.result) !== isCaught(results.get(key(row))))
      console.log(`${key(row)}: ${results.get(key(row))}, now ${row.result}`);
  const [old, now] = [shareOf(before), shareOf(after)].map((share) => 100 * share);
  console.log(
    `caught before ${old.toFixed(1)} %, after ${now.toFixed(1)} %; ${others} mutants are not in both`,
  );
  return Math.abs(old - now) <= 1 && others === 0 ? 0 : 1;
}
