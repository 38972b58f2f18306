// The tiles of a level, put together, are that level rendered whole: sample for sample, in PNG (Image API
// sections 4.1, 4.2 and 5.4, implementation notes on tiles).
// @module-tag slow

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp, { type Sharp } from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectedRows, fixture } from "../../../host.ts";
import { sampled, seedOf } from "../../../sampled.ts";
import { seeded } from "../../../seeded.ts";
import { type Served, served } from "../../../served.ts";
import { informationOf, pixelsOf } from "../derivatives.ts";
import { expectNoSeams, expectPart, type Tile, tilesOf, wholeTarget } from "./levels.ts";

/** Pictures of up to four megapixels that are sound and served. */
const fixtures = expectedRows()
  .filter(({ file = "" }) => !/^(bad|bomb-|large-)/.test(file) && !/lab|webp-tiled|zstd/.test(file))
  .map((row) => row.file as string);

describe.each([
  [3, 200],
  [2, 512],
] as const)("in version %i, tiles of %i pixels", (version, side) => {
  let app: Served;
  beforeAll(async () => {
    app = await served(`image: { tile_size: ${side} }`);
  });
  afterAll(() => app.service.close());

  const drawn = sampled(`seams of fixtures in tiles of ${side}`, fixtures, 5);
  test.each(drawn)("%s has tiles that meet without a seam", (name) => expectNoSeams(app, version, name));
});

const sizes = [
  [601, 403],
  [1023, 517],
  [1025, 1025],
  [1025, 300],
  [97, 1201],
] as const;

const formats = {
  png: (image: Sharp) => image.png({ compressionLevel: 1 }),
  jpg: (image: Sharp) => image.jpeg({ quality: 92 }),
  "progressive.jpg": (image: Sharp) =>
    image.jpeg({ quality: 85, progressive: true, chromaSubsampling: "4:4:4" }),
  "turned.jpg": (image: Sharp) => image.withMetadata({ orientation: 6 }).jpeg({ quality: 92 }),
  "flipped.jpg": (image: Sharp) => image.withMetadata({ orientation: 7 }).jpeg({ quality: 92 }),
  "halfway.png": (image: Sharp) => image.withMetadata({ orientation: 3 }).png({ compressionLevel: 1 }),
  webp: (image: Sharp) => image.webp({ quality: 80, effort: 1 }),
  gif: (image: Sharp) => image.gif({ effort: 1 }),
  tif: (image: Sharp) => image.tiff({ compression: "lzw" }),
  "pyramid.tif": (image: Sharp) =>
    image.tiff({ compression: "deflate", tile: true, tileWidth: 128, tileHeight: 128, pyramid: true }),
  "turned-pyramid.tif": (image: Sharp) =>
    image
      .withMetadata({ orientation: 8 })
      .tiff({ compression: "jpeg", quality: 90, tile: true, tileWidth: 256, tileHeight: 256, pyramid: true }),
} as const;

let folder: string;
const made = (name: string) => join(folder, name);
const over = (side: number) =>
  `image: { tile_size: ${side} }\nsources: [{ name: made, type: filesystem, root: ${JSON.stringify(folder)} }]`;

/** A picture of any size from the photograph of the fixtures, all of it different from its neighbours. */
const enlarged = (width: number, height: number) =>
  sharp(fixture("base.png")).removeAlpha().resize(width, height, { fit: "fill", kernel: "lanczos3" });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "seams-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

// Each picture has one row; all rows for all pictures would take minutes and add nothing.
describe.each([
  [3, 512, 0],
  [2, 256, 1],
  [3, 200, 2],
  [2, 128, 3],
  [3, 64, 4],
] as const)("in version %i, tiles of %i pixels", (version, side, turn) => {
  let app: Served;
  beforeAll(async () => {
    app = await served(over(side));
  });
  afterAll(() => app.service.close());

  // Tiles of 64 pixels of the largest size would be four hundred requests a picture.
  const pictures = sizes.flatMap(([width, height], row) =>
    Object.entries(formats)
      .filter((_, column) => (row + column) % 5 === turn && (side > 64 || width * height < 1_000_000))
      .map(([ending, write]) => ({ name: `${width}x${height}.${ending}`, width, height, write })),
  );
  const drawn = sampled(`seams of pictures in tiles of ${side}`, pictures, side > 64 ? 2 : 1);
  test.each(drawn)("$name has tiles that meet without a seam, whatever its size", async (picture) => {
    const { name, width, height, write } = picture;
    await writeFile(made(name), await write(enlarged(width, height)).toBuffer());
    await expectNoSeams(app, version, name);
  });
});

const large = {
  "large.jpg": () => enlarged(3000, 2000).jpeg({ quality: 90 }),
  "large-turned.jpg": () => enlarged(3001, 1999).withMetadata({ orientation: 5 }).jpeg(),
};
const largeCases = Object.entries(large).flatMap(([name, write]) =>
  ([3, 2] as const).map((version) => ({ name, write, version })),
);

test.each(sampled("seams of large pictures", largeCases, 1))(
  "of $name, a sample of tiles matches its levels in version $version",
  async ({ name, write, version }) => {
    await writeFile(made(name), await write().toBuffer());
    const app = await served(over(512));
    const info = await informationOf(app, version, name);
    const random = seeded(seedOf(`tiles of ${name} in version ${version}`));
    expect(info.tiles[0]?.scaleFactors).toEqual([1, 2, 4, 8]);
    for (const s of info.tiles[0]?.scaleFactors ?? []) {
      const level = await pixelsOf(app, wholeTarget(version, name, info, s));
      const all = [...tilesOf(version, name, info, s)];
      for (let i = 0; i < Math.min(6, all.length); i++) {
        const tile = all[random(all.length)] as Tile;
        expectPart(level, await pixelsOf(app, tile.target), tile);
      }
    }
    await app.service.close();
  },
);
