// JPEG files of many kinds for the tests of the transcode: pictures, scan scripts, and the programs of
// libjpeg-turbo.

import sharp, { type JpegOptions } from "sharp";
import { filtered } from "../../../../kept.ts";
import { isInstalled } from "../../../../programs.ts";

/** Numbers from 0 to 1, the same for the same seed (xorshift32). */
export function sequence(seed: number): () => number {
  let state = seed | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

/** An RGB picture with waves, an edge and noise, so that every coefficient gets used. */
export function picture(width: number, height: number, seed = 1): Uint8Array {
  const next = sequence(seed);
  const data = new Uint8Array(width * height * 3);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const noise = next() < 0.3 ? 90 * (next() - 0.5) : 0;
      for (let band = 0; band < 3; band++) {
        const wave = 60 * Math.sin((x * (band + 1) + 2 * y) / 9) + (x > y ? 50 : -20);
        data[(y * width + x) * 3 + band] = Math.max(0, Math.min(255, 120 + wave + noise));
      }
    }
  }
  return data;
}

/** A progressive file made by sharp. */
export function progressive(width: number, height: number, options: JpegOptions = {}): Promise<Buffer> {
  return sharp(picture(width, height), { raw: { width, height, channels: 3 } })
    .jpeg({ progressive: true, quality: 90, ...options })
    .toBuffer();
}

/** Scan scripts of cjpeg (wizard.txt of libjpeg), for three components and for one. */
export const scripts = {
  "spectral selection alone": [
    "0 1 2: 0-0, 0, 0; 0: 1-5, 0, 0; 1: 1-63, 0, 0; 2: 1-63, 0, 0; 0: 6-63, 0, 0;",
    "0: 0-0, 0, 0; 0: 1-5, 0, 0; 0: 6-63, 0, 0;",
  ],
  "bit after bit": [
    "0 1 2: 0-0, 0, 3; 0: 1-63, 0, 3; 1: 1-63, 0, 3; 2: 1-63, 0, 3; 0 1 2: 0-0, 3, 2; 0: 1-63, 3, 2; 1: 1-63, 3, 2;" +
      "2: 1-63, 3, 2; 0: 1-63, 2, 1; 0 1 2: 0-0, 2, 1; 1: 1-63, 2, 1; 2: 1-63, 2, 1; 0 1 2: 0-0, 1, 0;" +
      "2: 1-63, 1, 0; 1: 1-63, 1, 0; 0: 1-63, 1, 0;",
    "0: 0-0, 0, 3; 0: 1-63, 0, 3; 0: 0-0, 3, 2; 0: 1-63, 3, 2; 0: 1-63, 2, 1; 0: 0-0, 2, 1; 0: 0-0, 1, 0; 0: 1-63, 1, 0;",
  ],
  "DC scans apart": [
    "2: 0-0, 0, 1; 0 1: 0-0, 0, 1; 0: 0-0, 1, 0; 1 2: 0-0, 1, 0; 0: 1-63, 0, 0; 1: 1-63, 0, 1; 1: 1-63, 1, 0; 2: 1-63, 0, 0;",
    "0: 0-0, 0, 1; 0: 1-63, 0, 2; 0: 0-0, 1, 0; 0: 1-63, 2, 1; 0: 1-63, 1, 0;",
  ],
  "sequential, component by component": ["0; 1; 2;", "0;"],
  "sequential, two scans": ["0; 1 2;", "0;"],
} as const;

/** True if a program is installed on this machine. */
export const has = isInstalled;

/**
 * Returns the standard output of a program with `input`; undefined if it fails (a warning, status 2, does not
 * count).
 */
export function piped(program: string, args: readonly string[], input: Uint8Array): Uint8Array | undefined {
  return filtered(program, args, input, { statuses: [0, 2] });
}

export interface Recipe {
  readonly width: number;
  readonly height: number;
  readonly quality: number;
  /** Arguments of cjpeg that choose components and sampling. */
  readonly sampling: readonly string[];
  /** One of `scripts`, or cjpeg's own progressive one. */
  readonly script?: keyof typeof scripts | undefined;
  /** cjpeg's -restart: rows, or blocks with "B" behind. */
  readonly restart?: string | undefined;
}

/** A file made by cjpeg. */
export function made({ width, height, quality, sampling, script, restart }: Recipe): Uint8Array {
  const args = ["-quality", String(quality), ...sampling];
  if (restart) args.push("-restart", restart);
  args.push(...(script ? ["-scans", "scans"] : ["-progressive"]));
  const files = script ? { scans: scripts[script][sampling.includes("-grayscale") ? 1 : 0] } : {};
  const head = Buffer.from(`P6 ${width} ${height} 255\n`);
  const ppm = Buffer.concat([head, picture(width, height, width * 41 + height)]);
  const file = filtered("cjpeg", args, ppm, { statuses: [0, 2], files });
  if (!file) throw new Error(`cjpeg ${args.join(" ")}`);
  return file;
}
