// The JPEG decoder. Headers are read by our own walk, pixels by our own reader of regions or, for kinds that
// it refuses, by libjpeg-turbo.

import { type ByteSource, ImagingError } from "../../../base/index.ts";
import { sourceWindow } from "../../pipeline/kernel.ts";
import type { PixelBuffer } from "../../pipeline/pixels.ts";
import type { Resampler } from "../../pipeline/wasm/resample.ts";
import type { CodecHost, Decoder } from "../codec.ts";
import type { ImageHeader } from "../image-header.ts";
import { partsOf } from "../parts.ts";
import type { ReadRequest } from "../plan.ts";
import { isDerived, type JpegDeriver } from "./derive.ts";
import {
  isFiltered,
  level4Scale,
  nsWithout,
  reductions,
  regionMemory,
  sidecarLayers,
  sidecarMemory,
  sidecarNsPerPixel,
  sidecarUse,
} from "./estimates.ts";
import { detailsOf, readJpegHeader } from "./markers/header.ts";
import { withHeight } from "./markers/line-count.ts";
import { readJpegMetadata } from "./markers/metadata.ts";
import { JpegFiles } from "./sidecar/files.ts";
import type { TileTools } from "./sidecar/opening.ts";
import { arithmeticDecoder, arithmeticMemory } from "./turbo/arithmetic.ts";
import { turboDecoder, turboMemory } from "./turbo/decoder.ts";

/** Returns the file with its height in the frame header, where decoders expect it. */
function withLateHeight(bytes: ByteSource, header: ImageHeader): ByteSource {
  const { lateHeight, frameOffset } = detailsOf(header);
  return lateHeight ? withHeight(bytes, frameOffset, header.height) : bytes;
}

/** Reads at 1/4 by reducing a read at 1/2, as the reduced level is made. */
async function decodeReduced(
  read: ReadRequest,
  decode: (read: ReadRequest) => Promise<PixelBuffer>,
  { resize }: Resampler,
): Promise<PixelBuffer> {
  const { header, region, scaleFactor } = read;
  const factor = scaleFactor / 2;
  const axis = (start: number, length: number) => ({
    size: Math.ceil(length / scaleFactor),
    origin: start / factor,
    scale: 2,
  });
  const [x, y] = [axis(region.x, region.width), axis(region.y, region.height)];
  const h = sourceWindow(x, Math.ceil(header.width / factor));
  const v = sourceWindow(y, Math.ceil(header.height / factor));
  const larger = {
    x: h.start * factor,
    y: v.start * factor,
    width: Math.min(header.width, h.end * factor) - h.start * factor,
    height: Math.min(header.height, v.end * factor) - v.start * factor,
  };
  const pixels = await decode({ ...read, region: larger, scaleFactor: factor });
  return resize(pixels, { ...x, origin: x.origin - h.start }, { ...y, origin: y.origin - v.start });
}

/**
 * Creates the decoder: Huffman and arithmetic coding, baseline and progressive, 8 bits; gray, RGB and
 * CMYK.
 */
export function jpegDecoder(
  host: CodecHost,
  resampler: Resampler,
  tiles: TileTools,
  deriver: JpegDeriver,
): Decoder {
  const decodeHuffman = turboDecoder(host);
  const decodeArithmetic = arithmeticDecoder(host);
  const files = new JpegFiles(host, resampler.resamplePlane, tiles);
  const isWhole = ({ header, whole }: ReadRequest) => whole === true || detailsOf(header).arithmetic;
  return {
    async probe(bytes, page) {
      if (page !== 1)
        throw new ImagingError("not-found", `A JPEG file has one page; page ${page} was asked for. Use 1.`, {
          code: "page_not_found",
        });
      return readJpegHeader(bytes);
    },
    rows: {
      // Each part also decodes the MCUs around it.
      apart: (read) => (isWhole(read) ? undefined : 64 * read.scaleFactor),
      memory: (read, rows) => regionMemory({ ...read, region: { ...read.region, height: rows } }),
      async decode(bytes, read, rows, take, access) {
        if (read.header.unsupported) throw new ImagingError("unsupported", read.header.unsupported);
        return files.withFile(withLateHeight(bytes, read.header), read, access, async (file) => {
          for (const region of partsOf(read.region, rows))
            await take(await files.decode(file, { ...read, region }));
          return file.damaged;
        });
      },
    },
    scales: { of: reductions },
    memory(read, fileSize) {
      if (detailsOf(read.header).arithmetic) return arithmeticMemory(read, fileSize);
      if (!read.whole) return regionMemory(read);
      const { scaleFactor } = read;
      return turboMemory(
        scaleFactor === level4Scale ? { ...read, scaleFactor: scaleFactor / 2 } : read,
        fileSize,
      );
    },
    decodedPixels({ header, region, scaleFactor, whole }) {
      if (detailsOf(header).arithmetic) return header.width * header.height;
      if (whole) return header.width * (region.y + region.height);
      // the sidecar has the level at 1/8; at other scales the codes of all pixels are read, but not all
      // coefficients are transformed
      return (region.width * region.height) / (scaleFactor === 8 ? 64 : scaleFactor);
    },
    async derive(bytes, plan, access, kernels, stages) {
      const { read, write } = plan;
      if (!isDerived(write.format) || isWhole(read)) return undefined;
      return files.withFile(withLateHeight(bytes, read.header), read, access, async (file) => {
        const pieces = await deriver.derive(file, plan, kernels, stages);
        return pieces && { pieces, incomplete: file.damaged };
      });
    },
    async decode(bytes, read, access) {
      if (read.header.unsupported) throw new ImagingError("unsupported", read.header.unsupported);
      const source = withLateHeight(bytes, read.header);
      if (!isWhole(read))
        return files.withFile(source, read, access, async (file) => ({
          ...(await files.decode(file, read)),
          incomplete: file.damaged,
        }));
      if (detailsOf(read.header).arithmetic) return decodeArithmetic(source, read);
      if (read.scaleFactor !== level4Scale || !isFiltered(read.header, read.halvesColour))
        return decodeHuffman(source, read);
      return decodeReduced(read, (larger) => decodeHuffman(source, larger), resampler);
    },
    sidecar: {
      use: sidecarUse,
      layers: sidecarLayers,
      build: (bytes, { header }, access, layer) =>
        files.buildSidecar(withLateHeight(bytes, header), header, access, layer),
      memory: sidecarMemory,
      nsPerPixel: sidecarNsPerPixel,
      nsWithout,
    },
    metadata: { read: (bytes, _header, kinds) => readJpegMetadata(bytes, kinds) },
  };
}
