// JPEG strips and tiles (TIFF Technical Note 2): abbreviated streams, joined with their tables.

import { concatenate, ImagingError } from "../../../../base/index.ts";
import { damagedTif } from "../../damaged.ts";
import { frameKinds } from "../../jpg/markers/frame.ts";
import { adobeSegment, startOfImage } from "../../jpg/markers/write.ts";

/** More scans than any encoder writes only cost time. */
const MAX_SCANS = 100;

/** What a directory says about the coding of its JPEG blocks. */
export interface JpegCoding {
  /**
   * Colours of the components; inks, and RGB with a fourth sample, are left as stored, whatever an Adobe
   * segment says.
   */
  readonly colour: keyof typeof jpegColours;
  readonly tables?: Uint8Array | undefined;
}

/** The transform in an Adobe segment, and the number of components. */
export const jpegColours = {
  gray: { transform: undefined, bands: 1 },
  rgb: { transform: 0, bands: 3 },
  ycc: { transform: 1, bands: 3 },
  rgba: { transform: 0, bands: 4 },
  cmyk: { transform: 0, bands: 4 },
} as const;

/**
 * Joins tables and block into one stream, without application segments, and with an Adobe segment that
 * defines the colours: the TIFF decides, not decoders' guesses from component names.
 */
export function wholeStream(data: Uint8Array, { tables, colour }: JpegCoding): Uint8Array {
  const { transform } = jpegColours[colour];
  return concatenate([
    startOfImage,
    transform === undefined ? [] : adobeSegment(transform),
    ...(tables ? segments(tables) : []),
    ...segments(data),
  ]);
}

/** Returns the relevant segments between SOI and EOI; from the first scan on, all the rest. */
function segments(data: Uint8Array): Uint8Array[] {
  const out: Uint8Array[] = [];
  if (data[0] !== 0xff || data[1] !== 0xd8) throw damagedError();
  let at = 2;
  while (at + 4 <= data.length) {
    if (data[at] !== 0xff) throw damagedError();
    const marker = data[at + 1] as number;
    if (marker === 0xff) {
      at++;
      continue;
    }
    if (marker === 0xd9) break;
    if (marker === 0xda) {
      if (countScans(data, at) > MAX_SCANS) throw damagedTif(`at most ${MAX_SCANS} scans in JPEG`, "more");
      out.push(data.subarray(at));
      break;
    }
    const length = 2 + (((data[at + 2] as number) << 8) | (data[at + 3] as number));
    refuseFrame(marker, data.subarray(at + 4, at + 9));
    const application = (marker >= 0xe0 && marker <= 0xef) || marker === 0xfe;
    if (!application) out.push(data.subarray(at, at + length));
    at += length;
  }
  return out;
}

/**
 * Pixels of a progressive strip or tile: its decoder holds all coefficients, for which no estimate of memory
 * has room.
 */
const maxProgressive = 2 ** 24;

/** Throws ImagingError `unsupported` for a frame of a kind or size that the decoder lacks. */
function refuseFrame(marker: number, [precision = 8, ...size]: Uint8Array): void {
  const kind = frameKinds[marker];
  if (!kind) return;
  const [height, width] = [256 * size[0]! + size[1]!, 256 * size[2]! + size[3]!];
  if (kind.variant === "progressive" && width * height > maxProgressive)
    throw new ImagingError(
      "unsupported",
      `Expected progressive JPEG of at most ${maxProgressive} pixels in a strip or tile of the TIFF file, received ${width} by ${height}; convert the file.`,
    );
  const received =
    kind.refused ??
    (kind.arithmetic ? "arithmetic-coded JPEG" : undefined) ??
    (precision !== 8 ? `JPEG of ${precision} bits` : undefined);
  if (received)
    throw new ImagingError(
      "unsupported",
      `Expected Huffman-coded JPEG of 8 bits in the TIFF file, received ${received}; convert the file.`,
    );
}

function countScans(data: Uint8Array, from: number): number {
  let count = 0;
  for (let at = data.indexOf(0xff, from); at >= 0; at = data.indexOf(0xff, at + 1))
    if (data[at + 1] === 0xda) count++;
  return count;
}

const damagedError = () => damagedTif("a sound JPEG strip or tile", "a damaged one");
