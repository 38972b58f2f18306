// Measures reading and writing PNG, and reading tiles of a deflated TIFF, compared with sharp.
//
//   node bench/png.mjs [--rounds 9] [PICTURE]
//
// PICTURE is any picture that sharp reads, by default 24mp-baseline.jpg of sources.mjs, of which the masters
// are made. Prints medians of CPU time (user and system, all threads) in ms, in alternating order: own, sharp
// and their ratio; for writing also kB, at one level of deflate, sharp with adaptive filters. Then MB/s of
// undoing each row filter, by bytes of a pixel.

import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import sharp from "sharp";
import { codecHost } from "./lib/codec-host.mjs";
import { compiled } from "./lib/compiled.mjs";
import { median, table } from "./lib/numbers.mjs";
import { machine } from "./lib/options.mjs";

const root = resolve(fileURLToPath(import.meta.url), "../..");
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: "string", default: "9" } },
});
const rounds = Number(options.rounds);
const file = positionals[0] ?? join(root, "node_modules/.cache/bench/24mp-baseline.jpg");

sharp.concurrency(1);
sharp.cache(false);

const host = await codecHost();
const { createCodecs } = await compiled("src/imaging/codecs/index.ts");
const { memoryBytes } = await compiled("src/base/bytes/byte-source.ts");
const { level } = await compiled("src/imaging/codecs/png/encode.ts");
const codecs = createCodecs(host);

/** Medians of the CPU time of functions in turn, in ms. */
async function times(runs) {
  const seen = Object.fromEntries(Object.keys(runs).map((name) => [name, []]));
  for (let round = -1; round < rounds; round++)
    for (const [name, run] of Object.entries(runs)) {
      const before = process.cpuUsage();
      await run();
      const { user, system } = process.cpuUsage(before);
      if (round >= 0) seen[name].push((user + system) / 1000);
    }
  return Object.fromEntries(Object.entries(seen).map(([name, all]) => [name, median(all)]));
}

const row = (name, { own, peer }, ...more) => [name, own, peer, own / peer, ...more];

/** Reading: the whole, at half size, and a square in the middle. */
async function reading(name, data, side) {
  const source = memoryBytes(data);
  const codec = codecs.recognise(data.subarray(0, 64));
  const header = await codec.probe(source, 1);
  const { width, height } = header;
  const whole = { x: 0, y: 0, width, height };
  const middle = { x: (width >> 1) & ~255, y: (height >> 1) & ~255, width: side, height: side };
  const decode = (region, scaleFactor) => () =>
    codec.decode(source, { header, page: 1, region, scaleFactor });
  const part = { left: middle.x, top: middle.y, width: side, height: side };
  const rows = [
    row(
      `${name}, ${side} px`,
      await times({ own: decode(middle, 1), peer: () => sharp(data).extract(part).raw().toBuffer() }),
    ),
  ];
  if (codec.format !== "png") return rows;
  const half = Math.ceil(width / 2);
  return [
    row(`${name}, whole`, await times({ own: decode(whole, 1), peer: () => sharp(data).raw().toBuffer() })),
    row(
      `${name}, 1/2`,
      await times({
        own: decode(whole, 2),
        peer: () => sharp(data).resize(half, null, { kernel: "linear" }).raw().toBuffer(),
      }),
    ),
    ...rows,
  ];
}

async function writing(name, image) {
  const wide = name.includes("16");
  const { data, info } = await image
    .raw({ depth: wide ? "ushort" : "uchar" })
    .toBuffer({ resolveWithObject: true });
  const { width, height, channels: bands } = info;
  const samples = wide ? new Uint16Array(new Uint8Array(data).buffer) : new Uint8Array(data);
  const space = `${bands < 3 ? (wide ? "grey" : "b-w") : "rgb"}${wide ? "16" : ""}`;
  const theirs = () => {
    const raw = sharp(samples, { raw: { width, height, channels: bands } });
    return raw
      .toColourspace(space === "rgb" ? "srgb" : space)
      .png({ compressionLevel: level, adaptiveFiltering: true })
      .toBuffer();
  };
  const pixels = { width, height, bands, interpretation: bands < 3 ? "gray" : "rgb", data: samples };
  const ours = () => codecs.encoder("png").encode(pixels, { format: "png" });
  const sizes = [await ours(), await theirs()].map(({ length }) => Math.round(length / 1000));
  return row(name, await times({ own: ours, peer: theirs }), ...sizes);
}

function unfiltering() {
  const { exports } = new WebAssembly.Instance(host.wasm("png"));
  const [width, count, from, to] = [5000, 6, 1 << 17, 1 << 20];
  exports.memory.grow(64);
  const memory = new Uint8Array(exports.memory.buffer);
  for (let i = 0; i < memory.length; i++) memory[i] = Math.imul(i, 2654435761) >>> 21;
  return [1, 2, 3, 4, 6, 8].map((step) => {
    const rowBytes = width * step;
    const speeds = [1, 2, 3, 4].map((filter) => {
      for (let y = 0; y < count; y++) memory[from + y * (rowBytes + 1)] = filter;
      const all = Array.from({ length: 20 * rounds }, () => {
        const began = performance.now();
        exports.unfilterRows(from, rowBytes, count, step, rowBytes, to);
        return performance.now() - began;
      });
      return (count * rowBytes) / median(all) / 1000;
    });
    return [`${step}`, ...speeds];
  });
}

const image = () => sharp(file).removeAlpha();
const png = { compressionLevel: 6, adaptiveFiltering: true };
const masters = {
  RGB: image().png(png),
  gray: image().toColourspace("b-w").png(png),
  RGBA: image().ensureAlpha(0.5).png(png),
  "RGB 16": image().toColourspace("rgb16").png(png),
  palette: image().png({ palette: true, effort: 1 }),
  "TIFF, deflate": image().tiff({
    tile: true,
    tileWidth: 256,
    tileHeight: 256,
    compression: "deflate",
    predictor: "horizontal",
  }),
};

console.log(`${machine()}; ${rounds} rounds, ${file}`);
const read = [];
for (const [name, master] of Object.entries(masters))
  read.push(
    ...(await reading(name, new Uint8Array(await master.toBuffer()), name.startsWith("TIFF") ? 256 : 512)),
  );
console.log(table(["reading, CPU ms", "own", "sharp", "ratio"], read, 2));

const { width = 0, height = 0 } = await sharp(file).metadata();
const tile = () => image().extract({ left: width >> 2, top: height >> 2, width: 512, height: 512 });
const written = [
  await writing("RGB, 512 px", tile()),
  await writing("gray, 512 px", tile().toColourspace("b-w")),
  await writing("RGBA, 512 px", tile().ensureAlpha(0.5)),
  await writing("RGB 16, 512 px", tile().toColourspace("rgb16")),
  await writing("gray 16, 512 px", tile().toColourspace("grey16")),
  await writing("RGB, whole", image()),
];
console.log(table(["writing, CPU ms", "own", "sharp", "ratio", "own kB", "sharp kB"], written, 2));
console.log(table(["undoing filters, MB/s", "sub", "up", "average", "paeth"], unfiltering(), 0));
