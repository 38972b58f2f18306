// Measures the baseline transcode of a progressive JPEG, compared with a whole decode of the same file by
// sharp and by djpeg.
//
//   node bench/transcode.mjs FILE.jpg [--rounds 7]
//
// FILE is any JPEG; sharp converts one that is not progressive (lossy, once, before measuring). Prints
// medians of user and system time of the process in ms, alternating, one thread; the sizes of both files; the
// memory used.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import sharp from "sharp";
import { buildWasm } from "../scripts/wasm.mjs";

const name = process.argv[2];
if (!name) throw new Error("usage: node bench/transcode.mjs FILE.jpg [--rounds 7]");
const at = process.argv.indexOf("--rounds");
const rounds = at > 0 ? Number(process.argv[at + 1]) : 7;
const folder = mkdtempSync(join(tmpdir(), "transcode-"));
process.on("exit", () => rmSync(folder, { recursive: true }));

await build({
  entryPoints: {
    transcode: "src/imaging/codecs/jpg/transcode/transcoder.ts",
    scans: "src/imaging/codecs/jpg/transcode/scans.ts",
    source: "src/base/bytes/byte-source.ts",
  },
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  outdir: folder,
  outExtension: { ".js": ".mjs" },
  logLevel: "error",
});
const bundled = (file) => import(pathToFileURL(join(folder, `${file}.mjs`)).href);
const { openTranscoder } = await bundled("transcode");
const { listScans } = await bundled("scans");
const { memoryBytes } = await bundled("source");

let file = new Uint8Array(readFileSync(name));
if (!(await sharp(file).metadata()).isProgressive)
  file = new Uint8Array(
    await sharp(file, { limitInputPixels: false }).jpeg({ progressive: true, quality: 88 }).toBuffer(),
  );
const path = join(folder, "progressive.jpg");
writeFileSync(path, file);

sharp.concurrency(1);
sharp.cache(false);
const wasm = (await buildWasm(["jpeg-transcode"]))["jpeg-transcode"];
const transcoder = openTranscoder(new WebAssembly.Module(readFileSync(wasm)));
const source = memoryBytes(file);
let transcode;

const rows = {
  "walk over the markers": () => listScans(source),
  "DC planes": () => transcoder.dcPlanes(source),
  "baseline transcode": async () => {
    transcode = await transcoder.transcode(source, { onChunk: () => {} });
  },
  "sharp, whole decode": () => sharp(file, { limitInputPixels: false }).raw().toBuffer(),
  "djpeg, whole decode": () => spawnSync("djpeg", ["-outfile", "/dev/null", path]).status === 0,
};

const times = Object.fromEntries(Object.keys(rows).map((row) => [row, []]));
const children = () => {
  const fields = readFileSync("/proc/self/stat", "utf8").split(") ")[1].split(" ");
  return (Number(fields[13]) + Number(fields[14])) * 10; // ticks of 10 ms
};
for (let round = 0; round < rounds + 2; round++) {
  for (const [row, work] of Object.entries(rows)) {
    const isChild = row.startsWith("djpeg");
    const before = isChild ? children() : process.cpuUsage();
    const done = await work();
    if (isChild && done === false) continue;
    const spent = isChild ? children() - before : process.cpuUsage(before);
    if (round >= 2) times[row].push(isChild ? spent : (spent.user + spent.system) / 1000);
  }
}
for (const [row, list] of Object.entries(times))
  if (list.length > 0)
    console.log(
      row.padEnd(24),
      list
        .sort((a, b) => a - b)
        [list.length >> 1].toFixed(1)
        .padStart(8),
      "ms CPU",
    );
console.log(
  `source ${file.length} bytes, transcode ${transcode.size} (${((100 * transcode.size) / file.length - 100).toFixed(1)} %)`,
);
console.log(`WebAssembly memory of the transcode's work: ${(transcode.memory / 2 ** 20).toFixed(2)} MiB`);
