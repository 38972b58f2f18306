// The JPEG 2000 decoder.

import type { Decoder, Reduction } from "../codec.ts";
import type { ImageHeader, Rectangle } from "../image-header.ts";
import { rowsByParts } from "../parts.ts";
import { decodeRegion } from "./decode.ts";
import { readHeader } from "./header.ts";
import { decodingMemory } from "./memory.ts";
import { readJp2Metadata } from "./metadata.ts";
import { buildPacketIndex, createOpening } from "./opening.ts";
import type { SharedWorkbench } from "./region/workbench.ts";

/** Code-blocks around a region that are decoded with it: usually half of one on each side. */
const ring = 64;

/** Creates the decoder. `bench` decodes, possibly for other formats too. */
export function jp2Decoder(bench: SharedWorkbench): Decoder {
  const open = createOpening();
  const reading = {
    memory({ header, region, scaleFactor }, fileSize) {
      const { width, height } = scaleSize(region, scaleFactor);
      const components = Number(header.details?.components ?? header.bands);
      const samples = width * height * components;
      const result = width * height * header.bands * (header.depth / 8);
      return decodingMemory(samples, fileSize) + 2 * result;
    },
    async decode(bytes, { region, scaleFactor, effort }, sidecar) {
      const { facts, stream } = await open(bytes, sidecar);
      const level = Math.log2(scaleFactor);
      return bench.use((parts) =>
        decodeRegion({ bytes, stream, bench: parts }, facts, region, level, effort),
      );
    },
  } satisfies Pick<Decoder, "memory" | "decode">;
  return {
    ...reading,
    probe: readHeader,
    decodedPixels({ header, region, scaleFactor }) {
      const { width, height } = scaleSize(region, scaleFactor);
      return (width + ring) * (height + ring) * cost[kindOf(header)];
    },
    // Four code-blocks: one additional row of them is decoded on each side.
    rows: rowsByParts(reading, ({ scaleFactor }) => 4 * ring * scaleFactor),
    scales: { of: resolutions },
    sidecar: {
      use: () => ({ layers: ["ground"], way: "wait" }),
      layers: () => ["ground"],
      build: (bytes) => buildPacketIndex(bytes),
      memory: (header, fileSize) => 8 * 1024 * 1024 + fileSize / 100 + indexMemory(header),
      nsPerPixel: () => 2,
    },
    metadata: { read: (bytes, _header, kinds) => readJp2Metadata(bytes, kinds) },
  };
}

/** Decoding cost per pixel, relative to a lossless file of Part 1 (measured with photographs). */
const cost = { lossless: 1, lossy: 0.4, highThroughput: 0.12 } as const;

const kindOf = ({ details }: ImageHeader): keyof typeof cost =>
  details?.highThroughput ? "highThroughput" : details?.reversible ? "lossless" : "lossy";

/** Memory that a walk over packet headers keeps for each code-block of 4096 samples. */
const indexMemory = ({ width, height, bands }: ImageHeader) => ((width * height * bands) / 4096) * 400;

const scaleSize = ({ width, height }: Rectangle, factor: number) => ({
  width: Math.ceil(width / factor),
  height: Math.ceil(height / factor),
});

/**
 * Returns the powers of two down the stored levels; with an image offset only those whose grid begins where
 * every component does.
 */
function resolutions({ details }: ImageHeader): readonly Reduction[] {
  const levels = Number(details?.levels ?? 0);
  const starts = Array.isArray(details?.starts) ? (details.starts as number[]) : [0];
  const all = Array.from({ length: Math.min(levels, 30) }, (_, level) => 2 ** (level + 1));
  return all
    .filter((factor) => starts.every((start) => start % factor === 0))
    .map((factor) => ({ factor, quality: "level" }));
}
