// The pixel kernels of the project timed in one runtime, whichever it is: bundled and started by
// ../kernels.mjs.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { memoryBytes } from "../../src/base/bytes/byte-source.ts";
import { createJpegEncoder } from "../../src/imaging/codecs/jpg/encode/fast-encode.ts";
import { createEngine, openJpeg } from "../../src/imaging/codecs/jpg/region/index.ts";
import { createResampler } from "../../src/imaging/pipeline/wasm/resample.ts";

const { picture, modules, batches, batchMs, warmMs } = JSON.parse(globalThis.process.argv[2]);
const moduleOf = (name) => new WebAssembly.Module(readFileSync(modules[name]));

const engine = createEngine(moduleOf("jpeg-decode"));
const reader = await openJpeg(() => engine, memoryBytes(new Uint8Array(readFileSync(picture))));
await reader.buildAccessPoints();
const encoder = createJpegEncoder(moduleOf("jpeg-encode"));
const resample = moduleOf("resample");
const resampler = createResampler(() => resample);

const region = (side) => ({ x: 512, y: 512, width: side, height: side });
const rgb = async (side) => ({
  width: side,
  height: side,
  bands: 3,
  interpretation: "rgb",
  data: (await reader.decodePixels(region(side), 1)).data,
});
const [small, large] = [await rgb(512), await rgb(1024)];
const half = { size: 512, origin: 0, scale: 2 };

/** Each returns the bytes that it made. */
const kernels = {
  "decode 1024 px at 1/1, planes": async () =>
    (await reader.decodePlanes(region(1024), 1)).map((p) => p.data),
  "decode 2048 px at 1/2, planes": async () =>
    (await reader.decodePlanes(region(2048), 2)).map((p) => p.data),
  "decode 512 px at 1/1, RGB": async () => [(await reader.decodePixels(region(512), 1)).data],
  "resample 1024 to 512 px, RGB": async () => [resampler.resize(large, half, half).data],
  "encode 512 px, RGB, 4:2:0, q90": async () => [
    encoder.encode({ kind: "pixels", pixels: small }, { quality: 90, chroma: "420" }),
  ],
};

async function timed(run, ms) {
  const began = performance.now();
  let count = 0;
  let spent = 0;
  for (; spent < ms; spent = performance.now() - began, count++) await run();
  return spent / count;
}

const results = {};
for (const [name, run] of Object.entries(kernels)) {
  const digest = createHash("sha256");
  for (const part of await run()) digest.update(part);
  await timed(run, warmMs);
  const ms = [];
  for (let i = 0; i < batches; i++) ms.push(await timed(run, batchMs));
  results[name] = { digest: digest.digest("hex").slice(0, 12), ms };
}
console.log(JSON.stringify(results));
