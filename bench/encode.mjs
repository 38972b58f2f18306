// Measures encoding a baseline JPEG: our own encoder compared with sharp and libjpeg-turbo as WebAssembly.
//
//   node bench/encode.mjs [--rounds 9] [--side 512] [--quality 90] [PICTURE]
//
// All encoders encode the same pixels in turn, a batch per round. Prints medians of wall and CPU time per
// picture in milliseconds, bytes, and CPU relative to sharp's default. One thread: sharp runs with
// concurrency 1.

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import createTurbo from "@cornerstonejs/codec-libjpeg-turbo-8bit/wasmjs";
import sharp from "sharp";
import { buildWasm } from "../scripts/wasm.mjs";
import { compiled } from "./lib/compiled.mjs";

const root = resolve(fileURLToPath(import.meta.url), "../..");
const args = process.argv.slice(2);
function option(name, fallback) {
  const at = args.indexOf(`--${name}`);
  return at < 0 ? fallback : Number(args.splice(at, 2)[1]);
}
const rounds = option("rounds", 9);
const side = option("side", 512);
const quality = option("quality", 90);
const file = args[0] ?? join(root, "static/sample/sample.jpg");

sharp.concurrency(1);
sharp.cache(false);

const crop = sharp(file).removeAlpha().resize(side, side, { fit: "cover", withoutEnlargement: false });
const rgb = new Uint8Array(await crop.clone().toColourspace("srgb").raw().toBuffer());
const gray = new Uint8Array(await crop.clone().toColourspace("b-w").raw().toBuffer());
const raw = { raw: { width: side, height: side, channels: 3 } };

const { createJpegEncoder } = await compiled("src/imaging/codecs/jpg/encode/fast-encode.ts");
const files = await buildWasm(["jpeg-encode"]);
const own = createJpegEncoder(new WebAssembly.Module(readFileSync(files["jpeg-encode"])));
const colour = { width: side, height: side, bands: 3, interpretation: "rgb", data: rgb };
const plain = { width: side, height: side, bands: 1, interpretation: "gray", data: gray };
const planes = planesOf(rgb);

/** Y, Cb and Cr, 4:2:0, in plain arithmetic. */
function planesOf(data) {
  const full = [0, 1, 2].map(() => new Float32Array(side * side));
  for (let i = 0; i < side * side; i++) {
    const [r, g, b] = data.subarray(3 * i, 3 * i + 3);
    full[0][i] = 0.299 * r + 0.587 * g + 0.114 * b;
    full[1][i] = 128 - 0.168736 * r - 0.331264 * g + 0.5 * b;
    full[2][i] = 128 + 0.5 * r - 0.418688 * g - 0.081312 * b;
  }
  const half = Math.ceil(side / 2);
  const small = (plane) =>
    Uint8Array.from({ length: half * half }, (_, i) => {
      const [x, y] = [2 * (i % half), 2 * Math.floor(i / half)];
      const [right, below] = [Math.min(x + 1, side - 1), Math.min(y + 1, side - 1)];
      return (
        (plane[y * side + x] +
          plane[y * side + right] +
          plane[below * side + x] +
          plane[below * side + right]) /
        4
      );
    });
  return [
    { data: Uint8Array.from(full[0]), width: side, height: side, stride: side },
    { data: small(full[1]), width: half, height: half, stride: half },
    { data: small(full[2]), width: half, height: half, stride: half },
  ];
}

const wasm = join(root, "node_modules/@cornerstonejs/codec-libjpeg-turbo-8bit/dist/libjpegturbowasm.wasm");
const turbo = await createTurbo({ wasmBinary: readFileSync(wasm), print() {}, printErr() {} });
function turboEncode() {
  const encoder = new turbo.JPEGEncoder();
  encoder
    .getDecodedBuffer({ width: side, height: side, bitsPerSample: 16, componentCount: 3, isSigned: false })
    .set(rgb);
  encoder.setQuality(quality);
  encoder.setProgressive(false);
  encoder.setSubSampling(2);
  encoder.encode();
  const jpeg = new Uint8Array(encoder.getEncodedBuffer());
  encoder.delete();
  return jpeg;
}

const pixels = (picture, chroma, optimise) => () =>
  own.encode({ kind: "pixels", pixels: picture }, { quality, chroma, optimise });
const withSharp = (options) => () =>
  sharp(rgb, raw)
    .jpeg({ quality, ...options })
    .toBuffer();

const contenders = {
  "sharp 4:2:0 (default)": withSharp({}),
  "sharp 4:2:0, typical tables": withSharp({ optimiseCoding: false }),
  "libjpeg-turbo wasm 4:2:0": turboEncode,
  "own 4:2:0": pixels(colour, "420", false),
  "own 4:2:0, optimised": pixels(colour, "420", true),
  "own 4:2:0 from planes": () =>
    own.encode(
      { kind: "planes", width: side, height: side, planes, sampling: "420" },
      { quality, chroma: "420" },
    ),
  "sharp 4:4:4": withSharp({ chromaSubsampling: "4:4:4" }),
  "own 4:4:4": pixels(colour, "444", false),
  "own 4:4:4, optimised": pixels(colour, "444", true),
  "own gray": pixels(plain, "420", false),
};

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const batch = Math.max(1, Math.round((20 * 512 * 512) / (side * side)));
const rows = new Map(Object.keys(contenders).map((name) => [name, { wall: [], cpu: [], bytes: 0 }]));
for (let round = -1; round < rounds; round++) {
  for (const [name, encode] of Object.entries(contenders)) {
    const row = rows.get(name);
    const cpu = process.cpuUsage();
    const began = performance.now();
    for (let i = 0; i < batch; i++) row.bytes = (await encode()).length;
    const wall = performance.now() - began;
    const { user, system } = process.cpuUsage(cpu);
    if (round < 0) continue; // warming
    row.wall.push(wall / batch);
    row.cpu.push((user + system) / 1000 / batch);
  }
}
const base = median(rows.get("sharp 4:2:0 (default)").cpu);
console.log(`${side}x${side}, quality ${quality}, ${rounds} rounds of ${batch}, ${file}`);
console.log(`${"".padEnd(30)}    wall     cpu     bytes  cpu/sharp`);
for (const [name, { wall, cpu, bytes }] of rows) {
  const cells = [median(wall).toFixed(2), median(cpu).toFixed(2)].map((cell) => cell.padStart(8)).join("");
  console.log(
    `${name.padEnd(30)}${cells}${String(bytes).padStart(10)}${(median(cpu) / base).toFixed(2).padStart(11)}`,
  );
}
