// Runs the suites in sequence, prints the time of each, and ends with the sum of all tests.
//
//   node scripts/test.mjs [SUITE ...]     suites: check build unit runtimes containers browser

import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { relative } from "node:path";
import { provide } from "./test-needs.mjs";

const results = "node_modules/.cache/test-results";
rmSync(results, { recursive: true, force: true });
mkdirSync(results, { recursive: true });

const vitest = (name, config) => [
  "vitest",
  "run",
  "--config",
  config,
  "--reporter=default",
  "--reporter=json",
  "--reporter=./scripts/unhandled-errors.mjs",
  `--outputFile.json=${results}/${name}.json`,
];

/**
 * Name, command, and true if its tests are counted. Without its `needs` a suite is skipped (fails in CI);
 * without its `wants` single tests skip themselves.
 */
const suites = [
  { name: "check", command: ["npm", "run", "--silent", "check"] },
  { name: "build", command: ["npm", "run", "--silent", "build"] },
  {
    name: "unit",
    command: ["npx", ...vitest("unit", "vitest.config.ts")],
    counted: true,
    wants: [
      "caddy",
      "cjpeg",
      "colord-data",
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
      "tiffinfo",
      "transicc",
    ],
  },
  {
    name: "runtimes",
    command: ["npx", ...vitest("runtimes", "vitest.runtimes.config.ts")],
    counted: true,
    wants: ["nginx", "redis-server"],
  },
  {
    name: "containers",
    command: ["npx", ...vitest("containers", "vitest.containers.config.ts")],
    counted: true,
    needs: ["podman", "mmdebstrap"],
  },
  {
    name: "browser",
    command: ["npx", ...vitest("browser", "vitest.browser.config.ts")],
    counted: true,
    needs: ["chromium"],
    wants: ["chromium-headless-shell"],
  },
];

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !suites.some((suite) => suite.name === name));
if (unknown.length > 0) {
  console.error(
    `unknown suite ${unknown.join(", ")}; there are: ${suites.map((suite) => suite.name).join(" ")}`,
  );
  process.exit(2);
}

const total = { passed: 0, failed: 0, skipped: 0 };
const times = [];
/**
 * Names of failed tests and the first lines of their messages: output above the sums may be cut off in some
 * views of a run.
 */
const failures = [];
let broken = false;
for (const { name, command, counted, needs = [], wants = [] } of suites) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const missing = needs.filter((need) => !provide(need));
  for (const want of wants) provide(want);
  if (missing.length > 0 && !process.env.CI) {
    times.push([name, `skipped: ${missing.join(", ")} missing`]);
    total.skipped++;
    continue;
  }
  console.log(`\n== ${name}`);
  const began = performance.now();
  const [program, ...args] = command;
  const unhandled = `${results}/${name}.unhandled.json`;
  const { status } = spawnSync(program, args, {
    stdio: "inherit",
    env: { ...process.env, UNHANDLED_ERRORS: unhandled },
  });
  times.push([name, `${((performance.now() - began) / 1000).toFixed(1)} s${status === 0 ? "" : ", failed"}`]);
  if (status !== 0) broken = true;
  if (!counted) continue;
  try {
    const { numPassedTests, numFailedTests, numPendingTests, testResults } = JSON.parse(
      readFileSync(`${results}/${name}.json`, "utf8"),
    );
    total.passed += numPassedTests;
    total.failed += numFailedTests;
    total.skipped += numPendingTests;
    for (const file of testResults) failures.push(...failuresIn(file));
    for (const stack of JSON.parse(readFileSync(unhandled, "utf8")))
      failures.push(`${name}, in no test\n${stack}`);
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
console.log("");
for (const [name, time] of times) console.log(`${name.padEnd(10)} ${time}`);
console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exit(broken || total.failed > 0 ? 1 : 0);
