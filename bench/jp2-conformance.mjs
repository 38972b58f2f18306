// Checks if JPEG 2000 is decoded correctly: compares our codec with OpenJPEG on every file of the folders,
// sample by sample.
//
//   node bench/jp2-conformance.mjs FOLDER... [--windows 4] [--seconds 60] [--jobs 2] [--seed 1] [--out results.jsonl]
//
// For each file it decodes the whole picture and seeded windows at every reduction that the codec offers, and
// compares them with `opj_decompress -r` (Debian: libopenjp2-tools) before any colour conversion. Files whose
// components all use the 5/3 wavelet must be equal, others within 1 step of their own depth. If the codec
// makes a sidecar, every other read uses it. A separate process decodes and is killed after --seconds;
// comparisons up to then count. The exit code is 1 if a file differs or fails.
//
// Public files: github.com/uclouvain/openjpeg-data (input/conformance holds those of ITU-T T.803;
// input/nonregression and baseline hold files that decoders had trouble with, many of them damaged on
// purpose) and github.com/aous72/jp2k_test_codestreams (HTJ2K).

import { fork } from "node:child_process";
import { appendFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { table } from "./lib/numbers.mjs";

const root = resolve(import.meta.dirname, "..");
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    windows: { type: "string", default: "4" },
    seconds: { type: "string", default: "60" },
    jobs: { type: "string", default: "2" },
    seed: { type: "string", default: "1" },
    out: { type: "string" },
  },
});
if (positionals.length === 0) throw new Error("expected folders; node bench/jp2-conformance.mjs FOLDER...");

/** In the order of the summary; `fails` if the exit code is 1. */
const verdicts = {
  exact: {},
  "within 1": {},
  differs: { fails: true },
  failed: { fails: true },
  "no answer": { fails: true },
  refused: {},
  "called damaged": {},
  "both refuse": {},
  "not compared": {},
};

const place = mkdtempSync(join(tmpdir(), "jp2-conformance-"));
process.on("exit", () => rmSync(place, { recursive: true, force: true }));
const bundle = join(place, "codec.mjs");
await build({
  stdin: {
    contents: `
      export { createCodecs } from "./src/imaging/codecs/index.ts";
      export { scaleFactorsOf } from "./src/imaging/codecs/codec.ts";
      export { memoryBytes } from "./src/base/bytes/byte-source.ts";
      export { ServiceError } from "./src/base/errors.ts";`,
    resolveDir: root,
  },
  outfile: bundle,
  bundle: true,
  format: "esm",
  platform: "node",
  logLevel: "warning",
  banner: {
    // the parts of Node that emscripten's packages expect
    js: `import { createRequire } from "node:module";
      const require = createRequire(import.meta.url);
      const __dirname = ${JSON.stringify(place)};`,
  },
});

/** A process that compares one file at a time, and is replaced if it ends or hangs. */
function comparer() {
  let child;
  const begin = () =>
    new Promise((done, fail) => {
      const own = fork(join(root, "bench/jp2-conformance/compare-file.mjs"), [bundle], {
        stdio: ["ignore", "ignore", "pipe", "ipc"],
      });
      own.said = "";
      own.stderr.on("data", (part) => (own.said = `${own.said}${part}`.slice(-2000)));
      own.once("message", () => done(own));
      own.once("exit", () => fail(new Error(own.said)));
    });
  const compare = async (path) => {
    child ??= await begin();
    const own = child;
    return new Promise((done) => {
      let progress = { kind: "" };
      const finish = (result) => {
        clearTimeout(timer);
        own.removeAllListeners("message");
        own.removeAllListeners("exit");
        done(result);
      };
      const replace = (result) => {
        child = undefined;
        own.kill("SIGKILL");
        finish(result);
      };
      const seconds = Number(options.seconds);
      const timer = setTimeout(() => {
        const late = progress.compared ? {} : { verdict: "no answer", detail: `none in ${seconds} s` };
        replace({ ...progress, ...late, partial: true });
      }, seconds * 1000);
      own.on("message", (message) => {
        if (message.progress) progress = { ...message.progress };
        else finish(message.result);
      });
      own.once("exit", () =>
        replace({ ...progress, verdict: "failed", detail: own.said || "the process ended" }),
      );
      own.send({ path, seed: Number(options.seed), windows: Number(options.windows), seconds });
    });
  };
  return { compare, stop: () => child?.kill() };
}

/** Returns a result row with its verdict, derived from the largest difference unless there is one already. */
function judged(name, result) {
  const { most, limit, at, compared, partial } = result;
  const verdict = result.verdict ?? (most === 0 ? "exact" : most > limit ? "differs" : "within 1");
  const detail = [
    result.detail,
    verdict === "differs" && `by ${most}: ${at}`,
    partial && compared && `${compared} comparisons in time`,
  ];
  return { name, kind: result.kind, verdict, compared, detail: detail.filter(Boolean).join("; ") };
}

const files = positionals.flatMap((folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(jp2|j2k|j2c|jhc|jph|jpx|jpc)$/i.test(entry.name))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort()
    .map((path) => ({ path, name: positionals.length > 1 ? relative(".", path) : relative(folder, path) })),
);
if (options.out) writeFileSync(options.out, "");
const results = [];
const queue = files.values();
async function work() {
  const { compare, stop } = comparer();
  for (const { path, name } of queue) {
    const row = judged(name, await compare(path));
    results.push(row);
    if (options.out) appendFileSync(options.out, `${JSON.stringify(row)}\n`);
    if (results.length % 25 === 0) console.error(`${results.length} of ${files.length}`);
  }
  stop();
}
await Promise.all(Array.from({ length: Number(options.jobs) }, work));

results.sort((a, b) => (a.name < b.name ? -1 : 1));
const oneLine = (text) => text.split("\n")[0];
console.log(
  table(
    ["file", "kind", "result", ""],
    results.map(({ name, kind, verdict, detail }) => [name, kind, verdict, oneLine(detail)]),
    4,
  ),
);
const counts = Object.keys(verdicts).map((verdict) => [
  verdict,
  String(results.filter((row) => row.verdict === verdict).length),
]);
console.log(`\n${table(["result", "files"], [...counts, ["all", String(results.length)]], 1)}`);
const failing = results.filter(({ verdict }) => verdicts[verdict].fails);
if (failing.length > 0) console.log("\nfailing:");
for (const { name, verdict, detail } of failing) console.log(`  ${name}: ${verdict}, ${oneLine(detail)}`);
process.exitCode = failing.length > 0 ? 1 : 0;
