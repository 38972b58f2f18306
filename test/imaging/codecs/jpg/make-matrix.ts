// Sequential JPEG files of many kinds and what libjpeg makes of them, by cjpeg and djpeg
// (libjpeg-turbo-progs).
//
//   node test/imaging/codecs/jpg/make-matrix.ts FOLDER      writes the files, for a look at them (Node 24)

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { filtered } from "../../../kept.ts";
import { isInstalled } from "../../../programs.ts";

/** True if the tools are installed on this machine. */
export const hasTools = ["cjpeg", "djpeg", "jpegtran"].every(isInstalled);

function run(tool: string, args: readonly string[], input: Uint8Array, files = {}): Uint8Array {
  // Damaged files still decode to a picture, with warnings (2) or an error after the picture (1).
  const made = filtered(tool, args, input, { statuses: [0, 1, 2], files });
  if (!made?.length) throw new Error(`${tool} ${args.join(" ")} makes nothing of it`);
  return made;
}

/** A repeatable source of numbers from 0 to 1. */
export function randomness(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** Waves, edges and noise, so that all kinds of codes occur: a binary PPM. */
export function picture(width: number, height: number, seed = 1): Uint8Array {
  const random = randomness(seed);
  const head = Buffer.from(`P6 ${width} ${height} 255\n`);
  const body = Buffer.alloc(width * height * 3);
  for (let y = 0, at = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      for (let band = 0; band < 3; band++, at++) {
        const wave = 128 + 90 * Math.sin((x * (band + 1)) / 9 + y / 13) * Math.cos((y * (3 - band)) / 17);
        const edge = (x >> 4) % 3 === 0 && (y >> 3) % 2 === 0 ? 60 * (band - 1) : 0;
        const noise = (x >> 5) % 2 ? 60 * (random() - 0.5) : 0;
        body[at] = Math.max(0, Math.min(255, Math.round(wave + edge + noise)));
      }
  return Buffer.concat([head, body]);
}

/** JPEG of a PPM. */
export const encode = (ppm: Uint8Array, args: readonly string[]) => run("cjpeg", args, ppm);

/** The same picture with other Huffman tables or restart markers. */
export const transcode = (jpeg: Uint8Array, args: readonly string[]) => run("jpegtran", args, jpeg);

/**
 * Returns libjpeg's decoded samples, without the header of the PNM: accurate transform, smooth upsampling by
 * default.
 */
export function decode(jpeg: Uint8Array, args: readonly string[] = []): Uint8Array {
  const pnm = run("djpeg", ["-dct", "int", "-pnm", ...args], jpeg);
  let at = 0;
  for (let field = 0; field < 4; field++) {
    while (pnm[at]! > 32) at++;
    at++;
  }
  return pnm.subarray(at);
}

export interface MatrixRow {
  readonly name: string;
  readonly width: number;
  readonly height: number;
  /** Arguments of cjpeg. */
  readonly args: readonly string[];
  /** A scan script of cjpeg. */
  readonly script?: string;
}

const samplings = {
  "4:4:4": ["-sample", "1x1"],
  "4:2:2": ["-sample", "2x1"],
  "4:2:0": ["-sample", "2x2"],
  "4:4:0": ["-sample", "1x2"],
  "4:1:1": ["-sample", "4x1"],
  "4:1:0": ["-sample", "4x2"],
  "1x4": ["-sample", "1x4"],
  mixed: ["-sample", "2x2,2x1,1x2"],
  "luma below": ["-sample", "1x1,2x2,1x1"],
  gray: ["-grayscale"],
  "gray 2x2": ["-grayscale", "-sample", "2x2"],
  rgb: ["-rgb"],
};
const restarts = {
  none: [],
  "1 block": ["-restart", "1B"],
  "7 blocks": ["-restart", "7B"],
  "1 row": ["-restart", "1"],
};

const notInterleaved = "0;\n1;\n2;\n";
const partlyInterleaved = "0;\n1 2;\n";

/** Names and cjpeg arguments with sizes: all kinds at odd sizes, all small sizes for the usual kinds. */
export function* matrix(): Generator<MatrixRow> {
  const sizes: readonly (readonly [number, number])[] = [
    [97, 61],
    [130, 33],
    [16, 16],
    [200, 9],
  ];
  let n = 0;
  for (const [sampling, sampleArgs] of Object.entries(samplings))
    for (const quality of [5, 30, 75, 92, 100])
      for (const [restart, restartArgs] of Object.entries(restarts)) {
        const [width, height] = sizes[n % sizes.length]!;
        const optimised = n++ % 2 ? ["-optimize"] : [];
        yield {
          name: `${sampling}, quality ${quality}, restart ${restart}, ${width}x${height}${optimised.length ? ", optimised" : ""}`,
          width,
          height,
          args: [...sampleArgs, "-quality", String(quality), "-baseline", ...restartArgs, ...optimised],
        };
      }
  for (const sampling of ["4:4:4", "4:2:2", "4:2:0", "4:4:0", "4:1:1", "gray"] as const)
    for (let side = 1; side <= 18; side++)
      yield {
        name: `${sampling}, ${side}x${19 - side}`,
        width: side,
        height: 19 - side,
        args: [...samplings[sampling], "-quality", "80"],
      };
  for (const [name, script] of Object.entries({ notInterleaved, partlyInterleaved }))
    for (const sampling of ["4:4:4", "4:2:0", "4:1:1"] as const)
      for (const restart of ["none", "7 blocks"] as const)
        yield {
          name: `${sampling}, ${name}, restart ${restart}`,
          width: 99,
          height: 45,
          args: [...samplings[sampling], "-quality", "85", ...restarts[restart]],
          script,
        };
  yield { name: "16-bit tables", width: 97, height: 61, args: ["-quality", "1", "-sample", "2x2"] };
}

/** The file of a row of {@link matrix}. */
export function makeFile({ width, height, args, script }: MatrixRow): Uint8Array {
  const ppm = picture(width, height, width * 1000 + height);
  return script ? run("cjpeg", [...args, "-scans", "scans"], ppm, { scans: script }) : encode(ppm, args);
}

if (process.argv[1] === import.meta.filename && process.argv[2]) {
  mkdirSync(process.argv[2], { recursive: true });
  let count = 0;
  for (const row of matrix())
    writeFileSync(join(process.argv[2], `${count++} ${row.name.replace(/\W+/g, "-")}.jpg`), makeFile(row));
}
