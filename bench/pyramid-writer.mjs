// Measures writing a pyramidal TIFF, compared with libvips (sharp), and how near the levels of both are to a
// reduction in double precision.
//
//   node bench/pyramid-writer.mjs [--sources FOLDER] [--pictures 24mp-tiff-deflate.tif] [--rounds 3]
//
// PICTURES are tiled or stripped TIFF of 8-bit RGB, by default the one of sources.mjs. Each run is a process
// of its own. Prints for each compression medians of the CPU time of all threads in s, peak memory in MB, MB
// of the file: own, sharp, and own without the reading of the source. Then PSNR in dB of each level, in a
// square of at most 512 px in its middle: own and libvips' against Lanczos-3 in double precision, and own
// against libvips' (levels of the same size only).

import { spawnSync } from "node:child_process";
import { mkdtempSync, openSync, rmSync, statSync, writeSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { psnr, tileOf } from "./lib/likeness.mjs";
import { median, table } from "./lib/numbers.mjs";

const { values: options } = parseArgs({
  options: {
    sources: {
      type: "string",
      default: fileURLToPath(new URL("../node_modules/.cache/bench", import.meta.url)),
    },
    pictures: { type: "string", default: "24mp-tiff-deflate.tif" },
    rounds: { type: "string", default: "3" },
    /** For the processes that measure: program, compression, source and target. */
    run: { type: "string" },
  },
});

/** Quality 89, as sources.mjs: libvips stores RGB in JPEG tiles from 90 on. */
const compressions = {
  jpeg: {
    own: { kind: "jpeg", quality: 89, chroma: "420" },
    sharp: { compression: "jpeg", quality: 89 },
  },
  deflate: {
    own: { kind: "deflate", level: 6 },
    sharp: { compression: "deflate", predictor: "horizontal" },
  },
};

/** Writes a pyramid, or reads the source only, from rows as high as its tiles. */
async function runOwn(compression, source, target) {
  const { codecHost } = await import("./lib/codec-host.mjs");
  const { compiled } = await import("./lib/compiled.mjs");
  const host = await codecHost();
  const { createCodecs } = await compiled("src/imaging/codecs/index.ts");
  const { writeTiffPyramid } = await compiled("src/imaging/codecs/tif/write/pyramid.ts");
  const codecs = createCodecs(host);
  const file = await open(source);
  const bytes = {
    size: (await file.stat()).size,
    async read(offset, length) {
      const buffer = new Uint8Array(length);
      const { bytesRead } = await file.read(buffer, 0, length, offset);
      return buffer.subarray(0, bytesRead);
    },
  };
  const codec = codecs.decoder("tif");
  const header = await codec.probe(bytes, 1);
  const { width, height } = header;
  const decodeRows = async (take) => {
    for (let y = 0; y < height; y += 256) {
      const region = { x: 0, y, width, height: Math.min(256, height - y) };
      await take(await codec.decode(bytes, { header, page: 1, region, scaleFactor: 1 }));
    }
  };
  const began = process.cpuUsage();
  if (target) {
    const out = openSync(target, "w");
    const sink = {
      append: async (part) => void writeSync(out, part),
      replace: async (at, part) => void writeSync(out, part, 0, part.length, at),
    };
    const tools = { host, resize: codecs.kernels.resize };
    await writeTiffPyramid(decodeRows, header, sink, { compression }, tools);
  } else await decodeRows(async () => {});
  await file.close();
  return began;
}

async function runSharp(compression, source, target) {
  const { default: sharp } = await import("sharp");
  sharp.cache(false);
  const began = process.cpuUsage();
  await sharp(source, { limitInputPixels: false, sequentialRead: true })
    .tiff({ tile: true, tileWidth: 256, tileHeight: 256, pyramid: true, ...compression })
    .toFile(target);
  return began;
}

/** CPU seconds, peak MB and MB of the file of one run in a process. */
function measure(program, compression, source, target) {
  const run = JSON.stringify({ program, compression, source, target });
  const { stdout, stderr } = spawnSync(process.execPath, [fileURLToPath(import.meta.url), "--run", run], {
    encoding: "utf8",
  });
  if (!stdout) throw new Error(stderr);
  return { ...JSON.parse(stdout), megabytes: target ? statSync(target).size / 1e6 : undefined };
}

/** Loaded where it is needed, so that it does not count to our memory. */
let sharp;

async function level(file, page, area) {
  const image = sharp(file, { page, limitInputPixels: false });
  const { width, height } = await image.metadata();
  const side = Math.min(512, width, height);
  const [left, top] = [(width - side) >> 1, (height - side) >> 1];
  const extracted = area ?? { left, top, width: side, height: side };
  const data = await image.extract(extracted).removeAlpha().raw().toBuffer();
  return { width, height, area: extracted, picture: { width: side, height: side, data } };
}

/** Rows of level, size and PSNR: own and libvips against the reference, own against libvips. */
async function qualities(source, own, peer) {
  const limit = { limitInputPixels: false };
  const { data, info } = await sharp(source, limit).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const whole = { ...info, data };
  const rows = [];
  const pages = (await sharp(own, limit).metadata()).pages;
  for (let page = 0; page < pages; page++) {
    const factor = 2 ** page;
    const ours = await level(own, page);
    const { left, top, width: side } = ours.area;
    const reference = tileOf(whole, [left * factor, top * factor], side, side, factor);
    const size = `${ours.width} x ${ours.height}`;
    const theirs = await level(peer, page, ours.area).catch(() => undefined);
    const isLike = theirs && theirs.width === ours.width && theirs.height === ours.height;
    rows.push([
      `1/${factor}`,
      size,
      psnr(reference, ours.picture),
      isLike ? psnr(reference, theirs.picture) : Number.NaN,
      isLike ? psnr(theirs.picture, ours.picture) : Number.NaN,
    ]);
  }
  return rows;
}

async function main() {
  const { machine } = await import("./lib/options.mjs");
  ({ default: sharp } = await import("sharp"));
  const folder = mkdtempSync(join(tmpdir(), "smalti-pyramid-writer-"));
  try {
    console.log(`${machine()}; ${options.rounds} rounds`);
    for (const picture of options.pictures.split(",")) {
      const source = join(options.sources, picture);
      const rows = [];
      const tables = [];
      for (const [name, row] of Object.entries(compressions)) {
        const targets = { own: join(folder, `own-${name}.tif`), sharp: join(folder, `sharp-${name}.tif`) };
        const runs = { own: [], sharp: [], read: [] };
        for (let round = 0; round < Number(options.rounds); round++) {
          runs.own.push(measure("own", row.own, source, targets.own));
          runs.sharp.push(measure("sharp", row.sharp, source, targets.sharp));
          runs.read.push(measure("own", row.own, source));
        }
        const [own, peer, read] = ["own", "sharp", "read"].map((key) => ({
          cpu: median(runs[key].map(({ cpu }) => cpu)),
          peak: median(runs[key].map(({ peak }) => peak)),
          megabytes: runs[key][0].megabytes,
        }));
        rows.push([
          name,
          own.cpu,
          peer.cpu,
          own.cpu / peer.cpu,
          own.cpu - read.cpu,
          own.peak,
          peer.peak,
          own.megabytes,
          peer.megabytes,
        ]);
        // Pictures whose samples fit into one array.
        if (statSync(source).size < 500e6)
          tables.push([name, await qualities(source, targets.own, targets.sharp)]);
        for (const target of Object.values(targets)) rmSync(target);
      }
      const heading = [
        "CPU s",
        "own",
        "sharp",
        "ratio",
        "own writing",
        "own MB",
        "sharp MB",
        "file",
        "sharp's",
      ];
      console.log(`\n${picture}\n${table(heading, rows, 1)}`);
      for (const [name, levels] of tables)
        console.log(`\n${table([`${name}, dB`, "size", "own", "sharp", "own to sharp"], levels)}`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (options.run) {
  const { program, compression, source, target } = JSON.parse(options.run);
  const began = await (program === "own" ? runOwn : runSharp)(compression, source, target);
  const { user, system } = process.cpuUsage(began);
  const peak = process.resourceUsage().maxRSS / 1024;
  console.log(JSON.stringify({ cpu: (user + system) / 1e6, peak }));
} else await main();
