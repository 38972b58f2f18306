// Charts of 24 patches of 64 pixels a side, six in a row, as files; and the colours at the centres of
// pictures of them.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { reference } from "../codecs/reference.ts";

const side = 64;
const across = 6;

/** 8-bit device colours: a gray ramp, the corners of the cube except white, and colours in between. */
export const rgbPatches: readonly (readonly number[])[] = [
  ...[0, 20, 64, 128, 192, 255].map((v) => [v, v, v]),
  [255, 0, 0],
  [0, 255, 0],
  [0, 0, 255],
  [0, 255, 255],
  [255, 0, 255],
  [255, 255, 0],
  [116, 81, 67],
  [199, 147, 129],
  [91, 122, 156],
  [90, 108, 64],
  [130, 128, 176],
  [92, 190, 172],
  [224, 124, 47],
  [68, 91, 170],
  [198, 82, 97],
  [94, 58, 106],
  [159, 189, 63],
  [30, 12, 8],
];

/** Inks of 8 bit. */
export const cmykPatches: readonly (readonly number[])[] = [
  [0, 0, 0, 0],
  [255, 0, 0, 0],
  [0, 255, 0, 0],
  [0, 0, 255, 0],
  [0, 0, 0, 255],
  [255, 255, 255, 255],
  [255, 255, 0, 0],
  [255, 0, 255, 0],
  [0, 255, 255, 0],
  [191, 173, 170, 230],
  [0, 0, 0, 128],
  [0, 0, 0, 64],
  [100, 153, 168, 90],
  [40, 100, 110, 10],
  [160, 100, 50, 20],
  [140, 90, 200, 60],
  [130, 115, 20, 5],
  [150, 0, 90, 0],
  [15, 140, 220, 5],
  [210, 160, 10, 5],
  [40, 190, 120, 20],
  [170, 215, 60, 50],
  [95, 15, 215, 5],
  [60, 60, 60, 60],
];

export const grayPatches: readonly (readonly number[])[] = Array.from({ length: 24 }, (_, i) => [
  Math.round((i * 255) / 23),
]);

/** The chart as interleaved samples. */
export function chart(patches: readonly (readonly number[])[]) {
  const bands = patches[0]!.length;
  const [width, height] = [side * across, side * (patches.length / across)];
  const data = new Uint8Array(width * height * bands);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      data.set(patches[Math.floor(y / side) * across + Math.floor(x / side)]!, (y * width + x) * bands);
  return { width, height, bands, data };
}

export type Container = "jpg" | "png" | "tif" | "webp" | "jp2";

export interface ChartFile {
  /** Name of the file in its folder. */
  readonly name: string;
  readonly container: Container;
  readonly patches: readonly (readonly number[])[];
  readonly profile?: Uint8Array;
}

/**
 * Writes charts with embedded profiles using other programs, practically lossless. ExifTool, which starts
 * Perl, runs once for all.
 */
export async function writeCharts(folder: string, files: readonly ChartFile[]): Promise<void> {
  const profiles = mkdtempSync(join(tmpdir(), "profiles-"));
  try {
    const commands: string[] = [];
    for (const [i, { name, container, patches, profile }] of files.entries()) {
      writeFileSync(join(folder, name), await plainFile(container, patches));
      if (!profile) continue;
      const icc = join(profiles, `${i}.icc`);
      writeFileSync(icc, profile);
      commands.push(
        "-q",
        "-m",
        "-overwrite_original",
        `-icc_profile<=${icc}`,
        join(folder, name),
        "-execute",
      );
    }
    execFileSync("exiftool", ["-@", "-"], {
      input: commands.join("\n"),
      stdio: ["pipe", "ignore", "inherit"],
    });
  } finally {
    rmSync(profiles, { recursive: true, force: true });
  }
}

async function plainFile(container: Container, patches: readonly (readonly number[])[]): Promise<Uint8Array> {
  const { width, height, bands, data } = chart(patches);
  if (bands === 4 || container === "jp2") {
    const colours = { 1: "gray", 3: "rgb", 4: "cmyk" }[bands as 1 | 3 | 4];
    const depth = ["-size", `${width}x${height}`, "-depth", "8", `${colours}:-`];
    const options =
      { jpg: ["-quality", "100", "-sampling-factor", "1x1"], jp2: ["-quality", "100"] }[
        container as "jpg" | "jp2"
      ] ?? [];
    return new Uint8Array(
      execFileSync("convert", [...depth, ...options, `${container}:-`], { input: data, maxBuffer: 2 ** 28 }),
    );
  }
  const image = sharp(data, { raw: { width, height, channels: bands as 1 | 3 } });
  const gray = bands === 1 ? image.toColourspace("b-w") : image;
  const made = {
    jpg: () => gray.jpeg({ quality: 100, chromaSubsampling: "4:4:4" }),
    png: () => gray.png(),
    tif: () => gray.tiff({ compression: "deflate" }),
    webp: () => gray.webp({ lossless: true }),
  }[container as "jpg" | "png" | "tif" | "webp"]();
  return new Uint8Array(await made.toBuffer());
}

/** Means over the middle of each patch of an encoded picture, as stored. */
export async function patchesOf(file: Uint8Array): Promise<number[][]> {
  const { width, height, bands, data } = await reference(file);
  const [columns, rows] = [Math.round(width / side), Math.round(height / side)];
  return Array.from({ length: columns * rows }, (_, i) => {
    const [left, top] = [(i % columns) * side + 24, Math.floor(i / columns) * side + 24];
    const sums = new Array<number>(bands).fill(0);
    for (let y = top; y < top + 16; y++)
      for (let x = left; x < left + 16; x++)
        for (let band = 0; band < bands; band++) sums[band]! += data[(y * width + x) * bands + band]!;
    return sums.map((sum) => sum / 256);
  });
}
