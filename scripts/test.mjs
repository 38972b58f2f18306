// Runs the suites, those that can side by side, and ends with what failed, what took longest, and the sums.
//
//   node scripts/test.mjs [--shard=1/3] [--files=FILE,...] [SUITE ...]
//
// Suites: check build unit runtimes containers browser. --files: the test files to run of the suites that
// have some of them. What a suite prints is in node_modules/.cache/test-results/SUITE.log as it comes.

import { spawn } from "node:child_process";
import { createWriteStream, mkdirSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, totalmem } from "node:os";
import { relative } from "node:path";
import { suites as reachRows } from "./test/reach-rows.mjs";
import { provide } from "./test-needs.mjs";

const results = "node_modules/.cache/test-results";
const options = process.argv.slice(2).filter((arg) => /^--shard=/.test(arg));
/** Test files that are named, of all suites. */
const chosen = process.argv.slice(2).flatMap((arg) => /^--files=(.*)$/.exec(arg)?.[1].split(",") ?? []);

const vitest = (name, config, ...args) => [
  "npx",
  "vitest",
  "run",
  "--config",
  config,
  "--reporter=default",
  "--reporter=json",
  "--reporter=./scripts/unhandled-errors.mjs",
  `--outputFile.json=${results}/${name}.json`,
  ...args,
];

/**
 * Name, command, the suite that has to succeed before, and true if its tests are counted. Without its `needs`
 * a suite is skipped (fails in CI); without its `wants` single tests skip themselves.
 */
const suites = [
  { name: "check", command: ["npm", "run", "--silent", "check"] },
  { name: "build", command: ["npm", "run", "--silent", "build"] },
  {
    name: "unit",
    command: vitest("unit", "vitest.config.ts", ...options),
    after: "build",
    counted: true,
    wants: [
      "caddy",
      "cjpeg",
      "colord-data",
      "djxl",
      "zip",
      "exiftool",
      "fish",
      "icc-profiles-free",
      "identify",
      "kubectl",
      "nginx",
      "openslide",
      "openssl",
      "opj_decompress",
      "promtool",
      "python3-pil",
      "zstd",
      "xz",
      "zsh",
      "redis-server",
      "systemd-analyze",
      "tesseract",
      "tiffinfo",
      "transicc",
      "varnish",
    ],
  },
  {
    name: "runtimes",
    command: vitest("runtimes", "vitest.runtimes.config.ts"),
    after: "build",
    counted: true,
    wants: ["nginx", "redis-server"],
  },
  {
    name: "containers",
    command: vitest("containers", "vitest.containers.config.ts"),
    after: "build",
    counted: true,
    needs: ["podman", "mmdebstrap"],
  },
  {
    name: "browser",
    command: vitest("browser", "vitest.browser.config.ts"),
    after: "build",
    counted: true,
    needs: ["chromium"],
    wants: ["chromium-headless-shell"],
  },
];

const named = process.argv.slice(2).filter((arg) => !arg.startsWith("--"));
const unknown = named.filter((name) => !suites.some((suite) => suite.name === name));
if (unknown.length > 0) {
  console.error(
    `unknown suite ${unknown.join(", ")}; there are: ${suites.map((suite) => suite.name).join(" ")}`,
  );
  process.exit(2);
}
const wanted = suites.filter(({ name }) => named.length === 0 || named.includes(name));
// Each of the suites would build it otherwise, at the same time.
if (wanted.some(({ after }) => after === "build") && !wanted.some(({ name }) => name === "build"))
  wanted.unshift({ name: "build", command: ["node", "scripts/build-changed.mjs"] });

rmSync(results, { recursive: true, force: true });
mkdirSync(results, { recursive: true });

const missing = provide([...new Set(wanted.flatMap(({ needs = [], wants = [] }) => [...needs, ...wants]))]);

/** A suite takes about two gigabytes, and more of them than processors gain nothing. */
const atOnce = Math.max(1, Math.min(availableParallelism(), Math.floor(totalmem() / 2 ** 31)));

const total = { passed: 0, failed: 0, skipped: 0 };
/** Suite, and how long it took or why it did not run. */
const times = [];
/** Names of failed tests and the first lines of their messages: some views cut the output above the sums. */
const failures = [];
/** Suite, path and seconds of each file of tests. */
const files = [];
let broken = false;

const waiting = [...wanted];
const running = new Map();
/** Suites that have ended, and whether they passed. */
const ended = new Map();
while (waiting.length + running.size > 0) {
  for (const suite of waiting.filter(({ after }) => !after || ended.has(after))) {
    if (running.size >= atOnce) break;
    waiting.splice(waiting.indexOf(suite), 1);
    const lacks = (suite.needs ?? []).filter((need) => missing.includes(need));
    if (ended.get(suite.after) === false) {
      times.push([suite.name, `not run, since ${suite.after} failed`]);
      ended.set(suite.name, false);
    } else if (lacks.length > 0 && !process.env.CI) {
      times.push([suite.name, `skipped: ${lacks.join(", ")} missing`]);
      total.skipped++;
      ended.set(suite.name, true);
    } else running.set(suite.name, run(suite));
  }
  if (running.size === 0) continue;
  const { suite, passed } = await Promise.race(running.values());
  running.delete(suite.name);
  ended.set(suite.name, passed);
}

/** Runs a suite and prints its output when it has ended; of a suite by itself, as it comes. */
async function run(suite) {
  const { name, command, counted } = suite;
  const tests = reachRows.find((row) => row.name === name)?.tests;
  const began = performance.now();
  const [program, ...args] = [...command, ...chosen.filter((file) => tests?.test(file))];
  const unhandled = `${results}/${name}.unhandled.json`;
  const alone = wanted.length === 1;
  const child = spawn(program, args, {
    stdio: ["ignore", alone ? "inherit" : "pipe", alone ? "inherit" : "pipe"],
    env: { ...process.env, UNHANDLED_ERRORS: unhandled },
  });
  const path = `${results}/${name}.log`;
  if (!alone) console.log(`${name} has begun: ${path}`);
  const log = createWriteStream(path);
  for (const stream of [child.stdout, child.stderr]) stream?.pipe(log, { end: false });
  const status = await new Promise((resolve) => {
    child.on("error", () => resolve(1));
    child.on("close", resolve);
  });
  await new Promise((resolve) => log.end(resolve));
  if (!alone) process.stdout.write(`\n== ${name}\n${readFileSync(path, "utf8")}`);
  times.push([name, `${((performance.now() - began) / 1000).toFixed(1)} s${status === 0 ? "" : ", failed"}`]);
  if (status !== 0) broken = true;
  if (counted) count(name, unhandled);
  return { suite, passed: status === 0 };
}

/** Adds the tests of a suite to the sums; a suite without a report has broken off. */
function count(suite, unhandled) {
  try {
    const { numPassedTests, numFailedTests, numPendingTests, testResults } = JSON.parse(
      readFileSync(`${results}/${suite}.json`, "utf8"),
    );
    total.passed += numPassedTests;
    total.failed += numFailedTests;
    total.skipped += numPendingTests;
    for (const file of testResults) {
      failures.push(...failuresIn(file));
      const path = relative(process.cwd(), file.name);
      files.push({ suite, path, seconds: (file.endTime - file.startTime) / 1000 });
    }
    for (const stack of JSON.parse(readFileSync(unhandled, "utf8")))
      failures.push(`${suite}, in no test\n${stack}`);
  } catch {
    broken = true;
  }
}

/** Returns the failures of one file, as vitest's reporter "json" writes them. */
function failuresIn({ name, status, message, assertionResults }) {
  const path = relative(process.cwd(), name);
  const failed = assertionResults.filter((test) => test.status === "failed");
  if (status === "failed" && failed.length === 0) return [`${path}\n${message}`];
  return failed.map((test) => `${path} > ${test.fullName}\n${test.failureMessages.join("\n")}`);
}

for (const failure of failures) console.log(`\nfailed: ${failure.split("\n").slice(0, 30).join("\n  ")}`);
console.log("\nWhat took longest:");
for (const { suite, path, seconds } of files.sort((a, b) => b.seconds - a.seconds).slice(0, 10))
  console.log(`${suite.padEnd(10)} ${seconds.toFixed(1).padStart(6)} s  ${path}`);
console.log("");
for (const [name, time] of times) console.log(`${name.padEnd(10)} ${time}`);
console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exit(broken || total.failed > 0 ? 1 : 0);
