// Files made by cjpeg of libjpeg-turbo, and the pictures behind cjpeg-digests.json.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import sharp from "sharp";
import type { PixelBuffer } from "../../../../src/imaging/pipeline/pixels.ts";
import { filtered } from "../../../kept.ts";
import { isInstalled } from "../../../programs.ts";

export type Picture = PixelBuffer & { readonly data: Uint8Array };

/** Coding of a case; `gray` uses only the green band. */
export interface Coding {
  readonly mode: "420" | "422" | "444" | "gray";
  readonly quality: number;
  readonly optimise: boolean;
}

export const qualities = [1, 10, 25, 50, 75, 90, 95, 98, 100] as const;
export const modes = ["420", "444", "gray"] as const;

export const codings: readonly Coding[] = modes.flatMap((mode) =>
  [false, true].flatMap((optimise) => qualities.map((quality) => ({ mode, quality, optimise }))),
);

export const nameOf = ({ mode, quality, optimise }: Coding) =>
  `${mode} q${quality} ${optimise ? "optimised" : "typical"}`;

const samples = { "420": "2x2", "422": "2x1", "444": "1x1" } as const;

/** Returns the file that cjpeg writes; undefined if cjpeg is not installed. */
export function cjpeg(picture: Picture, { mode, quality, optimise }: Coding): Uint8Array | undefined {
  const { width, height, bands, data } = mode === "gray" ? green(picture) : picture;
  const head = Buffer.from(`${bands === 1 ? "P5" : "P6"}\n${width} ${height}\n255\n`);
  const options = [
    "-dct",
    "int",
    "-baseline",
    "-quality",
    String(quality),
    ...(optimise ? ["-optimize"] : []),
  ];
  const sampling = mode === "gray" ? [] : ["-sample", samples[mode]];
  if (!isInstalled("cjpeg")) return undefined;
  const file = filtered("cjpeg", [...options, ...sampling], Buffer.concat([head, data]));
  if (!file) throw new Error(`cjpeg refuses ${[...options, ...sampling].join(" ")}`);
  return file;
}

export const digest = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

/** The digest of the digests, in order. */
export function digestOfAll(files: Iterable<Uint8Array>): string {
  const hash = createHash("sha256");
  for (const file of files) hash.update(digest(file));
  return hash.digest("hex");
}

/** Returns the green band as a gray picture; a gray picture unchanged. */
export function green(picture: Picture): Picture {
  if (picture.bands === 1) return picture;
  const { width, height, data } = picture;
  const gray = new Uint8Array(width * height).map((_, i) => data[3 * i + 1]!);
  return { width, height, bands: 1, interpretation: "gray", data: gray };
}

export function crop(picture: Picture, x: number, y: number, width: number, height: number): Picture {
  const { bands } = picture;
  const data = new Uint8Array(width * height * bands);
  for (let row = 0; row < height; row++) {
    const from = ((y + row) * picture.width + x) * bands;
    data.set(picture.data.subarray(from, from + width * bands), row * width * bands);
  }
  return { ...picture, width, height, data };
}

async function fixture(name: string): Promise<Picture> {
  const file = readFileSync(new URL(`../../../fixtures/${name}`, import.meta.url));
  const { data, info } = await sharp(file, { ignoreIcc: true })
    .removeAlpha()
    .toColourspace("srgb")
    .raw()
    .toBuffer({ resolveWithObject: true });
  const { width, height } = info;
  return { width, height, bands: 3, interpretation: "rgb", data: new Uint8Array(data) };
}

/** Photographs, one of them with ragged edges, and a drawing. */
export async function photographs(): Promise<Readonly<Record<string, Picture>>> {
  const coffee = await fixture("base.png");
  return {
    coffee,
    ragged: crop(coffee, 41, 23, 509, 333),
    drawing: await fixture("67352ccc-d1b0-11e1-89ae-279075081939.png"),
  };
}

/** Returns a picture whose width is whole MCUs in every sampling. */
export const wholeMcus = (coffee: Picture) => crop(coffee, 0, 0, 592, 400);

/** Bytes of the minimal standard generator. */
export function noiseBytes(length: number, seed: number): Uint8Array {
  let state = seed;
  return new Uint8Array(length).map(() => {
    state = (state * 48271) % 2147483647;
    return state >> 8;
  });
}

export function noise(width: number, height: number, seed = 1): Picture {
  return { width, height, bands: 3, interpretation: "rgb", data: noiseBytes(width * height * 3, seed) };
}

/**
 * Pictures that reach the ends of the arithmetic: saturation, long runs of zeros, stuffed bytes, escaped
 * values.
 */
export function patterns(): Readonly<Record<string, Picture>> {
  const [width, height] = [83, 61];
  const drawn = (sample: (x: number, y: number, band: number) => number): Picture => ({
    ...noise(width, height),
    data: new Uint8Array(width * height * 3).map((_, i) => {
      const pixel = Math.floor(i / 3);
      return sample(pixel % width, Math.floor(pixel / width), i % 3);
    }),
  });
  const plain = noise(width, height, 7);
  return {
    noise: plain,
    "black and white noise": { ...plain, data: plain.data.map((value) => (value & 1) * 255) },
    "checkers of 1": drawn((x, y) => ((x ^ y) & 1) * 255),
    "checkers of 4": drawn((x, y, band) => (((x >> 2) ^ (y >> 2) ^ band) & 1) * 255),
    "a slope": drawn((x, y, band) => (x * 3 + y * (band + 1)) & 255),
    "one bright point per block": drawn((x, y) => ((x & 7) === 5 && (y & 7) === 3 ? 255 : 0)),
  };
}

/** Every size from 1x1 to 40x40. */
export function* sizes(): Generator<Picture> {
  for (let height = 1; height <= 40; height++)
    for (let width = 1; width <= 40; width++) yield noise(width, height, 41 * height + width);
}

/** Returns a picture with too many symbols to store for a second pass. */
export const large = () => green(noise(2048, 2304, 3));

/** Files of all cases by name, of one encoder: what cjpeg-digests.json holds as digests. */
export async function digests(
  encode: (picture: Picture, coding: Coding) => Uint8Array,
): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  const photos = await photographs();
  for (const [name, picture] of Object.entries(photos))
    for (const coding of codings) found[`${name} ${nameOf(coding)}`] = digest(encode(picture, coding));
  for (const [name, picture] of Object.entries(patterns()))
    for (const mode of modes)
      for (const optimise of [false, true]) {
        const files = qualities.map((quality) => encode(picture, { mode, quality, optimise }));
        found[`${name} ${mode} ${optimise ? "optimised" : "typical"}`] = digestOfAll(files);
      }
  for (const mode of modes)
    for (const optimise of [false, true]) {
      const files = [...sizes()].map((picture) => encode(picture, { mode, quality: 90, optimise }));
      found[`all sizes ${mode} ${optimise ? "optimised" : "typical"}`] = digestOfAll(files);
    }
  for (const optimise of [false, true]) {
    const coding: Coding = { mode: "422", quality: 90, optimise };
    found[`whole MCUs ${nameOf(coding)}`] = digest(encode(wholeMcus(photos.coffee!), coding));
    found[`large ${optimise ? "optimised" : "typical"}`] = digest(
      encode(large(), { mode: "gray", quality: 100, optimise }),
    );
  }
  return found;
}
