// The PNG codec.

import { ImagingError } from "../../errors.ts";
import type { ByteSource } from "../../lib/byte-source.ts";
import {
  type ColourFields,
  colourFacts,
  compressedProfileBytes,
  inflatedProfile,
} from "../../metadata/colour.ts";
import type { Codec, CodecHost, Reduction } from "../codec.ts";
import type { ImageHeader } from "../image-header.ts";
import { decodePng } from "./decode.ts";
import { encodePng } from "./encode.ts";
import { damagedError, type PngHeader, readPngHeader, signature } from "./header.ts";
import { pngEmbedder, readPngMetadata } from "./metadata.ts";
import { pngInstances } from "./module.ts";

/** Buffers of the stream: bytes read, inflated bytes that wait, and the inflater's window. */
const streamMemory = 12 << 20;
const largestFactor = 256;

/** Creates the codec: regions and box-reduced scales in memory proportional to the result; one page. */
export function pngCodec(host: Pick<CodecHost, "wasm" | "deflate" | "zlib">): Codec {
  const instances = pngInstances(() => host.wasm("png"));
  return {
    format: "png",
    recognises: (head) => head.length >= 8 && signature.every((byte, i) => head[i] === byte),
    async probe(bytes, page) {
      if (page !== 1)
        throw new ImagingError("not-found", `Expected page 1, the only one of a PNG, received ${page}.`, {
          code: "page_not_found",
        });
      return imageHeader(bytes, await readPngHeader(bytes));
    },
    memory({ header, region, scaleFactor }) {
      const sampleBytes = header.depth / 8;
      const rowSamples = header.width * header.bands;
      const pixels = Math.ceil(region.width / scaleFactor) * Math.ceil(region.height / scaleFactor);
      const result = pixels * header.bands * sampleBytes;
      const rows = 3 * rowSamples * sampleBytes;
      if (scaleFactor === 1) return result + rows + streamMemory;
      const line = region.width * header.bands * sampleBytes;
      const boxes = header.details?.interlaced ? pixels : Math.ceil(region.width / scaleFactor);
      const sums = 8 * header.bands * boxes;
      return result + rows + line + sums + streamMemory;
    },
    // Rows depend on those above them.
    decodedPixels: ({ header, region }) =>
      header.width * (header.details?.interlaced ? header.height : region.y + region.height),
    async decode(bytes, { header, region, scaleFactor }) {
      const png = await readPngHeader(bytes);
      if (png.width !== header.width || png.height !== header.height || png.bands !== header.bands)
        throw damagedError("its header, which is not the one read before");
      return decodePng(bytes, png, region, scaleFactor, { zlib: host.zlib, instances });
    },
    scales: {
      of({ width, height }) {
        const reductions: Reduction[] = [];
        const side = Math.min(width, height);
        for (let factor = 2; factor <= largestFactor && factor <= side; factor *= 2)
          reductions.push({ factor, quality: "averages" });
        return reductions;
      },
    },
    metadata: { read: (bytes, _header, kinds) => readPngMetadata(bytes, kinds) },
    write: {
      encode: (pixels, options) => encodePng(pixels, options, host),
      embed: pngEmbedder(host),
      encodes: { alpha: true, depths: [8, 16], maxSide: 2 ** 31 - 1, deflates: true },
    },
  };
}

/** Reads name, compression method and compressed profile (11.3.2.3), as far as its kind needs it. */
async function readProfile(
  bytes: ByteSource,
  { offset, length }: NonNullable<PngHeader["profile"]>,
): Promise<ColourFields["icc"]> {
  const content = await bytes.read(offset, Math.min(length, compressedProfileBytes));
  const end = content.indexOf(0);
  if (end < 0 || content[end + 1] !== 0)
    return { ignored: "it is damaged: expected a name and zlib data, received other bytes" };
  return inflatedProfile(content.subarray(end + 2), content.length === length);
}

async function imageHeader(bytes: ByteSource, png: PngHeader): Promise<ImageHeader> {
  const interpretation = png.bands < 3 ? "gray" : "rgb";
  const icc = png.profile && (await readProfile(bytes, png.profile));
  const colour = await colourFacts(
    { cicp: png.cicp, icc, chunks: png.chunks, exif: png.exif },
    interpretation,
  );
  return {
    format: "png",
    width: png.width,
    height: png.height,
    bands: png.bands,
    depth: png.bitDepth === 16 ? 16 : 8,
    interpretation,
    orientation: png.orientation,
    pages: 1,
    variant: `${png.bitDepth} bit ${png.colourName}${png.interlaced ? ", interlaced" : ""}`,
    resolution: png.resolution,
    ...(colour && { colour }),
    details: { interlaced: png.interlaced },
  };
}
