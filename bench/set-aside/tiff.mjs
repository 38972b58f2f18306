// utif2 and geotiff beside our own TIFF.

import sharp from "sharp";
import { codecHost } from "../lib/codec-host.mjs";
import { compiled } from "../lib/compiled.mjs";
import { chances } from "../lib/session.mjs";
import {
  asRgba,
  fixture,
  isSame,
  keptPicture,
  montage,
  packaged,
  rgbaOf,
  soundFixtures,
} from "./packages.mjs";

/** 2400 x 1600 pixels in tiles of 256. */
const tiled = () =>
  keptPicture("4x4-deflate.tif", async () =>
    (await montage(4, 4))
      .tiff({ compression: "deflate", predictor: "horizontal", tile: true, tileWidth: 256, tileHeight: 256 })
      .toBuffer(),
  );
const megapixels = 3.84;
const middle = { x: 1024, y: 768, width: 256, height: 256 };

async function utif() {
  const { default: UTIF } = await packaged("utif2");
  console.log = () => {}; // it reports every tiled file
  return (data) => {
    const bytes = new Uint8Array(data).buffer;
    const [picture] = UTIF.decode(bytes);
    UTIF.decodeImage(bytes, picture);
    return { stored: picture.data, rgba: () => UTIF.toRGBA8(picture) };
  };
}

/** Opens a file once; `part` reads a region, all of it where none is given, as interleaved samples. */
async function geotiff() {
  const { fromArrayBuffer } = await packaged("geotiff");
  return async (data) => {
    const image = await (await fromArrayBuffer(new Uint8Array(data).buffer)).getImage();
    return {
      part: ({ x, y, width, height } = { x: 0, y: 0, width: image.getWidth(), height: image.getHeight() }) =>
        image.readRasters({ window: [x, y, x + width, y + height], interleave: true }),
      rgb: () => image.readRGB({ interleave: true }),
    };
  };
}

async function own() {
  const { createCodecs } = await compiled("src/codecs/index.ts");
  const { memoryBytes } = await compiled("src/lib/byte-source.ts");
  const codec = createCodecs(await codecHost()).byFormat("tif");
  return async (data, part) => {
    const bytes = memoryBytes(data);
    const header = await codec.probe(bytes, 1);
    const region = part ?? { x: 0, y: 0, width: header.width, height: header.height };
    return codec.decode(bytes, { header, page: 1, region, scaleFactor: 1 });
  };
}

/** Fixtures of pixels that libvips reads and shows without conversion of colours. */
const comparable = soundFixtures(".tif").filter((name) => !/zstd|jp2k|lab|cmyk|float/.test(name));

/** How many differ from libvips by more than two levels anywhere, or are not read. */
async function wrongFixtures(rgba) {
  let wrong = 0;
  for (const name of comparable) {
    const expected = await rgbaOf(fixture(name));
    const found = await rgba(fixture(name)).catch(() => new Uint8Array());
    if (found.length !== expected.length || found.some((sample, i) => Math.abs(sample - expected[i]) > 2))
      wrong++;
  }
  return `${wrong} of ${comparable.length}`;
}

/** How many of 20 files, each with zeros from somewhere in its picture to the end of it, are read without an error and with other samples. */
async function cutOff(stored) {
  const file = await sharp(fixture("base.png"))
    .removeAlpha()
    .tiff({ compression: "lzw", predictor: "none" })
    .toBuffer();
  const whole = await stored(new Uint8Array(file));
  const view = new DataView(file.buffer, file.byteOffset);
  const directory = view.getUint32(4, true); // libvips writes it behind the picture
  const chance = chances(1);
  let read = 0;
  for (let n = 0; n < 20; n++) {
    const damaged = new Uint8Array(file);
    const from = 8 + Math.floor((0.1 + 0.8 * chance()) * (directory - 8));
    damaged.fill(0, from, directory);
    const found = await stored(damaged).catch(() => undefined);
    if (found && !isSame(found, whole)) read++;
  }
  return `${read} of 20`;
}

/** Mean difference from libvips over the samples of a picture of three bands. */
function meanDifference(found, expected) {
  let sum = 0;
  for (let i = 0; i < expected.length; i++) sum += Math.abs(found[i] - expected[i]);
  return sum / expected.length;
}

const jpegTiles = fixture("tif-jpeg-ycbcr-tiled.tif");
const cmyk = fixture("tif-cmyk-icc-lzw.tif");
const rgbOf = async (file) =>
  new Uint8Array(await sharp(file, { ignoreIcc: true }).removeAlpha().toColourspace("srgb").raw().toBuffer());

export const rows = [
  {
    package: "utif2",
    what: "fixtures read wrongly or not at all",
    values: {
      async theirs() {
        const read = await utif();
        return wrongFixtures(async (data) => read(data).rgba());
      },
      async own() {
        const read = await own();
        return wrongFixtures(async (data) => asRgba(await read(data)));
      },
    },
  },
  {
    package: "utif2",
    what: "LZW files with the rest of a picture zeroed, read without an error",
    values: {
      async theirs() {
        const read = await utif();
        return cutOff(async (data) => read(data).stored);
      },
      async own() {
        const read = await own();
        return cutOff(async (data) => (await read(data)).data);
      },
    },
  },
  {
    package: "utif2",
    what: "one tile of 256 x 256 of 3.8 megapixels (deflate)",
    unit: "ms",
    rounds: 3,
    async times() {
      const file = await tiled();
      const [a, b] = [await utif(), await own()];
      return { theirs: () => a(file), own: () => b(file, middle) };
    },
  },
  {
    package: "utif2",
    what: "3.8 megapixels of deflated tiles, whole",
    unit: "ms / megapixel",
    per: megapixels,
    rounds: 3,
    async times() {
      const file = await tiled();
      const [a, b] = [await utif(), await own()];
      return { theirs: () => a(file), own: () => b(file), sharp: () => sharp(file).raw().toBuffer() };
    },
  },
  {
    package: "geotiff",
    what: "one tile of 256 x 256 of 3.8 megapixels (deflate)",
    unit: "ms",
    async times() {
      const file = await tiled();
      const [opened, b] = [await (await geotiff())(file), await own()];
      return { theirs: () => opened.part(middle), own: () => b(file, middle) };
    },
  },
  {
    package: "geotiff",
    what: "3.8 megapixels of deflated tiles, whole",
    unit: "ms / megapixel",
    per: megapixels,
    rounds: 3,
    async times() {
      const file = await tiled();
      const [opened, b] = [await (await geotiff())(file), await own()];
      return { theirs: () => opened.part(), own: () => b(file), sharp: () => sharp(file).raw().toBuffer() };
    },
  },
  {
    package: "geotiff",
    what: "tiles of JPEG, 0.24 megapixels",
    unit: "ms / megapixel",
    per: 0.24,
    async times() {
      const [opened, b] = [await (await geotiff())(jpegTiles), await own()];
      return { theirs: () => opened.rgb(), own: () => b(jpegTiles) };
    },
  },
  {
    package: "geotiff",
    what: "tiles of JPEG, mean difference from libvips",
    unit: "of 255",
    values: {
      theirs: async () =>
        meanDifference(await (await (await geotiff())(jpegTiles)).rgb(), await rgbOf(jpegTiles)),
      own: async () => meanDifference((await (await own())(jpegTiles)).data, await rgbOf(jpegTiles)),
    },
  },
  {
    package: "geotiff",
    what: "CMYK as RGB, mean difference from libvips",
    unit: "of 255",
    values: {
      theirs: async () => meanDifference(await (await (await geotiff())(cmyk)).rgb(), await rgbOf(cmyk)),
    },
  },
];
