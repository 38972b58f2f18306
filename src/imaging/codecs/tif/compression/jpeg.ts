// JPEG strips and tiles (TIFF Technical Note 2): abbreviated streams joined with their tables, decoded by
// libjpeg-turbo.

import { ImagingError } from "../../../errors.ts";
import type { CodecHost } from "../../codec.ts";
import { asImagingError, keptInstance } from "../../instance.ts";
import { frameKinds } from "../../jpg/markers/frame.ts";
import { accurateDct, createTurbo, pixelFormats, type Turbo } from "../../jpg/turbo/module.ts";
import { damagedError } from "../directory/ifd.ts";

/** More scans than any encoder writes only cost time. */
const MAX_SCANS = 100;

/** Required properties of an image's JPEG block. */
export interface JpegBlock {
  readonly width: number;
  /** Required rows, and the maximum. */
  readonly rows: number;
  readonly maxRows: number;
  /**
   * Colours of its components; inks, and RGB with a fourth sample, are left as stored, whatever an Adobe
   * segment says.
   */
  readonly colour: keyof typeof colours;
  readonly tables?: Uint8Array | undefined;
  /** 1, 2, 4 or 8: side of the squares of pixels that become one. */
  readonly side: number;
}

/**
 * Decodes JPEG blocks to 8-bit gray, RGB, RGB with alpha or CMYK of `width` by at least `rows`, over `side`,
 * rounded up. Throws ImagingError `decode`, also on warnings, and `unsupported` for unsupported kinds of
 * JPEG.
 */
export type DecodeJpeg = (data: Uint8Array, block: JpegBlock) => Promise<Uint8Array>;

/** Creates a decoder with one instance of the module `jpeg-turbo`. */
export function jpegDecoder(host: CodecHost): DecodeJpeg {
  const withInstance = keptInstance<Turbo>({
    create: () => createTurbo(host.wasm("jpeg-turbo")),
    memory: (turbo) => turbo.memory.buffer.byteLength,
  });
  return async (data, block) => {
    try {
      return await withInstance((turbo) => decode(turbo, wholeStream(data, block), block));
    } catch (error) {
      throw asImagingError(
        error,
        "decode",
        damagedError("a sound JPEG strip or tile", "a damaged one").message,
      );
    }
  };
}

/**
 * Joins tables and block into one stream, without application segments, and with an Adobe segment that
 * defines the colours: the TIFF decides, not decoders' guesses from component names.
 */
function wholeStream(data: Uint8Array, { tables, colour }: JpegBlock): Uint8Array {
  const parts: Uint8Array[] = [Uint8Array.of(0xff, 0xd8)];
  const { transform } = colours[colour];
  if (transform !== undefined)
    parts.push(Uint8Array.of(0xff, 0xee, 0, 14, 0x41, 0x64, 0x6f, 0x62, 0x65, 0, 100, 0, 0, 0, 0, transform));
  if (tables) parts.push(...segments(tables));
  parts.push(...segments(data));
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

/** Returns the relevant segments between SOI and EOI; from the first scan on, all the rest. */
function segments(data: Uint8Array): Uint8Array[] {
  const out: Uint8Array[] = [];
  if (data[0] !== 0xff || data[1] !== 0xd8) throw new Error("no start of image");
  let at = 2;
  while (at + 4 <= data.length) {
    if (data[at] !== 0xff) throw new Error("no marker");
    const marker = data[at + 1] as number;
    if (marker === 0xff) {
      at++;
      continue;
    }
    if (marker === 0xd9) break;
    if (marker === 0xda) {
      if (countScans(data, at) > MAX_SCANS) throw damagedError(`at most ${MAX_SCANS} scans in JPEG`, "more");
      out.push(data.subarray(at));
      break;
    }
    const length = 2 + (((data[at + 2] as number) << 8) | (data[at + 3] as number));
    refuseFrame(marker, data[at + 4]);
    const application = (marker >= 0xe0 && marker <= 0xef) || marker === 0xfe;
    if (!application) out.push(data.subarray(at, at + length));
    at += length;
  }
  return out;
}

/** Throws ImagingError `unsupported` for a frame of a kind that the decoder lacks. */
function refuseFrame(marker: number, precision = 8): void {
  const kind = frameKinds[marker];
  if (!kind) return;
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

function decode(turbo: Turbo, stream: Uint8Array, block: JpegBlock): Uint8Array {
  const allocate = (bytes: number) => {
    const pointer = turbo.malloc(bytes);
    if (pointer === 0) throw new Error("out of memory");
    return pointer;
  };
  const handle = turbo.tjInitDecompress();
  const input = allocate(stream.length);
  new Uint8Array(turbo.memory.buffer).set(stream, input);
  const facts = allocate(16);
  new Int32Array(turbo.memory.buffer, facts, 4).fill(-1);
  // Its result is no failure if only the chroma sampling has no name; the facts decide.
  turbo.tjDecompressHeader3(handle, input, stream.length, facts, facts + 4, facts + 8, facts + 12);
  const [width = 0, height = 0, , colour = 0] = new Int32Array(turbo.memory.buffer, facts, 4);
  const { bands, format, space } = colours[block.colour];
  if (width !== block.width || height < block.rows || height > block.maxRows)
    throw damagedError(
      `JPEG strips or tiles of ${block.width} by ${block.rows} to ${block.maxRows} pixels`,
      `${width} by ${height}`,
    );
  if (colour !== space)
    throw damagedError(`JPEG strips or tiles of ${spaces[space]}`, spaces[colour] ?? "other colours");
  const outWidth = Math.ceil(width / block.side);
  const outHeight = Math.ceil(height / block.side);
  const size = outWidth * outHeight * bands;
  const out = allocate(size);
  const status = turbo.tjDecompress2(
    handle,
    input,
    stream.length,
    out,
    outWidth,
    outWidth * bands,
    outHeight,
    format,
    accurateDct,
  );
  if (status !== 0) throw new Error("damaged scan");
  const pixels = new Uint8Array(turbo.memory.buffer, out, size).slice();
  for (const pointer of [out, facts, input]) turbo.free(pointer);
  turbo.tjDestroy(handle);
  return pixels;
}

/** TJCS of turbojpeg.h by number. */
const spaces: Readonly<Record<number, string>> = { 0: "RGB", 1: "YCbCr", 2: "gray", 3: "CMYK", 4: "YCCK" };

/** The transform in an Adobe segment, the number among TJCS of turbojpeg.h, and the resulting colours. */
const colours = {
  gray: { transform: undefined, space: 2, bands: 1, format: pixelFormats.gray },
  rgb: { transform: 0, space: 0, bands: 3, format: pixelFormats.rgb },
  ycc: { transform: 1, space: 1, bands: 3, format: pixelFormats.rgb },
  rgba: { transform: 0, space: 3, bands: 4, format: pixelFormats.cmyk },
  cmyk: { transform: 0, space: 3, bands: 4, format: pixelFormats.cmyk },
} as const;
