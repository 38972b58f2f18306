// Compares the memory that building a sidecar is admitted for with what it takes.
//
//   node bench/build-memory.mjs [--most 1.5] PICTURE...
//
// Each picture has a process of its own, without the server: it reads the header and a small region, collects
// garbage, builds the sidecar with blocks that are dropped, and reports its peak of resident memory above
// that before. Prints estimate, peak and ratio; fails if a ratio is beyond --most either way. The estimates
// are upper bounds of small builds, of which the thread's own needs are the larger part: below 32 MiB the
// script says so instead. Linux only.

import { spawnSync } from "node:child_process";
import { closeSync, fstatSync, openSync, readFileSync, readSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { codecHost } from "./lib/codec-host.mjs";
import { compiled } from "./lib/compiled.mjs";
import { table } from "./lib/numbers.mjs";
import { nodeFlags, nodeVariables } from "./lib/processes.mjs";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { most: { type: "string", default: "1.5" }, one: { type: "boolean", default: false } },
});

const mebibyte = 2 ** 20;
/** Estimates below this are not judged: buffers of the thread and garbage are as large. */
const leastJudged = 32 * mebibyte;

/** Returns a figure of this process in bytes. */
const memoryNow = (field) =>
  1024 * Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync("/proc/self/status", "utf8"))[1]);

/** Bytes of a file, read when they are needed. */
function fileBytes(fd) {
  const { size } = fstatSync(fd);
  return {
    size,
    gap: 0,
    async read(offset, length) {
      const bytes = new Uint8Array(Math.max(0, Math.min(length, size - offset)));
      if (bytes.length > 0) readSync(fd, bytes, 0, bytes.length, offset);
      return bytes;
    },
  };
}

/** Builds what tiles of one picture need; prints estimate and peak in bytes. */
async function measure(file) {
  const { createCodecs } = await compiled("src/imaging/codecs/index.ts");
  const codecs = createCodecs(await codecHost());
  const fd = openSync(file, "r");
  const bytes = fileBytes(fd);
  const codec = codecs.recognise(await bytes.read(0, 64));
  const header = await codec.probe(bytes, 1);
  // Modules are compiled and buffers are made before what counts.
  const corner = { x: 0, y: 0, width: Math.min(256, header.width), height: Math.min(256, header.height) };
  if (codec.format !== "webp") await codec.decode(bytes, { header, page: 1, region: corner, scaleFactor: 1 });
  globalThis.gc();
  const before = memoryNow("VmRSS");
  const blocks = { room: Number.POSITIVE_INFINITY, load: async () => undefined, keep: async () => {} };
  const access = { id: "build", blocks, load: async () => new Uint8Array() };
  const layers = codec.sidecar.layers(header, bytes.size, Number.POSITIVE_INFINITY);
  const layer = layers.find((each) => each === "ground" || each === "pyramid");
  await codec.sidecar.build(bytes, { header, page: 1 }, access, layer);
  closeSync(fd);
  const estimate = codec.sidecar.memory(header, bytes.size, layer);
  console.log(JSON.stringify({ estimate, peak: memoryNow("VmHWM") - before }));
}

if (options.one) await measure(positionals[0]);
else {
  const own = fileURLToPath(import.meta.url);
  const rows = positionals.map((file) => {
    const words = ["--expose-gc", ...nodeFlags, own, "--one", file];
    const env = { ...process.env, ...nodeVariables };
    const { stdout, stderr, status } = spawnSync(process.execPath, words, { encoding: "utf8", env });
    if (status !== 0) throw new Error(`${file}: ${stderr}`);
    return { name: basename(file), ...JSON.parse(stdout) };
  });
  const most = Number(options.most);
  const judged = ({ estimate, peak }) =>
    Math.max(estimate, peak) < leastJudged
      ? "small"
      : estimate / peak > most || peak / estimate > most
        ? "beyond"
        : "";
  console.log(
    table(
      ["picture", "estimate MiB", "peak MiB", "estimate/peak", ""],
      rows.map((row) => [
        row.name,
        (row.estimate / mebibyte).toFixed(0),
        (row.peak / mebibyte).toFixed(0),
        (row.estimate / row.peak).toFixed(2),
        judged(row),
      ]),
      1,
    ),
  );
  if (rows.some((row) => judged(row) === "beyond")) process.exitCode = 1;
}
