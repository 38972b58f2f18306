// The masters of a comparison: the fixtures of the tests, large files if there are any, and some made here,
// in sizes from which a server makes a sidecar.

import { copyFileSync, existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import sharp from "sharp";
import { chances } from "../../bench/lib/session.mjs";

/** Not images, or so large that one response takes longer than all others. */
const leftOut = /^(bomb-|bad-dims|bad-siz|bad-tiles)|\.(md|sh|py|mjs|tsv|json)$/;

/** Pictures made of one fixture: name, size, and how sharp writes them. */
const made = [
  ...[1, 2, 3, 4, 5, 6, 7, 8].map((orientation) => [
    `made-420-o${orientation}.jpg`,
    [1501, 1003],
    (p) => p.withMetadata({ orientation }).jpeg({ quality: 88 }),
  ]),
  ...[1, 3, 5, 6, 8].map((orientation) => [
    `made-progressive-o${orientation}.jpg`,
    [1601, 1203],
    (p) => p.withMetadata({ orientation }).jpeg({ quality: 85, progressive: true }),
  ]),
  ["made-444.jpg", [1700, 1300], (p) => p.jpeg({ quality: 92, chromaSubsampling: "4:4:4" })],
  ["made-gray.jpg", [2100, 1400], (p) => p.grayscale().jpeg({ quality: 80 })],
  ["made-fine.jpg", [1504, 1008], (p) => p.jpeg({ quality: 98 })],
  ["made-large.jpg", [4003, 3001], (p) => p.jpeg({ quality: 85 })],
  [
    "made-large-progressive.jpg",
    [4003, 3001],
    (p) => p.jpeg({ quality: 85, progressive: true, chromaSubsampling: "4:4:4" }),
  ],
  ["made-gray-progressive.jpg", [2303, 1701], (p) => p.grayscale().jpeg({ quality: 85, progressive: true })],
  ["made-cmyk.jpg", [1200, 900], (p) => p.toColourspace("cmyk").jpeg({ quality: 85 })],
  ["made.png", [1400, 1100], (p) => p.png({ compressionLevel: 3 })],
  ["made-16.png", [900, 700], (p) => p.toColourspace("rgb16").png({ compressionLevel: 3 })],
  ["made.webp", [1400, 1100], (p) => p.webp({ quality: 80, effort: 1 })],
  [
    "made-pyramid.tif",
    [2000, 1500],
    (p) => p.tiff({ compression: "jpeg", tile: true, pyramid: true, tileWidth: 256, tileHeight: 256 }),
  ],
  [
    "made-tiled.tif",
    [1300, 1000],
    (p) => p.tiff({ compression: "deflate", tile: true, predictor: "horizontal" }),
  ],
  [
    "made-strips-o6.tif",
    [1300, 1000],
    (p) => p.withMetadata({ orientation: 6 }).tiff({ compression: "lzw" }),
  ],
];

/**
 * Adds the missing masters to `folder`, so that their times stay the same from one run to the next. Returns
 * their names with width and height as stored if sharp knows them, in order.
 */
export async function gatherMasters(folder, { fixtures, large }) {
  mkdirSync(folder, { recursive: true });
  const lacks = (name) => !existsSync(join(folder, name));
  const copied = [
    ...readdirSync(fixtures, { withFileTypes: true })
      .filter((entry) => entry.isFile() && !leftOut.test(entry.name))
      .map(({ name }) => [fixtures, name]),
    ...(existsSync(large) ? readdirSync(large).filter((name) => name.startsWith("large-")) : []).map(
      (name) => [large, name],
    ),
  ];
  for (const [from, name] of copied) if (lacks(name)) copyFileSync(join(from, name), join(folder, name));
  for (const [name, [width, height], write] of made) {
    if (!lacks(name)) continue;
    const picture = await grainy(join(fixtures, "base.png"), width, height);
    await write(picture).toFile(join(folder, name));
  }
  const names = [...copied.map(([, name]) => name), ...made.map(([name]) => name)].sort();
  return Promise.all(names.map(async (name) => ({ name, ...(await sizeOf(join(folder, name))) })));
}

/** A fixture enlarged, with grain, so that its codes differ everywhere. */
async function grainy(file, width, height) {
  const data = await sharp(file).resize(width, height, { fit: "fill" }).removeAlpha().raw().toBuffer();
  const chance = chances(width * height);
  for (let i = 0; i < data.length; i++)
    data[i] = Math.min(255, Math.max(0, data[i] + Math.round(24 * (chance() - 0.5))));
  return sharp(data, { raw: { width, height, channels: 3 } });
}

async function sizeOf(file) {
  try {
    const { width, height } = await sharp(file, { limitInputPixels: false }).metadata();
    return { width, height };
  } catch {
    return { width: 600, height: 400 };
  }
}
