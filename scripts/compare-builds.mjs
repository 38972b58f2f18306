// Compares the responses of two builds, byte by byte: the same seeded requests to both, under many
// configurations.
//
//   node scripts/compare-builds.mjs BEFORE_DIST AFTER_DIST [--requests 5000] [--seed 1] [--only TEXT] [--masters FOLDER]
//
// Leave the folder of masters unchanged meanwhile: entity tags change with a file's times, including hard
// links to it. Prints each difference and their number; the exit code is 1 if there is any. `--only`:
// configurations whose name contains the text.

import { createHash } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { withBuilt } from "./built-server.mjs";
import { gatherMasters } from "./compare/masters.mjs";
import { drawRequests } from "./compare/requests.mjs";
import { settingsOf } from "./compare/settings.mjs";

const root = resolve(import.meta.dirname, "..");
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    requests: { type: "string", default: "5000" },
    seed: { type: "string", default: "1" },
    only: { type: "string", default: "" },
    masters: { type: "string", default: join(root, "node_modules/.cache/compare-builds") },
    fixtures: { type: "string", default: join(root, "test/fixtures") },
    large: { type: "string", default: join(root, "../shared/fixtures") },
  },
});
if (positionals.length !== 2) throw new Error("expected two folders: BEFORE_DIST AFTER_DIST");
const dists = positionals.map((dist) => resolve(dist));

/** Concurrent requests per server, so that they meet others in progress. */
const atOnce = 3;
/** Compared in addition to status and body. `Date` and the like vary from second to second. */
const compared = ["content-type", "etag", "link", "location"];

const masters = await gatherMasters(values.masters, values);
const settings = settingsOf()
  .map((setting, i) => ({ ...setting, seed: Number(values.seed) * 1000 + i }))
  .filter(({ name }) => name.includes(values.only));
const each = Math.ceil(
  Number(values.requests) / settings.reduce((sum, { again }) => sum + (again ? 2 : 1), 0),
);
const work = mkdtempSync(join(tmpdir(), "compare-builds-"));
let answers = 0;
const statuses = new Map();
const differing = [];
try {
  for (const [i, setting] of settings.entries()) {
    const began = Date.now();
    const before = differing.length;
    await compareUnder(setting, drawRequests(masters, each, setting.seed), String(i));
    const found = differing.slice(before);
    const seconds = ((Date.now() - began) / 1000).toFixed(1);
    console.log(`${setting.name.padEnd(36)} ${String(found.length).padStart(4)} differ  ${seconds} s`);
    for (const line of found) console.log(`  ${line}`);
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}
const counted = [...statuses].sort().map(([status, count]) => `${count} of status ${status}`);
console.log(`${answers} answers (${counted.join(", ")}), ${differing.length} differing`);
process.exitCode = differing.length > 0 ? 1 : 0;

/** Sends all requests of a setting, the second time to new servers if the setting says so. */
async function compareUnder(setting, paths, name) {
  const folders = ["before", "after"].map((side) => join(work, name, side));
  const passes = setting.again ? ["cold", "warm"] : ["cold"];
  if (!setting.restart)
    return withBoth(setting, folders, (bases) => comparePasses(passes, bases, paths, setting));
  await withBoth(setting, folders, (bases) => comparePasses(["cold"], bases, paths, setting));
  const later = ["before", "after"].map((side) => join(work, name, `${side}-again`));
  for (const folder of later) cpSync(join(folders[0], "origin"), join(folder, "origin"), { recursive: true });
  await withBoth(setting, later, (bases) => comparePasses(["restarted"], bases, paths, setting));
}

/** Starts both servers at the same time; neither stops before `use` is over. */
async function withBoth({ yaml }, folders, use) {
  let release = () => {};
  const over = new Promise((resolve) => {
    release = resolve;
  });
  const started = folders.map((folder, side) => {
    mkdirSync(join(folder, "origin"), { recursive: true });
    const options = { dist: dists[side], masters: values.masters, quiet: true };
    return new Promise((resolve, reject) => {
      const keep = async (base) => {
        resolve({ base, ended });
        await over;
      };
      const ended = withBuilt(folder, yaml(join(folder, "origin")), keep, options);
      ended.catch(reject);
    });
  });
  try {
    const servers = await Promise.all(started);
    await use(servers.map(({ base }) => base));
  } finally {
    release();
    for (const { ended } of await Promise.all(started)) await ended;
  }
}

async function comparePasses(passes, bases, paths, setting) {
  for (const pass of passes) {
    const [before, after] = await Promise.all(bases.map((base) => askAll(base, paths)));
    for (const [i, path] of paths.entries()) {
      answers += 1;
      const { status } = before[i];
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      const differs = Object.keys(before[i]).filter((key) => before[i][key] !== after[i][key]);
      if (differs.length > 0)
        differing.push(
          `${setting.name}, ${pass}: ${path}\n    ${differs.map((key) => `${key}: ${before[i][key]} | ${after[i][key]}`).join("\n    ")}`,
        );
    }
  }
}

/**
 * Returns the compared parts of the responses, in the order of the requests; a few requests run concurrently.
 */
async function askAll(base, paths) {
  const found = new Array(paths.length);
  let next = 0;
  const ask = async () => {
    while (next < paths.length) {
      const i = next++;
      found[i] = await seen(base, paths[i]);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, ask));
  return found;
}

async function seen(base, path) {
  const response = await fetch(base + path, { redirect: "manual" });
  const body = new Uint8Array(await response.arrayBuffer());
  const { port } = new URL(base);
  // Addresses have the port of the server in them.
  const text = /json|html|text/.test(response.headers.get("content-type") ?? "");
  const shown = text ? Buffer.from(body).toString("latin1").replaceAll(port, "port") : body;
  const headers = compared.map((name) => [name, response.headers.get(name)?.replaceAll(port, "port")]);
  const whole = response.headers.get("content-type")?.includes("json");
  return {
    status: response.status,
    ...Object.fromEntries(headers.filter(([name]) => !(whole && name === "etag"))),
    body: createHash("sha256").update(shown).digest("hex"),
  };
}
