// The AVIF decoder: headers by our own reader, pixels by libaom and libavif (@jsquash/avif), as a whole.

import { type ByteSource, memoryBytes, readAll } from "../../../base/index.ts";
import type { PixelBuffer } from "../../pipeline/pixels.ts";
import type { CodecHost, Decoder } from "../codec.ts";
import { damagedAvif } from "../damaged.ts";
import type { ImageHeader, Rectangle } from "../image-header.ts";
import { asImagingError, emscriptenOptions, lentMemory } from "../instance.ts";
import { partsOf } from "../parts.ts";
import type { MasterPage } from "../plan.ts";
import type { Pyramids } from "../pyramid/pyramids.ts";
import { rowsAtOnce } from "../pyramid/rows.ts";
import type { WholeImage } from "../pyramid/whole.ts";
import { avifHeader, readAvifHeader } from "./header.ts";
import { readAvifMetadata } from "./metadata.ts";

/** Largest file that is read into memory. */
const fileLimit = 512 * 2 ** 20;
/** Bytes of the decoder: its own, and for each pixel by bits and alpha. Measured. */
const ownBytes = 24 * 2 ** 20;
const pixelBytes = { colour: { 8: 32, 16: 44 }, alpha: { 8: 12, 16: 18 } } as const;

/** Creates the decoder; its module instances are internal. */
export function avifDecoder(host: CodecHost, pyramids: Pyramids): Decoder {
  const parts = pyramids({
    decodeWhole: (bytes, master) => decodeWhole(host, bytes, master),
    wholeBytes: rgbaBytes,
    memory: (header, _region, fileSize) =>
      2 * Math.min(fileSize, fileLimit) + moduleBytes(header, fileSize) + rgbaBytes(header),
    nsPerPixel: () => 170,
  });
  return {
    ...parts,
    probe: avifHeader,
    maxBytes: fileLimit,
    metadata: { read: (bytes, _header, kinds) => readAvifMetadata(bytes, kinds) },
  };
}

const rgbaBytes = ({ width, height, depth }: ImageHeader) => width * height * 4 * (depth / 8);

/** Returns the bytes that an instance may take. */
function moduleBytes({ width, height, depth, bands }: ImageHeader, fileSize: number): number {
  const alpha = bands % 2 === 0 ? pixelBytes.alpha[depth] : 0;
  return ownBytes + 2 * fileSize + width * height * (pixelBytes.colour[depth] + alpha);
}

/** Interleaved samples of four bands. */
interface Rgba {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8ClampedArray | Uint16Array;
}

interface Module {
  decode(file: Uint8Array, bits: 8 | 16): Rgba | null;
}

async function decodeWhole(host: CodecHost, bytes: ByteSource, { header }: MasterPage): Promise<WholeImage> {
  const file = await readAll(bytes, fileLimit);
  const { size, hasAlpha, isGray } = await readAvifHeader(memoryBytes(file));
  const { width, height, depth, bands } = header;
  if (size.width !== width || size.height !== height || (isGray ? 1 : 3) + (hasAlpha ? 1 : 0) !== bands)
    throw damagedAvif("the header that was read before");
  const rgba = await decode(host, file, depth, moduleBytes(header, file.length));
  if (rgba.width !== width || rgba.height !== height)
    throw damagedAvif("an image of the size that it states");
  return {
    async take(region, take) {
      for (const part of partsOf(region, rowsAtOnce)) await take(cropImage(rgba, part, header));
    },
  };
}

/** Decodes a file by an instance of its own. Throws ImagingError `decode`. */
async function decode(host: CodecHost, file: Uint8Array, bits: 8 | 16, maxBytes: number): Promise<Rgba> {
  const [{ default: create }, module] = await Promise.all([
    import("./decoder-glue.ts"),
    host.loadWasm("avif-decode"),
  ]);
  try {
    const instance = (await create({
      ...emscriptenOptions(module, lentMemory("avif-decode", maxBytes)),
      locateFile: (name: string) => name, // never fetched
    } as object)) as unknown as Module;
    const rgba = instance.decode(file, bits);
    if (rgba) return rgba;
  } catch (error) {
    throw asImagingError(error, "decode", refusal);
  }
  throw damagedAvif("an image that its decoder accepts");
}

const refusal =
  "Expected an intact AVIF file, but the decoder stopped; the file may be damaged, or take more memory than its size does.";

/** Returns a region of an image, in the bands of its header. */
function cropImage(whole: Rgba, { x, y, width, height }: Rectangle, header: ImageHeader): PixelBuffer {
  const { bands, interpretation, depth } = header;
  const count = width * height * bands;
  const data = depth === 16 ? new Uint16Array(count) : new Uint8Array(count);
  const from = interpretation === "gray" ? [0, 3] : [0, 1, 2, 3];
  let to = 0;
  for (let row = y; row < y + height; row++) {
    let at = (row * whole.width + x) * 4;
    for (let n = 0; n < width; n++, at += 4)
      for (let band = 0; band < bands; band++) data[to++] = whole.data[at + from[band]!]!;
  }
  return { width, height, bands, interpretation, data };
}
