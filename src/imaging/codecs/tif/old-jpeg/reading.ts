// Reads pictures of old-style JPEG with the JPEG codec: it decodes by region, and its sidecars make that
// cheap.

import { type ByteSource, ImagingError } from "../../../../base/index.ts";
import type { Decoder, SidecarAccess } from "../../codec.ts";
import type { ImageHeader } from "../../image-header.ts";
import { readJpegHeader } from "../../jpg/markers/header.ts";
import type { ReadRequest } from "../../plan.ts";
import { type Directory, openTiff, readDirectory, type TiffFile } from "../directory/ifd.ts";
import type { Picture } from "../directory/picture.ts";
import { readPicture } from "../directory/read-picture.ts";
import { stagesOf } from "../directory/stages.ts";
import { isUsual, readYcc, type YccCoding, yccToRgb } from "../samples/ycc.ts";
import { oldJpegStream } from "./stream.ts";

/**
 * Returns the facts of the stream about the image, and those that the JPEG codec needs. Throws ImagingError
 * `decode`.
 */
export async function oldJpegFacts(
  bytes: ByteSource,
  file: TiffFile,
  directory: Directory,
  picture: Picture,
): Promise<Pick<ImageHeader, "bands" | "interpretation" | "unsupported" | "details">> {
  try {
    const stream = await oldJpegStream(bytes, file, directory, picture, !(await codingOf(file, directory)));
    const { bands, interpretation, variant, details, unsupported } = await readJpegHeader(stream);
    return { bands, interpretation, unsupported, details: { ...details, stream: variant } };
  } catch (error) {
    if (!(error instanceof ImagingError) || error.kind !== "unsupported") throw error;
    return { bands: picture.bands, interpretation: picture.interpretation, unsupported: error.message };
  }
}

/**
 * Returns the coding of luma and chroma, if it differs from that of JPEG files; invalid fields are ignored.
 */
async function codingOf(file: TiffFile, directory: Directory): Promise<YccCoding | undefined> {
  try {
    const coding = await readYcc(file, directory);
    return isUsual(coding) ? undefined : coding;
  } catch (error) {
    if (error instanceof ImagingError && error.kind === "decode") return undefined;
    throw error;
  }
}

/** True if a page is read as a JPEG stream. */
export const isStream = ({ details }: ImageHeader) => typeof details?.stream === "string";

/** Returns the header as the JPEG codec would read it from the stream. */
const asJpeg = (header: ImageHeader): ImageHeader => ({
  ...header,
  format: "jpg",
  pages: 1,
  variant: String(header.details?.stream),
});

const ofStream = <T extends { readonly header: ImageHeader }>(read: T): T => ({
  ...read,
  header: asJpeg(read.header),
  page: 1,
});

/**
 * Returns the stream of a page, and the meaning of its luma and chroma if decoders do not convert them.
 * Throws ImagingError `decode` and `unsupported`.
 */
async function streamOf(bytes: ByteSource, header: ImageHeader) {
  const file = await openTiff(bytes);
  const directory = await readDirectory(file, stagesOf(header)[0]?.offset ?? file.first);
  const coding = header.bands === 3 ? await codingOf(file, directory) : undefined;
  const picture = await readPicture(file, directory);
  return { stream: await oldJpegStream(bytes, file, directory, picture, !coding), coding };
}

async function decodeStream(jpeg: Decoder, bytes: ByteSource, read: ReadRequest, access?: SidecarAccess) {
  const { stream, coding } = await streamOf(bytes, read.header);
  const pixels = await jpeg.decode(stream, ofStream(read), access);
  if (coding) yccToRgb(coding, 3)(pixels.data);
  return pixels;
}

/** Returns a codec for pages that reads streams by the JPEG codec and others by `blocks`. */
export function withStreams(
  blocks: Pick<Decoder, "memory" | "decodedPixels" | "decode"> &
    Required<Pick<Decoder, "scales" | "sidecar">>,
  jpeg: Decoder,
): typeof blocks {
  const { scales, sidecar } = jpeg;
  if (!scales || !sidecar) return blocks;
  return {
    memory: (read, size) =>
      isStream(read.header) ? jpeg.memory(ofStream(read), size) : blocks.memory(read, size),
    decodedPixels: (read) =>
      isStream(read.header) ? jpeg.decodedPixels(ofStream(read)) : blocks.decodedPixels(read),
    decode: async (bytes, read, access) =>
      isStream(read.header) ? decodeStream(jpeg, bytes, read, access) : blocks.decode(bytes, read, access),
    scales: {
      of: (header, halves) =>
        isStream(header) ? scales.of(asJpeg(header), halves) : blocks.scales.of(header, halves),
    },
    sidecar: {
      use: (read, size, room) =>
        isStream(read.header)
          ? sidecar.use(ofStream(read), size, room)
          : blocks.sidecar.use(read, size, room),
      layers: (header, size, room) =>
        isStream(header)
          ? sidecar.layers(asJpeg(header), size, room)
          : blocks.sidecar.layers(header, size, room),
      build: async (bytes, master, access, layer) =>
        isStream(master.header)
          ? sidecar.build((await streamOf(bytes, master.header)).stream, ofStream(master), access, layer)
          : blocks.sidecar.build(bytes, master, access, layer),
      memory: (header, size, layer) =>
        isStream(header)
          ? sidecar.memory(asJpeg(header), size, layer)
          : blocks.sidecar.memory(header, size, layer),
      memoryWith: (read, rows) => blocks.sidecar.memoryWith?.(read, rows),
      nsPerPixel: (header, layer) =>
        isStream(header)
          ? sidecar.nsPerPixel(asJpeg(header), layer)
          : blocks.sidecar.nsPerPixel(header, layer),
      nsWithout: (read) =>
        isStream(read.header)
          ? (sidecar.nsWithout?.(ofStream(read)) ?? 0)
          : (blocks.sidecar.nsWithout?.(read) ?? 0),
    },
  };
}
