// The PNG decoder.

import { type ByteSource, ImagingError } from "../../../base/index.ts";
import { isHdr } from "../../colour/code-points.ts";
import {
  type ColourFields,
  colourFacts,
  compressedProfileBytes,
  inflatedProfile,
} from "../../metadata/colour.ts";
import type { CodecHost, Decoder } from "../codec.ts";
import { damagedPng } from "../damaged.ts";
import type { ImageHeader } from "../image-header.ts";
import type { Pyramids } from "../pyramid/pyramids.ts";
import { decodePng } from "./decode.ts";
import { type PngHeader, readPngHeader } from "./header.ts";
import { readPngMetadata } from "./metadata.ts";
import type { PngInstances } from "./module.ts";

/** Buffers of the stream: bytes read, inflated bytes that wait, and the inflater's window. */
const streamMemory = 12 << 20;
const isInterlaced = ({ details }: ImageHeader) => details?.interlaced === true;

/** Creates the decoder: regions in memory proportional to the result; one page. */
export function pngDecoder(
  { zlib }: Pick<CodecHost, "zlib">,
  pyramids: Pyramids,
  instances: PngInstances,
): Decoder {
  const parts = pyramids({
    async decodeRows(bytes, { header }, region, take) {
      const png = await readPngHeader(bytes);
      if (png.width !== header.width || png.height !== header.height || png.bands !== header.bands)
        throw damagedPng("its header, which is not the one read before");
      await decodePng(bytes, { header: png, region }, { zlib, instances }, take);
      return false;
    },
    memory(header, region) {
      const sampleBytes = header.bands * (header.depth / 8);
      const held = isInterlaced(header) ? region.width * region.height : 0;
      return (3 * header.width + held) * sampleBytes + streamMemory;
    },
    pixelsFor: ({ header, region }) =>
      header.width * (isInterlaced(header) ? header.height : region.y + region.height),
    nsPerPixel: () => 10,
  });
  return {
    ...parts,
    async probe(bytes, page) {
      if (page !== 1)
        throw new ImagingError("not-found", `Expected page 1, the only one of a PNG, received ${page}.`, {
          code: "page_not_found",
        });
      return imageHeader(bytes, await readPngHeader(bytes));
    },
    metadata: { read: (bytes, _header, kinds) => readPngMetadata(bytes, kinds) },
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
    ...(png.bitDepth === 1 && png.bands === 1 && { bilevel: true as const }),
    orientation: png.orientation,
    pages: 1,
    variant: `${png.bitDepth} bit ${png.colourName}${png.interlaced ? ", interlaced" : ""}`,
    resolution: png.resolution,
    ...(colour && { colour }),
    ...(colour?.codePoints && isHdr(colour.codePoints[1]) && { hdr: true as const }),
    details: { interlaced: png.interlaced },
  };
}
