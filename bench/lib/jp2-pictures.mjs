// Pictures of jp2.mjs: the photographs of sources.mjs as JPEG 2000 of several kinds and sizes, each made
// once.

import { spawnSync } from "node:child_process";
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import sharp from "sharp";
import { defaultSources } from "./options.mjs";

const bench = dirname(dirname(fileURLToPath(import.meta.url)));

/** 9/7 in three layers, 2 bits per pixel in all; precincts of 256 at each resolution. */
const lossy = ["-I", "-r", "48,24,12"];
const untiled = ["-c", Array(6).fill("[256,256]").join(",")];
const tiled = ["-t", "1024,1024"];

/** Sides of the pictures by their name; larger ones repeat the 24 megapixels. */
const sizes = {
  "24mp": { width: 6000, height: 4000 },
  "100mp": { width: 12000, height: 8400 },
  "165mp": { width: 15000, height: 11000 },
};

/**
 * One row per file. `compress`: options of opj_compress besides progression RPCL. `throughput`: the step of
 * the quantiser of OpenJPH's encoder, 0 for lossless; the file has one tile, no layers and no PLT.
 */
export const pictures = {
  "24mp-97-untiled": { size: sizes["24mp"], compress: [...lossy, ...untiled, "-PLT"] },
  "24mp-97-untiled-no-plt": { size: sizes["24mp"], compress: [...lossy, ...untiled] },
  "24mp-97-tiled": { size: sizes["24mp"], compress: [...lossy, ...tiled, "-PLT"] },
  "24mp-53-untiled": { size: sizes["24mp"], compress: [...untiled, "-PLT"] },
  "24mp-53-tiled": { size: sizes["24mp"], compress: [...tiled, "-PLT"] },
  "24mp-ht-53": { size: sizes["24mp"], throughput: 0 },
  "24mp-ht-97": { size: sizes["24mp"], throughput: 0.012 },
  "165mp-97-untiled": { size: sizes["165mp"], compress: [...lossy, ...untiled, "-PLT"] },
  "100mp-97-untiled": { size: sizes["100mp"], compress: [...lossy, ...untiled, "-PLT"] },
};

/** Returns the file of a picture in `folder`, made if it does not exist yet. */
export async function pictureFile(name, folder) {
  const { size, compress, throughput } = pictures[name];
  const file = join(folder, `${name}.jp2`);
  if (existsSync(file)) return file;
  mkdirSync(folder, { recursive: true });
  console.error(`making ${file} …`);
  const part = join(folder, `${name}.part.jp2`);
  if (compress) {
    const ppm = join(folder, `${name}.part.ppm`);
    await writePpm(ppm, size);
    const args = ["-i", ppm, "-o", part, "-p", "RPCL", "-threads", "ALL_CPUS", ...compress];
    const { status, stderr } = spawnSync("opj_compress", args, { encoding: "utf8" });
    rmSync(ppm);
    if (status !== 0) throw new Error(`opj_compress (Debian: libopenjp2-tools) made no ${name}: ${stderr}`);
  } else writeFileSync(part, boxed(await highThroughput(size, throughput), size));
  renameSync(part, file);
  console.error(`${((statSync(file).size * 8) / size.width / size.height).toFixed(2)} bits/px`);
  return file;
}

/** RGB samples of the 24 megapixels of sources.mjs. */
async function samples() {
  const file = join(defaultSources, "24mp-png.png");
  if (!existsSync(file)) {
    const args = [join(bench, "sources.mjs"), "--sizes", "24", "--forms", "png"];
    if (spawnSync(process.execPath, args, { stdio: "inherit" }).status !== 0)
      throw new Error(`expected ${file} from sources.mjs`);
  }
  return sharp(file).removeAlpha().raw().toBuffer({ resolveWithObject: true });
}

async function writePpm(file, { width, height }) {
  const { data, info } = await samples();
  const out = openSync(file, "w");
  writeSync(out, `P6\n${width} ${height}\n255\n`);
  for (let y = 0; y < height; y++) {
    const row = data.subarray(3 * info.width * (y % info.height)).subarray(0, 3 * info.width);
    for (let x = 0; x < width; x += info.width) writeSync(out, row, 0, 3 * Math.min(info.width, width - x));
  }
  closeSync(out);
}

async function highThroughput({ width, height }, step) {
  const { data } = await samples();
  const module = await createRequire(import.meta.url)("@cornerstonejs/codec-openjph")();
  const encoder = new module.HTJ2KEncoder();
  const facts = { bitsPerSample: 8, componentCount: 3, isSigned: false, isUsingColorTransform: true };
  encoder.getDecodedBuffer({ width, height, ...facts }).set(data);
  encoder.setDecompositions(5);
  encoder.setQuality(step === 0, step);
  encoder.encode();
  return Buffer.from(encoder.getEncodedBuffer());
}

/** A JPH file around a codestream of sRGB (ITU-T T.814 Annex D). */
function boxed(codestream, { width, height }) {
  const u32 = (value) => [value >>> 24, (value >> 16) & 255, (value >> 8) & 255, value & 255];
  const box = (type, ...parts) => {
    const body = Buffer.concat(parts.map((part) => Buffer.from(part)));
    return Buffer.concat([Buffer.from(u32(8 + body.length)), Buffer.from(type), body]);
  };
  return Buffer.concat([
    box("jP  ", [0x0d, 0x0a, 0x87, 0x0a]),
    box("ftyp", "jph ", u32(0), "jph "),
    box("jp2h", box("ihdr", u32(height), u32(width), [0, 3, 7, 7, 0, 0]), box("colr", [1, 0, 0], u32(16))),
    box("jp2c", codestream),
  ]);
}
