// Derivatives of JPEG strips and tiles compared with what libtiff decodes of them: mirrored, turned, gray,
// bitonal, with a profile and with an overlay. Those joined without loss have its pixels as libjpeg shows
// them.
// @module-tag slow

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Rectangle } from "../../../../src/imaging/codecs/image-header.ts";
import { fixture } from "../../../host.ts";
import { decode, encode, hasTools, transcode } from "../../../imaging/codecs/jpg/make-matrix.ts";
import { takeApart } from "../../../imaging/codecs/jpg/segments.ts";
import { reference } from "../../../imaging/codecs/reference.ts";
import { type Field, plainFields, tiffFile } from "../../../imaging/codecs/tif/tiff-file.ts";
import { converted } from "../../../kept.ts";
import { hasProgram } from "../../../programs.ts";
import { type Served, served } from "../../../served.ts";
import { cut, type Picture } from "../derivatives.ts";

const hasTiffTools = hasProgram("tiffcp");

const size = { width: 333, height: 251 };

interface Kind {
  /** Width and height of a strip or tile. */
  readonly block: readonly [number, number];
  /** Options of cjpeg, which makes each strip or tile with tables of its own. */
  readonly cjpeg?: readonly string[];
  /** Options of tiffcp, which makes all of them with shared tables. */
  readonly tiffcp?: readonly string[];
  /** Columns and rows that share a chroma sample. */
  readonly chroma?: readonly [number, number];
  readonly gray?: true;
  readonly rgb?: true;
}

const inTiles = (width: number, height: number) => ["-t", "-w", `${width}`, "-l", `${height}`];
const base = ["-quality", "75", "-baseline"];
const kinds: Readonly<Record<string, Kind>> = {
  "4:2:0 tiles": { block: [64, 48], chroma: [2, 2], cjpeg: base },
  "4:2:0 tiles of tiffcp": { block: [64, 48], chroma: [2, 2], tiffcp: ["-c", "jpeg:75", ...inTiles(64, 48)] },
  "4:2:0 strips": { block: [size.width, 16], chroma: [2, 2], cjpeg: base },
  "4:2:2 tiles": { block: [64, 48], chroma: [2, 1], cjpeg: [...base, "-sample", "2x1"] },
  "4:2:2 strips": { block: [size.width, 16], chroma: [2, 1], cjpeg: [...base, "-sample", "2x1"] },
  "4:4:0 tiles": { block: [64, 48], chroma: [1, 2], cjpeg: [...base, "-sample", "1x2"] },
  "4:4:4 tiles": { block: [64, 48], chroma: [1, 1], cjpeg: [...base, "-sample", "1x1"] },
  "4:4:4 strips": { block: [size.width, 8], chroma: [1, 1], cjpeg: [...base, "-sample", "1x1"] },
  "RGB tiles": { block: [64, 48], rgb: true, tiffcp: ["-c", "jpeg:r:40", ...inTiles(64, 48)] },
  "RGB strips": { block: [size.width, 24], rgb: true, tiffcp: ["-c", "jpeg:r:40", "-r", "24"] },
  "gray tiles": { block: [64, 48], gray: true, tiffcp: ["-c", "jpeg:75", ...inTiles(64, 48)] },
  "gray strips": { block: [size.width, 16], gray: true, tiffcp: ["-c", "jpeg:75", "-r", "16"] },
};
const names = Object.keys(kinds);
const fileOf = (name: string) => `${name.replaceAll(/[ :]/g, "-")}.tif`;
const profile = "profile";
/** An opaque overlay in the corner. */
const mark = { size: { width: 40, height: 20 }, colour: [200, 40, 90] } as const;

let folder: string;
let app: Served;
let marked: Served;
let icc: Buffer;
/** What libtiff decodes of each file. */
const decoded = new Map<string, Picture>();

beforeAll(async () => {
  if (!hasTools || !hasTiffTools) return;
  folder = mkdtempSync(join(tmpdir(), "smalti-tiles-"));
  const photo = sharp(fixture("tif-strip-none.tif")).extract({ left: 60, top: 40, ...size });
  const colours = await photo.clone().removeAlpha().raw().toBuffer();
  for (const [name, kind] of Object.entries(kinds)) {
    const path = join(folder, fileOf(name));
    const { tiffcp, gray } = kind;
    if (tiffcp) {
      const source = gray ? photo.clone().toColourspace("b-w") : photo.clone();
      const plain = await source.tiff({ compression: "none" }).toBuffer();
      const files = { input: plain, from: "in.tif", to: "out.tif" };
      writeFileSync(path, converted("tiffcp", [...tiffcp, files.from, files.to], files));
    } else writeFileSync(path, ofBlocks(colours, kind));
    decoded.set(name, await reference(readFileSync(path)));
  }
  icc = (await sharp(fixture("jpg-icc-displayp3.jpg")).metadata()).icc!;
  const withProfile = ofBlocks(colours, kinds["4:2:0 tiles"]!, [[34675, 7, ...icc]]);
  writeFileSync(join(folder, fileOf(profile)), withProfile);
  const [r, g, b] = mark.colour;
  const create = { ...mark.size, channels: 3, background: { r, g, b } } as const;
  await sharp({ create }).png().toFile(join(folder, "mark.png"));
  app = await servedWith("");
  marked = await servedWith(
    `overlay: { image: "${folder}/mark.png", anchor: bottom-right, offset: [0, 0], opacity: 1 }`,
  );
});
afterAll(async () => {
  await app?.service.close();
  await marked?.service.close();
  if (folder) rmSync(folder, { recursive: true, maxRetries: 5 });
});

/** Highest quality: stored tiles never take much more bytes than its own, so that they are always joined. */
const servedWith = (more: string, color = "respect-icc") =>
  served(`image: { jpeg_quality: 100, jpeg_chroma: "444", color: ${color} }
${more}
sources: [{ name: tiles, type: filesystem, root: ${JSON.stringify(folder)} }]`);

/** Returns a TIFF of which cjpeg made each strip or tile. */
function ofBlocks(
  colours: Uint8Array,
  { block, cjpeg, chroma }: Kind,
  more: readonly Field[] = [],
): Uint8Array {
  const [blockWidth, blockHeight] = block;
  const { width, height } = size;
  const isTiled = blockWidth !== width;
  const blocks: Uint8Array[] = [];
  for (let y = 0; y < height; y += blockHeight)
    for (let x = 0; x < width; x += blockWidth) {
      // tiles go on beyond the edge, the last strip does not
      const rows = isTiled ? blockHeight : Math.min(blockHeight, height - y);
      const part = new Uint8Array(blockWidth * rows * 3);
      for (let row = 0; row < rows; row++)
        for (let column = 0; column < blockWidth; column++) {
          const from = Math.min(y + row, height - 1) * width + Math.min(x + column, width - 1);
          part.set(colours.subarray(from * 3, from * 3 + 3), (row * blockWidth + column) * 3);
        }
      const ppm = Buffer.concat([Buffer.from(`P6 ${blockWidth} ${rows} 255\n`), part]);
      blocks.push(encode(ppm, [...cjpeg!]));
    }
  const layout: Field[] = isTiled
    ? [
        [322, 3, blockWidth],
        [323, 3, blockHeight],
      ]
    : [[278, 3, blockHeight]];
  const fields = plainFields(width, height, 3, 8, 6, [259, 3, 7], [530, 3, ...chroma!], ...layout, ...more);
  return tiffFile([{ fields, blocks, tiled: isTiled }]);
}

const regions = {
  whole: { x: 0, y: 0, ...size },
  "on the grid": { x: 64, y: 48, width: 128, height: 96 },
  "at the edge": { x: 192, y: 144, width: size.width - 192, height: size.height - 144 },
  "off the grid": { x: 5, y: 3, width: 150, height: 120 },
} as const;
const rotations = ["0", "90", "180", "270", "!0", "!90", "!180", "!270"] as const;

const target = (name: string, { x, y, width, height }: Rectangle, rest: string) =>
  `/iiif/3/${fileOf(name)}/${x},${y},${width},${height}/max/${rest}`;

async function responseOf(from: Served, path: string): Promise<Uint8Array> {
  const response = await from.get(path);
  expect(response.status, path).toBe(200);
  return new Uint8Array(await response.arrayBuffer());
}

/** Mirrors first, then turns clockwise (IIIF Image API 3.0, section 4.3). */
function turned({ width, height, bands, data }: Picture, rotation: string): Picture {
  const degrees = Number(rotation.replace("!", ""));
  const isMirrored = rotation.startsWith("!");
  const swaps = degrees % 180 === 90;
  const [across, down] = swaps ? [height, width] : [width, height];
  const out = new Uint8Array(data.length);
  for (let v = 0; v < down; v++)
    for (let u = 0; u < across; u++) {
      const [a, b] = swaps ? [v, u] : [u, v];
      const column = degrees < 180 ? a : width - 1 - a;
      const y = degrees === 0 || degrees === 270 ? b : height - 1 - b;
      const x = isMirrored ? width - 1 - column : column;
      const [from, to] = [(y * width + x) * bands, (v * across + u) * bands];
      for (let band = 0; band < bands; band++) out[to + band] = data[from + band]!;
    }
  return { width: across, height: down, bands, data: out };
}

const tablesOf = (jpeg: Uint8Array) => takeApart(jpeg).segments.filter(({ code }) => code === 0xdb);

/** True if a derivative has the coefficients of its master: at quality 100 all quantisation steps are 1. */
const isJoined = (jpeg: Uint8Array) => tablesOf(jpeg).some(({ body }) => body.some((step) => step > 16));

/** Returns 255 for samples that do not depend on chroma of other blocks, nor of pixels beyond the region. */
function awayFromSeams(
  { block, chroma = [1, 1] }: Kind,
  { x, y, width, height }: Rectangle,
  { bands }: Picture,
): Picture {
  const isInside = (at: number, from: number, length: number, side: number, shared: number) => {
    const reach = shared === 1 ? 0 : shared;
    const inBlock = at % side;
    return inBlock >= reach && inBlock < side - reach && at - from >= reach && at - from < length - reach;
  };
  const data = new Uint8Array(width * height * bands);
  for (let i = 0; i < data.length; i++) {
    const pixel = Math.floor(i / bands);
    const across = isInside(x + (pixel % width), x, width, block[0], chroma[0]);
    const down = isInside(y + Math.floor(pixel / width), y, height, block[1], chroma[1]);
    data[i] = across && down ? 255 : 0;
  }
  return { width, height, bands, data };
}

function differences(a: ArrayLike<number>, b: ArrayLike<number>, where?: ArrayLike<number>) {
  expect(a.length).toBe(b.length);
  let [sum, largest] = [0, 0];
  for (let i = 0; i < a.length; i++) {
    if (where?.[i] === 0) continue;
    const d = Math.abs(a[i]! - b[i]!);
    sum += d;
    largest = Math.max(largest, d);
  }
  return { mean: sum / a.length, largest };
}

/** Returns the luma of RGB (ITU-T T.871, section 7). */
function lumaOf({ bands, data, ...rest }: Picture): Picture {
  if (bands === 1) return { ...rest, bands, data };
  const luma = new Uint8Array(data.length / 3).map((_, i) =>
    Math.round(0.299 * data[3 * i]! + 0.587 * data[3 * i + 1]! + 0.114 * data[3 * i + 2]!),
  );
  return { ...rest, bands: 1, data: luma };
}

const partOf = (name: string, { x, y, width, height }: Rectangle) =>
  cut(decoded.get(name)!, x, y, width, height);

/** Gray masters stay gray, also if the mark has colours. */
function withMark({ width, height, bands, data }: Picture): Picture {
  const colours = { width: 1, height: 1, bands: 3, data: Uint8Array.from(mark.colour) };
  const { data: covering } = bands === 1 ? lumaOf(colours) : colours;
  const out = Uint8Array.from(data);
  for (let y = height - mark.size.height; y < height; y++)
    for (let x = width - mark.size.width; x < width; x++) out.set(covering, (y * width + x) * bands);
  return { width, height, bands, data: out };
}

/** Options of jpegtran for each rotation, one run after the other. */
function turnedByJpegtran(jpeg: Uint8Array, rotation: string): Uint8Array {
  const mirrored = rotation.startsWith("!") ? transcode(jpeg, ["-perfect", "-flip", "horizontal"]) : jpeg;
  const degrees = rotation.replace("!", "");
  return degrees === "0" ? mirrored : transcode(mirrored, ["-perfect", "-rotate", degrees]);
}

describe.skipIf(!hasTools || !hasTiffTools)("derivatives of JPEG in TIFF", () => {
  test.each(names)("%s are joined with the pixels of libtiff", async (name) => {
    for (const where of ["whole", "on the grid", "at the edge"] as const) {
      const region = regions[where];
      const expected = partOf(name, region);
      const away = awayFromSeams(kinds[name]!, region, expected);
      const jpeg = await responseOf(app, target(name, region, "0/default.jpg"));
      expect(isJoined(jpeg), where).toBe(true);
      const shown = decode(jpeg);
      expect(differences(shown, expected.data, away.data).largest, where).toBe(0);
      // libtiff upsamples the chroma of each block by itself
      expect(differences(shown, expected.data).mean, where).toBeLessThan(0.2);
    }
  });

  test.each(names)("%s, mirrored and turned, have the pixels of libtiff", async (name) => {
    const upright = await responseOf(app, target(name, regions["on the grid"], "0/default.jpg"));
    let joined = 0;
    for (const [where, region] of Object.entries(regions))
      for (const rotation of rotations.slice(1)) {
        const words = `${where} ${rotation}`;
        const expected = turned(partOf(name, region), rotation);
        const jpeg = await responseOf(app, target(name, region, `${rotation}/default.jpg`));
        const shown = decode(jpeg);
        expect(shown.length, words).toBe(expected.data.length);
        expect(differences(shown, expected.data).mean, words).toBeLessThan(0.8);
        if (!isJoined(jpeg)) continue;
        joined++;
        // components that are transformed after turning may be rounded otherwise
        const away = turned(awayFromSeams(kinds[name]!, region, partOf(name, region)), rotation);
        const most = kinds[name]!.gray ? 1 : 3;
        expect(differences(shown, expected.data, away.data).largest, words).toBeLessThanOrEqual(most);
        if (where !== "on the grid") continue;
        const same = decode(turnedByJpegtran(upright, rotation));
        expect(Buffer.compare(shown, same), words).toBe(0);
      }
    expect(joined).toBeGreaterThanOrEqual(kinds[name]!.rgb ? 0 : 7);
  });

  test.each(names)("%s in gray have the luma of libtiff, and bitonal its threshold", async (name) => {
    for (const [where, region] of Object.entries(regions)) {
      const luma = lumaOf(partOf(name, region));
      const jpeg = await responseOf(app, target(name, region, "0/gray.jpg"));
      const png = await reference(await responseOf(app, target(name, region, "90/gray.png")));
      const bitonal = await reference(await responseOf(app, target(name, region, "!0/bitonal.png")));
      // a JPEG derivative has the stored luma; that of the RGB of libtiff is of clipped colours
      expect(differences(decode(jpeg), luma.data).mean, where).toBeLessThan(0.3);
      expect(differences(png.data, turned(luma, "90").data).largest, where).toBeLessThanOrEqual(1);
      const mirrored = turned(luma, "!0");
      const wrong = bitonal.data.filter((value, i) => {
        const sample = mirrored.data[i]!;
        return Math.abs(sample - 128) > 2 && value !== (sample < 128 ? 0 : 255);
      });
      expect(wrong, where).toHaveLength(0);
    }
  });

  test.each(names)("%s have the pixels of libtiff as PNG, and around an overlay", async (name) => {
    for (const [where, region] of Object.entries(regions)) {
      const expected = partOf(name, region);
      const png = await reference(await responseOf(app, target(name, region, "0/default.png")));
      expect(differences(png.data, expected.data).largest, where).toBeLessThanOrEqual(1);
      const covered = withMark(expected);
      const [markedPng, markedJpeg] = await Promise.all([
        responseOf(marked, target(name, region, "0/default.png")),
        responseOf(marked, target(name, region, "0/default.jpg")),
      ]);
      const shown = await reference(markedPng);
      expect(shown.bands, where).toBe(covered.bands);
      expect(differences(shown.data, covered.data).largest, where).toBeLessThanOrEqual(1);
      expect(isJoined(markedJpeg), where).toBe(false);
      expect(differences(decode(markedJpeg), covered.data).mean, where).toBeLessThan(0.6);
    }
  });

  test("tiles with a profile are joined, and keep it", async () => {
    for (const where of ["whole", "on the grid", "at the edge"] as const) {
      const jpeg = await responseOf(app, target(profile, regions[where], "0/default.jpg"));
      const without = await responseOf(app, target("4:2:0 tiles", regions[where], "0/default.jpg"));
      expect(isJoined(jpeg)).toBe(true);
      expect(Buffer.compare(decode(jpeg), decode(without))).toBe(0);
      expect((await sharp(jpeg).metadata()).icc).toEqual(icc);
    }
  });

  test("tiles with a profile are converted to sRGB as libvips converts them", async () => {
    const converting = await servedWith("", "srgb");
    for (const [where, region] of Object.entries(regions)) {
      const jpeg = await responseOf(converting, target(profile, region, "0/default.jpg"));
      expect(isJoined(jpeg)).toBe(false);
      const { x: left, y: top, width, height } = region;
      const expected = await sharp(join(folder, fileOf(profile)))
        .extract({ left, top, width, height })
        .raw()
        .toBuffer();
      expect(differences(decode(jpeg), expected).mean, where).toBeLessThan(0.6);
    }
    await converting.service.close();
  });
});
