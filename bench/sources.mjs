// Makes the pictures of the comparisons: montages of photographs with a little grain, about 2 bits per pixel
// as JPEG of quality 90, 4:2:0. The same command makes the same pixels.
//
//   node bench/sources.mjs [--to FOLDER] [--sizes 24,100] [--forms baseline,progressive] [--photos FOLDER]
//
// Photographs: those of --photos, else of the Debian packages named below (fetched with apt-get download if
// it exists), else the test suite's one picture, enlarged. Sizes: 24, 100, 400 megapixels (400 needs 3 GB of
// memory), and 6 with odd sides. Forms besides JPEG: tiff-jpeg, tiff-deflate, tiff-lzw (pyramids of 256 px
// tiles), tiff-strips, png, png-interlaced, png-16, png-flat, gif, webp. Only missing files are made.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, renameSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import sharp from "sharp";
import { defaultSources } from "./lib/options.mjs";
import { chances } from "./lib/session.mjs";

/**
 * Photographs under CC0, CC BY 4.0, CC BY-SA 3.0 and 4.0; each package's copyright file names author and
 * licence.
 */
const packages = ["lomiri-wallpapers-16.04", "lomiri-wallpapers-20.04"];

/**
 * Cells across and down, and their size: nearly the same at every size, so that detail per pixel stays the
 * same.
 */
const sizes = {
  6: { cells: 1, width: 3001, height: 1999 },
  24: { cells: 2, width: 3000, height: 2000 },
  100: { cells: 4, width: 3000, height: 2100 },
  400: { cells: 8, width: 3000, height: 2100 },
};

/** At quality 90 and above libvips stores JPEG tiles of a TIFF as RGB, which few archives have: 89. */
const pyramid = { tile: true, tileWidth: 256, tileHeight: 256, pyramid: true };
const jpeg = { quality: 90, chromaSubsampling: "4:2:0" };
const forms = {
  baseline: { ending: "jpg", write: (image) => image.jpeg({ ...jpeg, optimiseCoding: false }) },
  progressive: { ending: "jpg", write: (image) => image.jpeg({ ...jpeg, progressive: true }) },
  "tiff-jpeg": {
    ending: "tif",
    write: (image) => image.tiff({ ...pyramid, compression: "jpeg", quality: 89 }),
  },
  "tiff-deflate": {
    ending: "tif",
    write: (image) => image.tiff({ ...pyramid, compression: "deflate", predictor: "horizontal" }),
  },
  "tiff-lzw": {
    ending: "tif",
    write: (image) => image.tiff({ ...pyramid, compression: "lzw", predictor: "horizontal" }),
  },
  /** Uncompressed strips of 128 rows, as libvips writes them. */
  "tiff-strips": { ending: "tif", write: (image) => image.tiff({ compression: "none" }) },
  png: { ending: "png", write: (image) => image.png({ compressionLevel: 6 }) },
  "png-interlaced": {
    ending: "png",
    largest: 100,
    write: (image) => image.png({ compressionLevel: 6, progressive: true }),
  },
  "png-16": {
    ending: "png",
    largest: 100,
    write: (image) => image.toColourspace("rgb16").png({ compressionLevel: 6 }),
  },
  /** Line art: few colours in large areas. */
  "png-flat": {
    ending: "png",
    write: (image) => image.blur(9).threshold(128).png({ compressionLevel: 6, palette: false }),
  },
  gif: { ending: "gif", largest: 100, write: (image) => image.gif({ effort: 1, dither: 0 }) },
  webp: { ending: "webp", largest: 100, write: (image) => image.webp({ quality: 90, effort: 2 }) },
};

const { values } = parseArgs({
  options: {
    to: { type: "string", default: defaultSources },
    sizes: { type: "string", default: "24,100" },
    forms: { type: "string", default: "baseline,progressive" },
    photos: { type: "string" },
    grain: { type: "string", default: "5" },
  },
});
const target = resolve(values.to);
mkdirSync(target, { recursive: true });

for (const megapixels of values.sizes.split(",")) {
  const wanted = values.forms
    .split(",")
    .map((form) => ({ form, file: join(target, `${megapixels}mp-${form}.${row(forms, form).ending}`) }))
    .filter(({ form, file }) => !existsSync(file) && Number(megapixels) <= (forms[form].largest ?? 400));
  if (wanted.length === 0) continue;
  const { data, ...raw } = await montage(row(sizes, megapixels));
  for (const { form, file } of wanted) {
    const image = sharp(data, { raw: { ...raw, channels: 3 }, limitInputPixels: false });
    await forms[form].write(image).toFile(`${file}.part`);
    renameSync(`${file}.part`, file);
    const bits = (statSync(file).size * 8) / raw.width / raw.height;
    console.log(`${file}: ${raw.width} x ${raw.height}, ${bits.toFixed(2)} bits/px`);
  }
}

function row(rows, name) {
  if (Object.hasOwn(rows, name)) return rows[name];
  throw new Error(`expected one of ${Object.keys(rows).join(", ")}, received "${name}"`);
}

/** Cells of photographs side by side as samples of RGB, with grain of equal strength in the three bands. */
async function montage({ cells, width, height }) {
  const all = photographs();
  const data = Buffer.alloc(cells * width * cells * height * 3);
  const line = cells * width * 3;
  const grain = gaussian(Number(values.grain));
  for (let cell = 0; cell < cells * cells; cell++) {
    const picture = await sharp(all[cell % all.length])
      .rotate()
      .resize(width, height, { fit: "cover" })
      .flatten()
      .toColourspace("srgb")
      .raw()
      .toBuffer();
    const corner = Math.floor(cell / cells) * height * line + (cell % cells) * width * 3;
    for (let y = 0; y < height; y++) {
      const from = y * width * 3;
      const to = corner + y * line;
      for (let x = 0; x < width * 3; x += 3) {
        const add = grain();
        for (let band = x; band < x + 3; band++)
          data[to + band] = Math.max(0, Math.min(255, picture[from + band] + add));
      }
    }
  }
  return { data, width: cells * width, height: cells * height };
}

/** Whole numbers of normal distribution, from a table (the sum of twelve even chances has variance 1). */
function gaussian(deviation) {
  const chance = chances(7);
  const values = Int8Array.from({ length: 1 << 16 }, () => {
    let sum = -6;
    for (let i = 0; i < 12; i++) sum += chance();
    return Math.round(sum * deviation);
  });
  let state = 1;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return values[state >>> 16];
  };
}

function photographs() {
  const found = values.photos ? pictures(resolve(values.photos)) : debianPhotographs();
  if (found.length > 0) return found;
  if (values.photos)
    throw new Error(`expected JPEG photographs of 300 kB and more in ${values.photos}, found none`);
  console.error("no photographs: the test suite's picture, enlarged; its figures do not compare with others");
  return [join(dirname(fileURLToPath(import.meta.url)), "../test/fixtures/base.png")];
}

function debianPhotographs() {
  const folder = join(target, "photos");
  if (existsSync(folder)) return pictures(folder);
  const part = `${folder}.part`;
  mkdirSync(part, { recursive: true });
  const run = (command, args) => spawnSync(command, args, { cwd: part, stdio: "ignore" }).status === 0;
  if (!run("apt-get", ["download", ...packages])) return [];
  for (const name of readdirSync(part).filter((each) => each.endsWith(".deb")))
    if (!run("dpkg", ["-x", name, "."])) return [];
  renameSync(part, folder);
  return pictures(folder);
}

/** JPEG files of 300 kB and more under a folder, in the order of their names. */
function pictures(folder) {
  return readdirSync(folder, { recursive: true })
    .filter((name) => /\.jpe?g$/i.test(name))
    .map((name) => join(folder, name))
    .filter((file) => statSync(file).size > 300_000)
    .sort();
}
