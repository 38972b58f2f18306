// Measures decoding a part of a baseline JPEG at each scale, and indexing a whole one, compared with sharp.
//
//   node bench/decode.mjs [--rounds 9] [--against FOLDER] [--kinds] [PICTURE]
//
// PICTURE is a baseline JPEG, by default 24mp-baseline.jpg of sources.mjs. Each row is the input of a
// response of 512 pixels: planes of 1024 pixels at 1/1 (a response at 1/2), of 2048 at 1/2 and of 4096 at
// 1/4, at several positions in the picture. Prints medians of CPU time (user and system) in ms per run, in
// alternating order; "run" is the part inside the module, in wall time. --against: another checkout of this
// repository, measured in the same run. --kinds: the same samples with other subsampling, gray and with
// restarts (by cjpeg, from a part of the picture), in ns per coded byte.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import sharp from "sharp";
import { median, table } from "./lib/numbers.mjs";
import { machine } from "./lib/options.mjs";

const root = resolve(fileURLToPath(import.meta.url), "../..");
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "9" },
    against: { type: "string" },
    kinds: { type: "boolean", default: false },
  },
});
const rounds = Number(options.rounds);
const file = positionals[0] ?? join(root, "node_modules/.cache/bench/24mp-baseline.jpg");

sharp.concurrency(1);
sharp.cache(false);

/** The decoder of a checkout, with the time that its module has run. */
async function decoderOf(folder) {
  const outdir = mkdtempSync(join(tmpdir(), "decode-"));
  await build({
    stdin: {
      contents: `export * from "./src/imaging/codecs/jpg/region/index.ts"; export { memoryBytes } from "./src/base/bytes/byte-source.ts";`,
      resolveDir: folder,
    },
    bundle: true,
    format: "esm",
    platform: "node",
    outfile: join(outdir, "decode.mjs"),
  });
  const code = await import(pathToFileURL(join(outdir, "decode.mjs")).href);
  rmSync(outdir, { recursive: true });
  const { buildWasm } = await import(pathToFileURL(join(folder, "scripts/wasm.mjs")).href);
  const wasm = (await buildWasm(["jpeg-decode"]))["jpeg-decode"];
  const engine = code.createEngine(new WebAssembly.Module(readFileSync(wasm)));
  const decoder = { inside: 0 };
  const timed =
    (call) =>
    (...args) => {
      const began = performance.now();
      const result = call(...args);
      decoder.inside += performance.now() - began;
      return result;
    };
  const { indexRows, decodeRows } = engine.run;
  const run = { ...engine.run, indexRows: timed(indexRows), decodeRows: timed(decodeRows) };
  const watched = {
    run,
    owner: undefined,
    get size() {
      return engine.size;
    },
    bytes: () => engine.bytes(),
    words: () => engine.words(),
    reserve: (end) => engine.reserve(end),
  };
  decoder.open = (data) => code.openJpeg(() => watched, code.memoryBytes(data));
  return decoder;
}

const decoders = { own: await decoderOf(root) };
if (options.against) decoders.against = await decoderOf(resolve(options.against));

/** Square regions of `side` pixels on a grid of 512, spread over the picture. */
function regionsOf({ width, height }, side, count) {
  const places = (length) => Math.max(0, Math.floor((length - side) / 512));
  return Array.from({ length: count }, (_, i) => ({
    x: 512 * Math.round((((i * 5) % count) / Math.max(1, count - 1)) * places(width)),
    y: 512 * Math.round((i / Math.max(1, count - 1)) * places(height)),
    width: Math.min(side, width),
    height: Math.min(side, height),
  }));
}

const works = [
  { name: "index of the file", side: 0 },
  { name: "512 at 1/1, pixels", side: 512, scale: 1, as: "pixels", count: 9 },
  { name: "1024 at 1/1, planes", side: 1024, scale: 1, as: "planes", count: 7 },
  { name: "2048 at 1/2, planes", side: 2048, scale: 2, as: "planes", count: 4 },
  { name: "4096 at 1/4, planes", side: 4096, scale: 4, as: "planes", count: 2 },
];

/**
 * Returns functions that run the decoding once with each decoder, and with sharp; each returns the coded
 * bytes that it consumed.
 */
async function runsOf(data, work) {
  const runs = {};
  let frame;
  for (const [name, decoder] of Object.entries(decoders)) {
    const reader = await decoder.open(data);
    await reader.buildAccessPoints();
    frame = reader.frame;
    const regions = work.side ? regionsOf(frame, work.side, work.count) : [];
    const borrowed = (region, scale) => reader.withPlanes(region, scale, "stored", () => undefined);
    const decode =
      work.as === "pixels" ? reader.decodePixels : reader.withPlanes ? borrowed : reader.decodePlanes;
    const coded = regions.map((region) =>
      reader.neededRanges(region, work.scale, work.as).reduce((sum, { length }) => sum + length, 0),
    );
    runs[name] = async () => {
      decoder.inside = 0;
      if (work.side === 0) {
        const fresh = await decoder.open(data);
        await fresh.buildAccessPoints();
        return { bytes: data.length, inside: decoder.inside };
      }
      for (const region of regions) await decode(region, work.scale);
      const bytes = coded.reduce((sum, length) => sum + length, 0) / regions.length;
      return { bytes, inside: decoder.inside / regions.length };
    };
  }
  if (work.side === 0) return runs;
  const [region] = regionsOf(frame, work.side, 2).slice(1);
  runs.sharp = async () => {
    const { x: left, y: top, width, height } = region;
    await sharp(data)
      .extract({ left, top, width, height })
      .resize(Math.ceil(width / work.scale))
      .raw()
      .toBuffer();
    return {};
  };
  return runs;
}

/** Medians of all runs of a work. */
async function measure(data, work) {
  const runs = await runsOf(data, work);
  const seen = Object.fromEntries(Object.keys(runs).map((name) => [name, { cpu: [], inside: [], bytes: 0 }]));
  const times = work.count ?? 1;
  for (let round = -3; round < rounds; round++)
    for (const [name, run] of Object.entries(runs)) {
      if (name === "sharp" && (round < -1 || round > 4)) continue;
      const before = process.cpuUsage();
      const { bytes, inside } = await run();
      const { user, system } = process.cpuUsage(before);
      if (round < 0) continue;
      seen[name].cpu.push((user + system) / 1000 / (name === "sharp" ? 1 : times));
      seen[name].inside.push(inside);
      seen[name].bytes = bytes;
    }
  return Object.fromEntries(
    Object.entries(seen).map(([name, { cpu, inside, bytes }]) => [
      name,
      { cpu: median(cpu), inside: median(inside), bytes },
    ]),
  );
}

const data = new Uint8Array(readFileSync(file));
console.log(`${machine()}; ${rounds} rounds, ${file}`);
if (options.kinds) await compareKinds();
else {
  const lines = [];
  for (const work of works) {
    const { own, against, sharp: peer } = await measure(data, work);
    lines.push([
      work.name,
      own.cpu,
      own.inside,
      ...(against ? [against.cpu, against.inside] : []),
      peer?.cpu,
      Math.round(own.bytes / 1000),
    ]);
  }
  const more = options.against ? ["against CPU", "run"] : [];
  console.log(table(["work", "own CPU", "run", ...more, "sharp CPU", "coded kB"], lines, 1));
}

async function compareKinds() {
  const part = { left: 0, top: 0, width: 4096, height: 2048 };
  const { data: samples } = await sharp(data).extract(part).raw().toBuffer({ resolveWithObject: true });
  const ppm = Buffer.concat([Buffer.from(`P6 ${part.width} ${part.height} 255\n`), samples]);
  const kinds = {
    "4:2:0": ["-sample", "2x2"],
    "4:2:0, optimised codes": ["-sample", "2x2", "-optimize"],
    "4:2:0, restart each row": ["-sample", "2x2", "-restart", "1"],
    "4:2:0, restart each 8 MCUs": ["-sample", "2x2", "-restart", "8B"],
    "4:2:2": ["-sample", "2x1"],
    "4:4:0": ["-sample", "1x2"],
    "4:4:4": ["-sample", "1x1"],
    gray: ["-grayscale"],
  };
  const kindWorks = [
    works[0],
    { name: "512 at 1/1, pixels", side: 512, scale: 1, as: "pixels", count: 9 },
    ...[1, 2, 4].map((scale) => ({
      name: `1024 at 1/${scale}, planes`,
      side: 1024,
      scale,
      as: "planes",
      count: 4,
    })),
  ];
  const lines = [];
  for (const [kind, args] of Object.entries(kinds)) {
    const { stdout } = spawnSync("cjpeg", ["-quality", "90", ...args], { input: ppm, maxBuffer: 1 << 28 });
    const cells = [];
    for (const work of kindWorks) {
      const { own, against } = await measure(new Uint8Array(stdout), work);
      cells.push((own.cpu * 1e6) / own.bytes, ...(against ? [(against.cpu * 1e6) / against.bytes] : []));
    }
    lines.push([kind, ...cells]);
  }
  const heading = kindWorks.flatMap(({ name }) => (options.against ? [name, "against"] : [name]));
  console.log(table(["ns CPU per coded byte", ...heading], lines, 1));
}
