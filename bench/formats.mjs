// Measures the formats that are written: CPU time, bytes and quality of a tile, a download, a picture with
// alpha and one of 16 bits, next to sharp's AVIF and libjxl's cjxl in the same run.
//
//   node bench/formats.mjs [--rounds 3] [--quality 90] [--avif 65] [--sharp 75] [PICTURE ...]
//
// Our encoders take the pixels alone, as a job does after its steps. Times are medians of CPU milliseconds
// after a first call; those of cjxl are of its process, with its PNG. sharp runs on one thread. PSNR is of
// all colour samples in dB; SSIM is that of luma (Wang et al. 2004) over windows of 8 x 8. Pictures with
// alpha are compared on white; those of 16 bits in levels of 8. sharp's scale of quality is another: at 75
// its files have about the bytes and quality of ours at 65.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import sharp from "sharp";
import { codecHost } from "./lib/codec-host.mjs";
import { compiled } from "./lib/compiled.mjs";
import { psnr, ssim } from "./lib/likeness.mjs";
import { median, table } from "./lib/numbers.mjs";
import { machine } from "./lib/options.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "3" },
    quality: { type: "string", default: "90" },
    avif: { type: "string", default: "65" },
    sharp: { type: "string", default: "75" },
  },
});
const [rounds, quality, avifQuality, sharpQuality] = [
  values.rounds,
  values.quality,
  values.avif,
  values.sharp,
].map(Number);
const sample = resolve(fileURLToPath(import.meta.url), "../../static/sample/sample.jpg");
sharp.concurrency(1);
sharp.cache(false);

const { createCodecs } = await compiled("src/imaging/codecs/index.ts");
const codecs = createCodecs(await codecHost());
const folder = mkdtempSync(join(tmpdir(), "smalti-formats-"));

/** Pictures to encode, made from a file. */
const operations = {
  tile: async (file) => pixelsOf(await cropOf(file, 512), 3),
  download: async (file) => pixelsOf(sharp(file).resize(2000, 2000, { fit: "inside" }), 3),
  alpha: async (file) => {
    const pixels = await pixelsOf((await cropOf(file, 512)).ensureAlpha(), 4);
    // Holes and soft edges, as maps and cut-outs have them.
    for (let i = 0; i < pixels.data.length; i += 4) {
      const [x, y] = [(i / 4) % pixels.width, Math.floor(i / 4 / pixels.width)];
      pixels.data[i + 3] = Math.max(0, Math.min(255, 2 * (Math.hypot(x - 256, y - 256) - 64)));
    }
    return pixels;
  },
  // Reducing by four makes values between those of 8 bits.
  "16 bits": async (file) =>
    pixelsOf(sharp(file).toColourspace("rgb16").resize(512, 512, { fit: "cover" }), 3),
};

async function cropOf(file, side) {
  const { width, height } = await sharp(file).metadata();
  const [left, top] = [width, height].map((length) => Math.floor((length - side) / 2));
  return sharp(file).extract({ left, top, width: side, height: side });
}

async function pixelsOf(picture, bands) {
  const isDeep = picture.options.colourspacePipeline === "rgb16" || picture.options.colourspace === "rgb16";
  const made = bands === 3 ? picture.removeAlpha() : picture;
  const { data, info } = await made
    .raw({ depth: isDeep ? "ushort" : "uchar" })
    .toBuffer({ resolveWithObject: true });
  const samples = isDeep
    ? new Uint16Array(data.buffer, data.byteOffset, data.length / 2)
    : new Uint8Array(data);
  return { width: info.width, height: info.height, bands, interpretation: "rgb", data: samples };
}

const own = (format, of) => (pixels) =>
  codecs.encoder(format).encode(pixels, {
    format,
    quality: of,
    progressive: false,
    chroma: "420",
    encoder: "fast",
  });
const rawOf = ({ width, height, bands, data }) => sharp(data, { raw: { width, height, channels: bands } });
/** How each encoder makes a file of pixels, and what it takes. */
const encoders = {
  "smalti jpg": { make: own("jpg", quality), takes: { alpha: false, deep: false } },
  "smalti webp": { make: own("webp", 80), takes: { alpha: true, deep: false } },
  "smalti avif": { make: own("avif", avifQuality), takes: { alpha: true, deep: true } },
  "sharp avif, effort 2": { make: sharpAvif(2), takes: { alpha: true, deep: false } },
  "sharp avif, effort 4": { make: sharpAvif(4), takes: { alpha: true, deep: false } },
  "smalti jxl": { make: own("jxl", quality), takes: { alpha: true, deep: false } },
  "cjxl -e 3": { make: cjxl(3), takes: { alpha: true, deep: true } },
  "cjxl -e 7": { make: cjxl(7), takes: { alpha: true, deep: true } },
};

function sharpAvif(effort) {
  return (pixels) =>
    rawOf(pixels).avif({ quality: sharpQuality, effort, chromaSubsampling: "4:2:0" }).toBuffer();
}

/** CPU milliseconds of the last process of cjxl, whose own time this process does not see. */
let outside = 0;
function cjxl(effort) {
  return async (pixels) => {
    const [png, jxl] = ["in.png", "out.jxl"].map((name) => join(folder, name));
    writeFileSync(png, await pngOf(pixels));
    const line = `TIMEFORMAT='%U %S'; time cjxl '${png}' '${jxl}' -q ${quality} -e ${effort} --num_threads 0`;
    const { stderr, status } = spawnSync("bash", ["-c", line], { encoding: "utf8" });
    if (status !== 0) throw new Error(stderr);
    const [user, system] = stderr.trim().split("\n").at(-1).split(" ").map(Number);
    outside = 1000 * (user + system);
    return readFileSync(jxl);
  };
}

async function pngOf(pixels) {
  if (pixels.data instanceof Uint8Array) return rawOf(pixels).png({ compressionLevel: 1 }).toBuffer();
  return codecs.encoder("png").encode(pixels, { format: "png", quality: 100, chroma: "420" });
}

/** Returns the pixels of a file as levels from 0 to 255 in three bands, on white if they have alpha. */
async function levelsOf(file, name) {
  let png = file;
  if (/jxl/.test(name)) png = decodedBy("djxl", file, "jxl");
  else if (/avif/.test(name)) png = decodedBy("avifdec", file, "avif", "--depth", "16");
  const flat = sharp(png).flatten({ background: "#fff" }).toColourspace("rgb16");
  const { data, info } = await flat.raw({ depth: "ushort" }).toBuffer({ resolveWithObject: true });
  const samples = new Uint16Array(data.buffer, data.byteOffset, data.length / 2);
  return { width: info.width, height: info.height, data: Float64Array.from(samples, (value) => value / 257) };
}

function decodedBy(program, file, extension, ...args) {
  const [from, to] = [join(folder, `file.${extension}`), join(folder, "file.png")];
  writeFileSync(from, file);
  const { status, stderr } = spawnSync(program, [...args, from, to], { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return readFileSync(to);
}

async function measure(make, pixels, name) {
  await make(pixels);
  const times = [];
  let file;
  for (let round = 0; round < rounds; round++) {
    const before = process.cpuUsage();
    file = await make(pixels);
    const { user, system } = process.cpuUsage(before);
    times.push(/cjxl/.test(name) ? outside : (user + system) / 1000);
  }
  return { file: Buffer.from(file), ms: median(times) };
}

console.log(`${machine()}; ${spawnSync("cjxl", ["--version"], { encoding: "utf8" }).stdout.split("\n")[0]}`);
for (const picture of positionals.length > 0 ? positionals : [sample])
  for (const [operation, make] of Object.entries(operations)) {
    const pixels = await make(picture);
    const reference = await levelsOf(await pngOf(pixels), "png");
    const rows = [];
    for (const [name, { make, takes }] of Object.entries(encoders)) {
      if ((pixels.bands === 4 && !takes.alpha) || (pixels.data instanceof Uint16Array && !takes.deep))
        continue;
      const { file, ms } = await measure(make, pixels, name);
      const shown = await levelsOf(file, name);
      const bytes = file.length / 1000;
      rows.push([name, ms, bytes, psnr(reference, shown).toFixed(2), ssim(reference, shown).toFixed(4)]);
    }
    console.log(`\n${basename(picture)}, ${operation}, ${pixels.width} x ${pixels.height}`);
    console.log(table(["encoder", "CPU ms", "KB", "PSNR", "SSIM"], rows, 1));
  }
rmSync(folder, { recursive: true });
