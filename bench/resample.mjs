// Measures CPU and wall time of the resampling module compared with sharp's, in turn, in one run.
//
//   node bench/resample.mjs [--rounds 9] [--only TEXT]
//
// Prints medians in ms per picture; "CPU" is user and system time of the whole process. From raw samples to
// raw samples everything is counted, including copies into and out of WebAssembly memory. sharp works on one
// thread without its cache. When enlarging, and for 16-bit pictures, it uses another filter or path, so those
// rows are not on equal terms.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import sharp from "sharp";
import { buildWasm } from "../scripts/wasm.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const option = (name, fallback) => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? fallback : process.argv[at + 1];
};
const rounds = Number(option("rounds", 9));
const only = option("only", "");

sharp.concurrency(1);
sharp.cache(false);

const { resample } = await buildWasm(["resample"]);
const module = new WebAssembly.Module(readFileSync(resample));
const { createResampler } = await imported("src/imaging/pipeline/wasm/resample.ts");
const resampler = createResampler(() => module);

async function imported(file) {
  const outfile = join(mkdtempSync(join(tmpdir(), "resample-")), "resample.mjs");
  const entryPoints = [resolve(root, file)];
  await build({ entryPoints, bundle: true, format: "esm", target: "es2022", outfile });
  const loaded = await import(pathToFileURL(outfile).href);
  rmSync(dirname(outfile), { recursive: true });
  return loaded;
}

const sizes = [
  [1024, 1024, 512, 512],
  [700, 700, 512, 512],
  [256, 256, 512, 512],
  [1067, 1067, 512, 512],
  [2048, 2048, 512, 512],
  [6000, 4000, 512, 341],
];
const kinds = [
  { name: "rgb", bands: 3, bits: 8 },
  { name: "gray", bands: 1, bits: 8 },
  { name: "rgba", bands: 4, bits: 8 },
  { name: "rgba opaque", bands: 4, bits: 8, opaque: true },
  { name: "gray+alpha", bands: 2, bits: 8 },
  { name: "rgb 16 bit", bands: 3, bits: 16 },
  { name: "gray 16 bit", bands: 1, bits: 16 },
  { name: "rgba 16 bit", bands: 4, bits: 16 },
];

/** Soft waves and some noise: no sample is like its neighbour, none is far from it. */
function samples(width, height, { bands, bits, opaque }) {
  const full = bits === 16 ? 65535 : 255;
  const data = bits === 16 ? new Uint16Array(width * height * bands) : new Uint8Array(width * height * bands);
  let state = 1;
  for (let p = 0; p < data.length; p++) {
    const band = p % bands;
    const x = Math.floor(p / bands) % width;
    const y = Math.floor(p / bands / width);
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const wave = 0.5 + 0.3 * Math.sin(x / 9 + band) * Math.cos(y / 13) + 0.2 * (state / 2 ** 32);
    data[p] = opaque && band === bands - 1 ? full : wave * full;
  }
  return data;
}

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

async function measured(run, times) {
  const cpu = process.cpuUsage();
  const began = performance.now();
  for (let n = 0; n < times; n++) await run();
  const wall = performance.now() - began;
  const { user, system } = process.cpuUsage(cpu);
  return { wall: wall / times, cpu: (user + system) / 1000 / times };
}

function runs([width, height, across, down], kind) {
  const { bands, bits } = kind;
  const data = samples(width, height, kind);
  const pixels = { width, height, bands, interpretation: bands < 3 ? "gray" : "rgb", data };
  const x = { size: across, origin: 0, scale: width / across };
  const y = { size: down, origin: 0, scale: height / down };
  const raw = { width, height, channels: bands };
  return {
    own: () => resampler.resize(pixels, x, y),
    sharp: () =>
      sharp(data, { raw })
        .resize(across, down, { fit: "fill", kernel: "lanczos3" })
        .raw(bits === 16 ? { depth: "ushort" } : undefined)
        .toBuffer(),
  };
}

console.log(`${process.version} ${cpus()[0].model}, ${rounds} rounds`);
console.log(
  "picture".padEnd(40),
  "own wall / CPU".padStart(16),
  "sharp wall / CPU".padStart(18),
  "CPU ratio".padStart(10),
);
for (const size of sizes)
  for (const kind of kinds) {
    const label = `${size[0]}x${size[1]} to ${size[2]}x${size[3]}, ${kind.name}`;
    const large = size[0] * size[1] > 1e7;
    if (!label.includes(only) || (large && (kind.bands % 2 === 0 || kind.bits === 16))) continue;
    const { own, sharp: peer } = runs(size, kind);
    const times = large ? 2 : 10;
    await measured(own, times * 3);
    await measured(peer, times);
    const seen = { own: [], peer: [] };
    for (let round = 0; round < rounds; round++) {
      seen.own.push(await measured(own, times));
      seen.peer.push(await measured(peer, large ? 1 : 3));
    }
    const of = (list, key) => median(list.map((each) => each[key]));
    const pair = (list) => `${of(list, "wall").toFixed(2)} / ${of(list, "cpu").toFixed(2)}`;
    const ratio = of(seen.own, "cpu") / of(seen.peer, "cpu");
    console.log(
      label.padEnd(40),
      pair(seen.own).padStart(16),
      pair(seen.peer).padStart(18),
      ratio.toFixed(2).padStart(10),
    );
  }
