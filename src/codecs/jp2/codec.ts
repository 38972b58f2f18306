// JPEG 2000 as a codec: headers by our own reader, pixels by OpenJPEG and OpenJPH.

import { memoryBytes, readAll } from "../../lib/byte-source.ts";
import type { Codec, CodecHost, Reduction } from "../codec.ts";
import type { ImageHeader, Rectangle } from "../image-header.ts";
import { findCodestreamEnd } from "./codestream.ts";
import { componentDecoder, decodeRegion, readBeyond } from "./decode.ts";
import { jp2Encoder, maxSide } from "./encode.ts";
import { isJpeg2000, readFacts, readHeader } from "./header.ts";
import { embedInJp2, readJp2Metadata } from "./metadata.ts";
import { canCut } from "./tiles.ts";

/** Largest file that is taken into memory. */
const fileLimit = 1024 * 1024 * 1024;

/** What an instance takes before and beside the pixels: touched heap and compiled code (measured). */
const restingMemory = 32 * 1024 * 1024;

/** The JPEG 2000 codec; its module instances live inside. */
export function jp2Codec(host: CodecHost): Codec {
  const decodeComponents = componentDecoder(host);
  return {
    format: "jp2",
    recognises: isJpeg2000,
    probe: readHeader,
    mostBytes: fileLimit,
    memory({ header, region, scaleFactor }, fileSize) {
      const sample = header.depth / 8;
      const pixels = decodedPixels(header, region, scaleFactor);
      const components = Number(header.details?.components ?? header.bands);
      const cut = Math.ceil(region.width / scaleFactor) * Math.ceil(region.height / scaleFactor);
      // The module at rest; the file here and in the module; 32-bit samples twice (tile and picture) there, its output there and here; the cut.
      return (
        restingMemory +
        2 * fileSize +
        pixels * (components * (8 + 2 * sample) + (header.details?.subsampled ? readBeyond : 0)) +
        cut * header.bands * sample
      );
    },
    decodedPixels: ({ header, region, scaleFactor }) => decodedPixels(header, region, scaleFactor),
    async decode(bytes, { region, scaleFactor }) {
      const file = await readAll(bytes, fileLimit);
      const facts = await readFacts(memoryBytes(file));
      const { start, length } = facts.boxes.codestream;
      const rest = file.subarray(start);
      // A complete codestream is read whatever length its box states, as other decoders do.
      const codestream = rest.subarray(0, findCodestreamEnd(rest) ?? length);
      return decodeRegion(decodeComponents, codestream, facts, region, Math.log2(scaleFactor));
    },
    scales: { of: resolutions },
    metadata: { read: (bytes, _header, kinds) => readJp2Metadata(bytes, kinds) },
    write: {
      encode: jp2Encoder(host),
      embed: embedInJp2,
      encodes: { alpha: false, depths: [8], maxSide },
    },
  };
}

/**
 * Pixels of the whole resolution level, or of the tiles that the region meets: at most one more than its
 * size says.
 */
function decodedPixels(
  { width, height, tile, details }: ImageHeader,
  region: Rectangle,
  factor: number,
): number {
  const tileStep = Number(details?.tileStep ?? 0);
  const isCut = tile && canCut(tileStep, Math.log2(factor));
  const along = (all: number, part: number, size: number) =>
    Math.ceil((isCut ? Math.min(all, (Math.ceil(part / size) + 1) * size) : all) / factor);
  const { width: tileWidth = width, height: tileHeight = height } = tile ?? {};
  return along(width, region.width, tileWidth) * along(height, region.height, tileHeight);
}

/** Powers of two down the stored levels; with an image offset only those whose grid begins where every component does. */
function resolutions({ details }: ImageHeader): readonly Reduction[] {
  const levels = Number(details?.levels ?? 0);
  const starts = Array.isArray(details?.starts) ? (details.starts as number[]) : [0];
  const all = Array.from({ length: Math.min(levels, 30) }, (_, level) => 2 ** (level + 1));
  return all
    .filter((factor) => starts.every((start) => start % factor === 0))
    .map((factor) => ({ factor, quality: "level" }));
}
