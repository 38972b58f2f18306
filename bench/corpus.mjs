// Checks if real files are decoded correctly: requests every image below a folder from the built server and
// compares it with other decoders.
//
//   npm run build && node bench/corpus.mjs FOLDER [--out results.jsonl] [--again results.jsonl] [--jobs 2]
//
// Each file is requested as `full/max/0/default.png`, and larger ones as a region and at a smaller size too.
// A file is
//   right    if it is near at least one other decoder, and no two others agree on another picture
//   refused  if the response is a problem document with a code of its own; classes that two others read alike are listed
//   wrong    if it differs from what two others agree on, or its info.json, region or smaller size does not fit its full picture
//   crashed  if there is no response within 60 s, the process ends, or the code means a fault of the service
//   unjudged if fewer than two others read it, or no two agree, and none is near
// and contested if one other agrees with us and two with each other. The reasons for the bounds are at
// `near`. --out writes a line of JSON per file; --again tries only the files that such a list does not call
// right.

import { createHash } from "node:crypto";
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import http from "node:http";
import { join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { damaged, imagemagick, isPlainCmyk, openjpeg, pillow, plainJpeg, rgba } from "./lib/decoders.mjs";
import { ask } from "./lib/http.mjs";
import { table } from "./lib/numbers.mjs";
import { blurred, distance, exact, near, reduced, sameRegion } from "./lib/same-picture.mjs";
import { start } from "./lib/servers.mjs";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    out: { type: "string" },
    again: { type: "string" },
    jobs: { type: "string", default: "2" },
    program: { type: "string", default: resolve(fileURLToPath(import.meta.url), "../../dist/main.js") },
    verbose: { type: "boolean", default: false },
  },
});
if (positionals.length !== 1) throw new Error("expected one folder of images; node bench/corpus.mjs FOLDER");
const folder = resolve(positionals[0]);

const formats = { jpg: "JPEG", png: "PNG", tif: "TIFF", webp: "WebP", gif: "GIF", jp2: "JPEG 2000" };
const verdicts = ["right", "refused", "wrong", "crashed", "contested", "unjudged"];
/** Codes that blame the service, not the file. */
const faults = new Set([
  "internal_error",
  "worker_died",
  "out_of_memory",
  "render_timeout",
  "encode",
  "encode_failed",
]);
/** Files larger than this are left out: the comparison holds several copies of their pixels. */
const maxArea = 60e6;

/** First bytes of each format in hexadecimal; dots stand for any. */
const beginnings = [
  ["jpg", /^ffd8ff/],
  ["png", /^89504e470d0a1a0a/],
  ["tif", /^(4949|4d4d)(2a00|002a|2b00|002b)/],
  ["webp", /^52494646.{8}57454250/],
  ["gif", /^47494638/],
  ["jp2", /^(ff4fff51|0000000c6a502020)/],
];

/** The format of a file as a key of `formats`; undefined for others. */
function formatOf(path) {
  const head = readFileSync(path).toString("hex", 0, 12);
  return beginnings.find(([, pattern]) => pattern.test(head))?.[0];
}

const settings = () => ({ image: { max_pixel_area: maxArea, timeout: "60s" } });
const serving = {
  program: resolve(options.program),
  sources: folder,
  cache: { render: "none", info: "heap", origin: "filesystem" },
  settings,
  verbose: options.verbose,
};
const server = { current: await start("smalti", serving) };
const agent = new http.Agent();

/** The server after the end of `dead`, started once however many wait for it. */
function replaced(dead) {
  if (server.current !== dead) return server.current;
  server.current = dead.stop().then(() => start("smalti", serving));
  return server.current.then((next) => (server.current = next));
}

/**
 * Returns our response: `{ body }`, or `{ code, detail }`. A request without a response is repeated once,
 * since another file may have ended the process.
 */
async function answer(name, path, again = true) {
  const asked = await server.current;
  try {
    const { status, body } = await ask(asked.url(name.split(sep).join("/"), path), agent, 60_000);
    if (status === 200) return { body };
    const { code = `status ${status}`, detail = "" } = JSON.parse(body);
    return { code, detail };
  } catch (error) {
    console.error(`${name} ${path}: ${error.message}`);
    await replaced(asked);
    return again ? answer(name, path, false) : { code: "no_answer", detail: error.message };
  }
}

const attempt = async (work) => {
  try {
    return await work();
  } catch {
    return undefined;
  }
};

/**
 * Returns the contents of the colour box of a JP2 file (T.800 I.5.3.3): CMYK by number, a profile, a CMYK
 * profile.
 */
function jp2Colour(path) {
  const head = readFileSync(path).subarray(0, 4096).toString("hex");
  const profile = /636f6c720[23].{4}(.{72})/.exec(head);
  return {
    cmyk: profile ? profile[1].includes("434d594b") : /636f6c7201....0000000c/.test(head),
    profile: profile !== null,
  };
}

/**
 * Returns the pictures of the other decoders by name, in turn until `enough` is satisfied. Decoders known to
 * ignore the colour information of the file are skipped. `loose`: inks of no known press.
 */
async function others(path, format, python, enough) {
  const pictures = {};
  const keep = async (name, work) => {
    if (enough(pictures)) return;
    const picture = await attempt(work);
    if (picture) pictures[name] = picture;
    return picture;
  };
  const jp2 = format === "jp2" ? jp2Colour(path) : undefined;
  if (jp2?.cmyk) {
    await keep("OpenJPEG", () => openjpeg(path));
    return { pictures, loose: true };
  }
  const facts = await keep("Pillow", () => python.read(path));
  const loose = facts ? facts.mode === "CMYK" && !facts.icc : await isPlainCmyk(path);
  const grayProfile = facts?.icc && /^(1|L|I)/.test(facts.mode);
  if ((!facts?.assumed || loose) && !grayProfile) await keep("sharp", () => rgba(path, { upright: true }));
  if (!grayProfile && !jp2?.profile) await keep("ImageMagick", () => imagemagick(path, facts));
  if (format === "jpg") await keep("jpegtran and djpeg", () => plainJpeg(path));
  if (jp2) await keep("OpenJPEG", () => openjpeg(path));
  return { pictures, loose };
}

/**
 * Returns the names of the first two pictures that are near each other and, if `ours` is given, not near it.
 */
function pairOf(pictures, loose, ours) {
  const names = Object.keys(pictures).filter((name) => !ours || !near(ours, pictures[name], loose));
  for (const [i, a] of names.entries())
    for (const b of names.slice(i + 1)) if (near(pictures[a], pictures[b], loose)) return [a, b];
}

/**
 * Returns what does not fit the full picture: info.json, a region or a smaller size; undefined if everything
 * fits.
 */
async function inconsistency(name, full) {
  const info = await answer(name, "info.json");
  const { width, height } = info.body ? JSON.parse(info.body) : {};
  if (width !== full.width || height !== full.height)
    return `info.json says ${width} x ${height} ${info.code ?? ""}`;
  if (Math.min(width, height) < 300) return;
  const [x, y, w, h] = [width / 3, height / 3, width / 4, height / 4].map(Math.floor);
  const region = await answer(name, `${x},${y},${w},${h}/max/0/default.png`);
  if (!region.body) return `region: ${region.code}`;
  if (!exact(await rgba(region.body), sameRegion(full, x, y, w, h)))
    return "region differs from the full picture";
  const small = await answer(name, "full/!150,150/0/default.png");
  if (!small.body) return `size: ${small.code}`;
  const picture = await rgba(small.body);
  const { mean } = distance(await blurred(picture), await blurred(await reduced(full, picture)));
  if (!(mean <= 4)) return `size: ${mean.toFixed(1)} from the full picture reduced`;
}

/** One row of the results. */
async function judge(path, python) {
  const name = relative(folder, path);
  const format = formatOf(path);
  const began = Date.now();
  const got = await answer(name, "full/max/0/default.png");
  const base = { name, format, ms: Date.now() - began };
  if (got.code) {
    const { pictures, loose } = await others(path, format, python, (seen) => pairOf(seen));
    const pair = pairOf(pictures, loose);
    const broken = got.code === "no_answer" || got.code.startsWith("status") || faults.has(got.code);
    const read = Object.keys(pictures);
    const unsound = pair ? await damaged(path, format) : undefined;
    return { ...base, ...got, verdict: broken ? "crashed" : "refused", read, pair, unsound };
  }
  const ours = await rgba(got.body);
  const supporters = (pictures, loose) =>
    Object.keys(pictures).filter((key) => near(ours, pictures[key], loose));
  const { pictures, loose } = await others(
    path,
    format,
    python,
    (seen) => supporters(seen, false).length > 1,
  );
  const supported = supporters(pictures, loose);
  const opposed = pairOf(pictures, loose, ours);
  const distances = Object.entries(pictures).map(([key, picture]) => [key, distance(ours, picture)]);
  const facts = {
    ...base,
    read: Object.keys(pictures),
    supported,
    opposed,
    distances: Object.fromEntries(distances),
  };
  if (opposed && supported.length === 0 && (await damaged(path, format)))
    return { ...facts, verdict: "unjudged", detail: "damaged" };
  if (opposed && supported[0] === "jpegtran and djpeg")
    return { ...facts, verdict: "unjudged", detail: "incomplete: the others smooth it from block to block" };
  if (opposed) return { ...facts, verdict: supported.length > 0 ? "contested" : "wrong" };
  const detail = await inconsistency(name, ours);
  if (detail) return { ...facts, verdict: "wrong", detail };
  return { ...facts, verdict: supported.length > 0 ? "right" : "unjudged" };
}

const before = options.again
  ? readFileSync(options.again, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
  : [];
const results = before.filter(({ verdict }) => verdict === "right");
const done = new Set(results.map(({ name }) => name));
const files = readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
  .filter((path) => !done.has(relative(folder, path)) && formatOf(path))
  .map((path) => ({ path, order: createHash("sha1").update(path).digest("hex") }))
  .sort((a, b) => (a.order < b.order ? -1 : 1)) // mixed, so that results so far are a fair sample
  .map(({ path }) => path);
if (options.out) writeFileSync(options.out, results.map((row) => `${JSON.stringify(row)}\n`).join(""));
const queue = files.values();
const began = Date.now();
async function work() {
  const python = pillow();
  for (const path of queue) {
    const row = await judge(path, python).catch((error) => ({
      name: relative(folder, path),
      format: formatOf(path),
      verdict: "unjudged",
      detail: `comparison failed: ${error.message}`,
    }));
    results.push(row);
    if (options.out) appendFileSync(options.out, `${JSON.stringify(row)}\n`);
    if (results.length % 100 === 0)
      console.error(
        `${results.length} of ${files.length + done.size}, ${Math.round((Date.now() - began) / 1000)} s`,
      );
  }
  python.stop();
}
await Promise.all(Array.from({ length: Number(options.jobs) }, work));
await (await server.current).stop();
agent.destroy();

results.sort((a, b) => (a.name < b.name ? -1 : 1));

const count = (format, verdict) =>
  String(results.filter((row) => row.format === format && row.verdict === verdict).length);
console.log(
  table(
    ["format", ...verdicts],
    Object.entries(formats).map(([key, label]) => [label, ...verdicts.map((verdict) => count(key, verdict))]),
    1,
  ),
);
console.log(`\n${results.length} files, ${new Date().toISOString().slice(0, 10)}`);

const blocks = {
  "Refused, though two others read them alike": false,
  "and the same where sharp finds damage too": true,
};
for (const [heading, unsound] of Object.entries(blocks)) {
  const classes = new Map();
  for (const row of results.filter(
    (one) => one.verdict === "refused" && one.pair && one.unsound === unsound,
  )) {
    const key = `${formats[row.format]} ${row.code}: ${row.detail.replaceAll(/\d+/g, "N")}`;
    classes.set(key, [...(classes.get(key) ?? []), row.name]);
  }
  console.log(`\n${heading}:`);
  for (const [key, names] of [...classes].sort((a, b) => b[1].length - a[1].length))
    console.log(`${String(names.length).padStart(5)}  ${key}\n       ${names.slice(0, 3).join(", ")}`);
}
for (const verdict of ["wrong", "crashed", "contested"]) {
  const rows = results.filter((row) => row.verdict === verdict);
  if (rows.length > 0) console.log(`\n${verdict}:`);
  for (const { name, detail, code = "", opposed = [], distances = {} } of rows) {
    const figures = Object.entries(distances).map(([key, { mean, far }]) => `${key} ${mean} ${far}%`);
    console.log(
      `  ${name}  ${[code, detail, opposed.join(" = "), figures.join(", ")].filter(Boolean).join("; ")}`,
    );
  }
}
