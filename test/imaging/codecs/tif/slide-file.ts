// A slide of Aperio, written by libtiff's tools.

import { rmSync } from "node:fs";
import { join } from "node:path";
import sharp from "sharp";
import { fixturesFolder } from "../../../host.ts";
import { hasProgram, outputOf } from "../../../programs.ts";

/** True if libtiff's tools are installed (Debian: libtiff-tools); in CI tests fail without them. */
export const hasTiffTools = hasProgram("tiffcp") && hasProgram("tiffset");

/** Samples of the test picture, RGB, at a size. */
export const picture = (width: number, height: number) =>
  sharp(join(fixturesFolder, "base.png"))
    .removeAlpha()
    .resize(width, height, { fit: "fill" })
    .raw()
    .toBuffer();

/** The sizes of Aperio's directories in their order; levels are rounded down. */
export const slide = {
  levels: [
    [1003, 742],
    [250, 185],
    [62, 46],
  ],
  // As large as a level, as only tiles distinguish it then.
  thumbnail: [250, 185],
  label: [96, 120],
  macro: [160, 60],
} as const;

export const aperio = "Aperio Image Library v10.0.51\r\n";
const whole = "1003x742 [0,0 1003x742] (240x240)";
const facts = "JPEG/RGB Q=90|AppMag = 20|ScanScope ID = CPAPERIOCS|Filename = CMU-1|MPP = 0.4990";
/** ImageDescription and NewSubfileType of each directory. */
const descriptions = [
  [`${aperio}${whole} ${facts}`, 0],
  [`${aperio}${whole} -> 250x185 - |AppMag = 20|ScanScope ID = CPAPERIOCS`, 0],
  [`${aperio}${whole} -> 250x185 ${facts}`, 0],
  [`${aperio}${whole} -> 62x46 ${facts}`, 0],
  [`${aperio}label 96x120`, 1],
  [`${aperio}macro 160x60`, 9],
] as const;

/** Pages of the slide: their sizes and stored scales. */
export const slidePages = [
  [1003, 742, 1, 4, 16],
  [250, 185, 1],
  [96, 120, 1],
  [160, 60, 1],
];

/** Writes a slide as libtiff compresses it. `jpeg`: its mode of JPEG. */
export async function writeSlide(path: string, jpeg: string): Promise<string> {
  const tiles = ["-c", jpeg, "-t", "-w", "240", "-l", "240"];
  const strips = ["-c", jpeg, "-s", "-r", "16"];
  const [base, ...smaller] = slide.levels;
  for (const [i, [[width, height], args]] of (
    [
      [base, tiles],
      [slide.thumbnail, strips],
      ...smaller.map((size) => [size, tiles] as const),
      [slide.label, ["-c", "lzw", "-s", "-r", "16"]],
      [slide.macro, strips],
    ] as const
  ).entries()) {
    const part = `${path}.${i}`;
    const data = await picture(width, height);
    await sharp(data, { raw: { width, height, channels: 3 } })
      .tiff({ compression: "none" })
      .toFile(part);
    outputOf("tiffcp", [...(i > 0 ? ["-a"] : []), ...args, part, path]);
    rmSync(part);
  }
  for (const [i, [description, subfile]] of descriptions.entries()) {
    outputOf("tiffset", ["-d", `${i}`, "-s", "270", description, path]);
    outputOf("tiffset", ["-d", `${i}`, "-s", "254", `${subfile}`, path]);
  }
  return path;
}
