// JPEG derivatives of JPEG tiles: joined without loss where nothing else is needed, else from planes.
// @module-tag slow

import sharp from "sharp";
import { describe, expect, it, test } from "vitest";
import { memoryBytes } from "../../../../src/base/bytes/byte-source.ts";
import type { Rectangle } from "../../../../src/imaging/codecs/image-header.ts";
import { createCodecs } from "../../../../src/imaging/codecs/index.ts";
import { createImaging } from "../../../../src/imaging/imaging.ts";
import { runTask } from "../../../../src/imaging/render/job.ts";
import { fixture, testHost } from "../../../host.ts";
import { converted } from "../../../kept.ts";
import { sampled } from "../../../sampled.ts";
import { decode, encode, hasTools, picture, randomness } from "../jpg/make-matrix.ts";
import { named, putTogether, takeApart } from "../jpg/segments.ts";
import { type Field, plainFields, tiffFile } from "./tiff-file.ts";

const imaging = createImaging(testHost);

/** Highest quality: stored tiles never take much more bytes than its own, so that they are always joined. */
const derive = async (file: Uint8Array, region: Rectangle, more: object = {}) => {
  const { bytes } = await (await imaging.open(file)).derive({ format: "jpg", region, quality: 100, ...more });
  return bytes;
};

const tablesOf = [0xdb, 0xc4, 0xdd];

/** The parts of a JPEG file that a TIFF keeps apart: the tables, and a strip or tile without them. */
function apart(jpeg: Uint8Array) {
  const { segments, rest } = takeApart(jpeg);
  const isTable = ({ code }: { code: number }) => tablesOf.includes(code);
  return {
    tables: new Uint8Array([...putTogether(segments.filter(isTable), new Uint8Array()), 0xff, 0xd9]),
    tile: putTogether(
      segments.filter((segment) => !isTable(segment) && segment.code < 0xe0),
      rest,
    ),
  };
}

interface Kind {
  /** Arguments of cjpeg. */
  readonly args: readonly string[];
  readonly photometric: 1 | 2 | 6;
  /** Width and height of a tile, and of an MCU. */
  readonly tile: readonly [number, number];
  readonly mcu: readonly [number, number];
  /** True if each tile has its tables. */
  readonly whole?: true;
}

const base = ["-quality", "80", "-baseline"];
const kinds: Readonly<Record<string, Kind>> = {
  "4:2:0": { args: base, photometric: 6, tile: [64, 48], mcu: [16, 16] },
  "4:2:0 with tables in each tile": {
    args: base,
    photometric: 6,
    tile: [64, 48],
    mcu: [16, 16],
    whole: true,
  },
  "4:2:0 with restarts inside of rows": {
    args: [...base, "-restart", "3B"],
    photometric: 6,
    tile: [64, 64],
    mcu: [16, 16],
  },
  "4:4:4 with a restart for each row": {
    args: [...base, "-sample", "1x1", "-restart", "1"],
    photometric: 6,
    tile: [48, 32],
    mcu: [8, 8],
  },
  "4:2:2": { args: [...base, "-sample", "2x1"], photometric: 6, tile: [32, 48], mcu: [16, 8] },
  "4:4:0": { args: [...base, "-sample", "1x2"], photometric: 6, tile: [48, 48], mcu: [8, 16] },
  "4:1:1": { args: [...base, "-sample", "4x1"], photometric: 6, tile: [64, 32], mcu: [32, 8] },
  gray: { args: [...base, "-grayscale"], photometric: 1, tile: [48, 48], mcu: [8, 8] },
  RGB: { args: ["-quality", "40", "-rgb"], photometric: 2, tile: [48, 32], mcu: [8, 8] },
};

const tiledFiles = new Map<Kind, ReturnType<typeof makeTiled>>();

/** A tiled TIFF made of JPEG files of cjpeg, and the pixels of all its tiles as djpeg shows them. */
function tiled(kind: Kind): ReturnType<typeof makeTiled> {
  let made = tiledFiles.get(kind);
  if (!made) tiledFiles.set(kind, (made = makeTiled(kind)));
  return made;
}

function makeTiled({ args, photometric, tile: [tileWidth, tileHeight], whole }: Kind, across = 4, down = 3) {
  const width = across * tileWidth - 21;
  const height = down * tileHeight - 10;
  const kinds = Array.from({ length: Math.min(12, across * down) }, (_, i) =>
    encode(picture(tileWidth, tileHeight, i + 1), [...args]),
  );
  const shown = kinds.map((file) => decode(file, ["-nosmooth"]));
  const files = Array.from({ length: across * down }, (_, i) => kinds[i % 12]!);
  const bands = photometric === 1 ? 1 : 3;
  const stride = across * tileWidth * bands;
  const pixels = new Uint8Array(stride * down * tileHeight);
  for (const i of files.keys()) {
    const data = shown[i % 12]!;
    const to = Math.floor(i / across) * tileHeight * stride + (i % across) * tileWidth * bands;
    const row = tileWidth * bands;
    for (let y = 0; y < tileHeight; y++) pixels.set(data.subarray(y * row, (y + 1) * row), to + y * stride);
  }
  const fields: Field[] = plainFields(
    width,
    height,
    bands,
    8,
    photometric,
    [259, 3, 7],
    [322, 3, tileWidth],
    [323, 3, tileHeight],
    ...(whole ? [] : [[347, 1, ...apart(files[0]!).tables] as Field]),
  );
  const blocks = whole ? files : files.map((file) => apart(file).tile);
  const part = ({ x, y, width, height }: Rectangle) =>
    Buffer.concat(
      Array.from({ length: height }, (_, row) =>
        pixels.subarray((y + row) * stride + x * bands, (y + row) * stride + (x + width) * bands),
      ),
    );
  return { width, height, file: tiffFile([{ fields, blocks, tiled: true }]), files, part };
}

function* regionsOf({ tile, mcu }: Kind, width: number, height: number): Generator<Rectangle> {
  const [tileWidth, tileHeight] = tile;
  yield { x: 0, y: 0, width, height };
  yield { x: tileWidth, y: tileHeight, width: tileWidth, height: tileHeight };
  yield { x: tileWidth, y: 0, width: 2 * tileWidth, height: 2 * tileHeight };
  const edge = 3 * tileWidth;
  yield { x: edge, y: 2 * tileHeight, width: width - edge, height: height - 2 * tileHeight };
  const random = randomness(7);
  const side = (size: number, unit: number): [number, number] => {
    const count = Math.ceil(size / unit);
    const from = Math.floor(random() * count);
    const to = from + 1 + Math.floor(random() * (count - from));
    return [from * unit, Math.min(size, to * unit)];
  };
  const drawn = sampled(`regions of tiles of ${tile}`, [...Array(12).keys()], 6);
  for (let i = 0; i < 12; i++) {
    const [x, right] = side(width, mcu[0]);
    const [y, bottom] = side(height, mcu[1]);
    if (drawn.includes(i)) yield { x, y, width: right - x, height: bottom - y };
  }
}

describe.skipIf(!hasTools)("tiles of cjpeg, joined", () => {
  it.each(Object.entries(kinds))("in %s are the pixels that djpeg shows of each", async (_name, kind) => {
    const { width, height, file, part } = tiled(kind);
    for (const region of regionsOf(kind, width, height)) {
      const jpeg = await derive(file, region);
      const { width: w, height: h } = await sharp(jpeg, { failOn: "warning" }).metadata();
      expect([w, h]).toEqual([region.width, region.height]);
      const differs = Buffer.compare(decode(jpeg, ["-nosmooth"]), part(region));
      expect(differs, JSON.stringify(region)).toBe(0);
    }
  });

  it("have the bytes of the stored tile if it is the whole derivative", async () => {
    const kind = kinds["4:2:0"]!;
    const { file, files } = tiled(kind);
    const [width, height] = kind.tile;
    const jpeg = await derive(file, { x: width, y: height, width, height });
    const stored = files[5]!;
    const scan = (data: Uint8Array) => takeApart(data).rest;
    expect(Buffer.compare(scan(jpeg), scan(stored))).toBe(0);
  });

  it("have the tables of the stored tile if it is the whole derivative", async () => {
    const kind = { ...kinds["4:2:0"]!, args: ["-quality", "80", "-optimize"], whole: true } as const;
    const { file, files, part } = tiled(kind);
    const [width, height] = kind.tile;
    const region = { x: width, y: height, width, height };
    const jpeg = await derive(file, region);
    expect(Buffer.compare(takeApart(jpeg).rest, takeApart(files[5]!).rest)).toBe(0);
    expect(Buffer.compare(decode(jpeg, ["-nosmooth"]), part(region))).toBe(0);
  });

  it("are encoded again if they have different tables", async () => {
    const [one, other] = [
      ["-quality", "80"],
      ["-quality", "60"],
    ].map((args) => encode(picture(32, 32, 1), [...args, "-baseline"]));
    const fields = plainFields(64, 32, 3, 8, 6, [259, 3, 7], [322, 3, 32], [323, 3, 32]);
    const file = tiffFile([{ fields, blocks: [one!, other!], tiled: true }]);
    const jpeg = await derive(file, { x: 0, y: 0, width: 64, height: 32 });
    const shown = decode(jpeg, ["-nosmooth"]);
    const stored = [one!, other!].map((data) => decode(data, ["-nosmooth"]));
    const differences = Array.from(shown, (value, i) => {
      const x = Math.floor(i / 3) % 64;
      const at = (Math.floor(i / 192) * 32 + (x % 32)) * 3 + (i % 3);
      return Math.abs(value - stored[x < 32 ? 0 : 1]![at]!);
    });
    expect(Math.max(...differences)).toBeGreaterThan(0);
    expect(differences.reduce((sum, d) => sum + d, 0) / differences.length).toBeLessThan(1.5);
  });

  it("turn without loss", async () => {
    const kind = kinds["4:4:4 with a restart for each row"]!;
    const { file, part } = tiled(kind);
    const { plan } = await imaging.open(file);
    const [width, height] = kind.tile;
    const region = { x: width, y: 0, width: 2 * width, height: 2 * height };
    const upright = plan({ format: "jpg", region, quality: 100 });
    const turned = { ...upright, transform: { ...upright.transform, degrees: 180 } };
    const codecs = createCodecs(testHost);
    const made = await codecs.decoder("tif").derive?.(memoryBytes(file), turned, undefined, codecs.kernels);
    const expected = await sharp(part(region), {
      raw: { width: region.width, height: region.height, channels: 3 },
    })
      .rotate(180)
      .raw()
      .toBuffer();
    expect(Buffer.compare(decode(Buffer.concat(made!.pieces), ["-nosmooth"]), expected)).toBe(0);
  });

  it("are joined in several steps if they are many", async () => {
    const { width, height, file, part } = makeTiled({ ...kinds.gray!, tile: [256, 256] }, 9, 9);
    for (const region of [
      { x: 0, y: 0, width, height },
      { x: 8, y: 120, width: width - 8, height: height - 120 },
    ]) {
      const jpeg = await derive(file, region);
      expect(Buffer.compare(decode(jpeg), part(region)), JSON.stringify(region)).toBe(0);
    }
  });

  it("say in RGB that they are RGB, and have no JFIF segment, which would say otherwise", async () => {
    const { file } = tiled(kinds.RGB!);
    const { segments } = takeApart(await derive(file, { x: 0, y: 0, width: 48, height: 32 }));
    expect(segments.map(({ code }) => code)).not.toContain(0xe0);
    expect(segments.find(({ code }) => code === 0xee)).toEqual(named(0xee, "Adobe", [0, 100, 0, 0, 0, 0, 0]));
  });

  it("are encoded again if they take far more bytes than the quality asks for, or pass-through is off", async () => {
    const kind = {
      ...kinds["4:4:4 with a restart for each row"]!,
      args: ["-quality", "95", "-sample", "1x1"],
    };
    const { file } = tiled(kind);
    const region = { x: 0, y: 0, width: 96, height: 64 };
    const codecs = createCodecs(testHost);
    const master = await imaging.open(file);
    const plan = master.plan({ format: "jpg", region, quality: 95 });
    const off = { ...plan, write: { ...plan.write, passthrough: "off" as const } };
    const context = { codecs, bytes: memoryBytes(file) };
    const samplingOf = async (jpeg: Uint8Array) => (await sharp(jpeg).metadata()).chromaSubsampling;
    expect(await samplingOf(await derive(file, region, { quality: 95 }))).toBe("4:4:4");
    expect(await samplingOf(await derive(file, region, { quality: 50 }))).toBe("4:2:0");
    expect(await samplingOf((await runTask({ kind: "render", plan: off }, context)).bytes)).toBe("4:2:0");
  });
});

describe("tiles of libtiff, joined,", () => {
  const layouts: readonly (readonly [string, readonly string[], boolean])[] = [
    ["gray in tiles", ["-c", "jpeg:75", "-t", "-w", "64", "-l", "48"], true],
    ["gray in strips", ["-c", "jpeg:75", "-r", "16"], true],
    ["RGB in tiles", ["-c", "jpeg:r:40", "-t", "-w", "64", "-l", "48"], false],
    ["RGB in strips", ["-c", "jpeg:r:40", "-r", "24"], false],
  ];
  test.each(layouts)("%s are the pixels that libtiff decodes", async (_, args, gray) => {
    const photo = sharp(fixture("tif-strip-none.tif")).extract({
      left: 60,
      top: 40,
      width: 333,
      height: 251,
    });
    const plain = await (gray ? photo.toColourspace("b-w") : photo).tiff({ compression: "none" }).toBuffer();
    const files = { input: plain, from: "in.tif", to: "out.tif" };
    const file = converted("tiffcp", [...args, files.from, files.to], files);
    for (const region of [
      { x: 0, y: 0, width: 333, height: 251 },
      { x: 64, y: 48, width: 128, height: 96 },
      { x: 8, y: 136, width: 312, height: 115 },
    ]) {
      const { x: left, y: top, width, height } = region;
      const expected = await sharp(file)
        .extract({ left, top, width, height })
        .toColourspace(gray ? "b-w" : "srgb")
        .raw()
        .toBuffer();
      const shown = await sharp(await derive(file, region), { failOn: "warning" })
        .toColourspace(gray ? "b-w" : "srgb")
        .raw()
        .toBuffer();
      expect(Buffer.compare(shown, expected), JSON.stringify(region)).toBe(0);
    }
  });

  test.each([
    [400, 304],
    [401, 303],
  ])("levels of a pyramid of libvips are joined at their own scale: %i x %i", async (width, height) => {
    const file = await sharp(fixture("tif-strip-none.tif"))
      .toColourspace("b-w")
      .resize(width, height, { fit: "fill" })
      .tiff({ compression: "jpeg", quality: 75, tile: true, tileWidth: 64, tileHeight: 64, pyramid: true })
      .toBuffer();
    const jpeg = await derive(file, { x: 128, y: 0, width: 256, height: 256 }, { width: 128 });
    const level = sharp(file, { page: 1 })
      .extract({ left: 64, top: 0, width: 128, height: 128 })
      .toColourspace("b-w");
    const shown = await sharp(jpeg).toColourspace("b-w").raw().toBuffer();
    expect(Buffer.compare(shown, await level.raw().toBuffer())).toBe(0);
  });
});

/** Returns the mean difference of samples. */
function meanDifference(a: Uint8Array, b: Uint8Array): number {
  expect(a.length).toBe(b.length);
  return a.reduce((sum, value, i) => sum + Math.abs(value - b[i]!), 0) / a.length;
}

describe("derivatives from planes of tiles", () => {
  test.each([
    [150, { x: 0, y: 0, width: 300, height: 300 }],
    [201, { x: 37, y: 21, width: 201, height: 180 }],
    [90, { x: 65, y: 128, width: 215, height: 100 }],
  ] as const)("%i pixels wide are near those that libvips resamples", async (width, region) => {
    const file = await sharp(fixture("tif-strip-none.tif"))
      .tiff({ compression: "jpeg", quality: 85, tile: true, tileWidth: 64, tileHeight: 64 })
      .toBuffer();
    const jpeg = await derive(file, region, { width, quality: 95 });
    const { data, info } = await sharp(jpeg).raw().toBuffer({ resolveWithObject: true });
    const { x: left, y: top, ...size } = region;
    const expected = await sharp(file)
      .extract({ left, top, ...size })
      .resize(info.width, info.height, { fit: "fill", kernel: "lanczos3" })
      .raw()
      .toBuffer();
    expect(meanDifference(data, expected)).toBeLessThan(2.5);
  });

  test.skipIf(!hasTools).each(Object.entries(kinds))(
    "off the grid in %s are near the pixels that djpeg shows",
    async (_name, kind) => {
      const { width, height, file, part } = tiled(kind);
      const region = { x: 5, y: 3, width: width - 9, height: height - 7 };
      const jpeg = await derive(file, region, { quality: 97 });
      const channels = kind.photometric === 1 ? 1 : 3;
      const reduced = (data: Uint8Array) =>
        sharp(data, { raw: { width: region.width, height: region.height, channels } })
          .resize(region.width >> 3, region.height >> 3, { fit: "fill" })
          .toColourspace(channels === 1 ? "b-w" : "srgb")
          .raw()
          .toBuffer();
      const [shown, stored] = [await reduced(decode(jpeg)), await reduced(part(region))];
      // the noise of the tiles is in chroma too, of which three quarters are lost
      expect(meanDifference(shown, stored)).toBeLessThan(1.5);
    },
  );
});

describe.skipIf(!hasTools)("large derivatives", () => {
  it.each([16, 48, 80])("by %i rows are those of all rows together", async (rows) => {
    const { width, file } = tiled(kinds["4:2:0"]!);
    const { plan } = await imaging.open(file);
    const made = plan({ format: "jpg", region: { x: 3, y: 5, width: width - 6, height: 120 }, quality: 90 });
    const codecs = createCodecs(testHost);
    const derived = async (more: { rows?: number }) => {
      const parts = await codecs
        .decoder("tif")
        .derive?.(memoryBytes(file), { ...made, ...more }, undefined, codecs.kernels);
      return Buffer.concat(parts!.pieces);
    };
    // without tables of their own, which derivatives by rows never have
    expect(Buffer.compare(decode(await derived({ rows })), decode(await derived({})))).toBe(0);
  });
});

describe.skipIf(!hasTools)("damaged tiles", () => {
  it("are refused as before, wherever their data ends", async () => {
    const kind = kinds["4:2:0"]!;
    const file = encode(picture(64, 48, 3), [...kind.args]);
    const fields = plainFields(64, 48, 3, 8, 6, [259, 3, 7], [322, 3, 64], [323, 3, 48]);
    for (const length of [0, 1, 20, 400, 640, file.length - 300, file.length - 20]) {
      const cut = tiffFile([{ fields, blocks: [file.slice(0, length)], tiled: true }]);
      const made = derive(cut, { x: 0, y: 0, width: 64, height: 48 });
      await expect(made, `${length} bytes`).rejects.toMatchObject({ kind: "decode" });
    }
  });
});

describe("JPEG strips with a pyramid", () => {
  const side = 1200;
  const useOf = async (compression: "jpeg" | "deflate", scaleFactor: number, halvesColour?: true) => {
    const raw = { width: side, height: side, channels: 3 } as const;
    const data = new Uint8Array(side * side * 3).map((_, i) => (i * 7) >> 9);
    const plain = await sharp(data, { raw }).tiff({ compression }).toBuffer();
    const bytes = memoryBytes(new Uint8Array(plain));
    const codec = createCodecs(testHost).decoder("tif");
    const header = await codec.probe(bytes, 1);
    const region = { x: 0, y: 0, width: side, height: side };
    const read = { header, page: 1, region, scaleFactor, ...(halvesColour && { halvesColour }) };
    const { use, memoryWith } = codec.sidecar!;
    return { use: use(read, bytes.size!, 2 ** 30), memoryWith: memoryWith?.(read) };
  };

  test("do without it at full size if a JPEG derivative is made of the strips", async () => {
    expect(await useOf("jpeg", 1, true)).toEqual({ use: undefined, memoryWith: undefined });
    expect((await useOf("jpeg", 1)).use).toEqual({ layers: ["pyramid"], way: "zoom" });
    expect((await useOf("deflate", 1, true)).use).toEqual({ layers: ["pyramid"], way: "zoom" });
    const small = { layers: ["overview", "pyramid"], way: "begin" };
    expect((await useOf("jpeg", 2, true)).use).toEqual(small);
    expect((await useOf("deflate", 2)).use).toEqual(small);
  });
});
