// A JPEG 2000 image within another file, such as a tile of a TIFF: its samples, whose colours that file
// defines.

import { type ByteSource, ImagingError, memoryBytes } from "../../../base/index.ts";
import { type Component, isSubsampled } from "./codestream.ts";
import { decodeRegion } from "./decode.ts";
import { type Facts, starts } from "./header.ts";
import { marker } from "./markers.ts";
import { openFile } from "./opening.ts";
import { refuseSamples } from "./refusals.ts";
import type { SharedWorkbench } from "./region/workbench.ts";
import { readSegments } from "./stream/tile-parts.ts";

export interface Block {
  readonly width: number;
  readonly height: number;
  readonly components: readonly Component[];
  /** True if a component has fewer samples than the block has pixels. */
  readonly subsampled: boolean;
  /** True if a component transform is undone, which is for red, green and blue. */
  readonly transformed: boolean;
  /** Text of the first comment, which usually names the encoder. */
  readonly comment: string;
  /** Resolution levels below full size whose grid begins at the block's origin. */
  readonly levels: number;
  /**
   * Returns the samples of the first `rows` rows at 1/2^level, the components interleaved: 0 to 255 if none
   * has more than 8 bits, else 0 to 65535; component transforms are undone, and all components have the size
   * of the block. Throws ImagingError `decode` and `unsupported`.
   */
  decode(bench: SharedWorkbench, rows: number, level: number): Promise<Uint8Array | Uint16Array>;
}

/** Reads the header of a codestream, raw or in boxes. Throws ImagingError `decode` and `unsupported`. */
export async function openBlock(data: Uint8Array): Promise<Block> {
  const bytes = memoryBytes(data);
  const {
    facts: { boxes, codestream },
    stream,
  } = await openFile(bytes);
  const refused = refuseSamples(codestream);
  if (refused) throw new ImagingError("unsupported", `${refused}; convert the file.`);
  const { width, height, components } = codestream;
  const facts: Facts = {
    boxes,
    codestream,
    bands: { interpretation: "rgb", from: components.map((_, component) => ({ component })) },
    depth: components.some(({ bits }) => bits > 8) ? 16 : 8,
  };
  const begins = starts(codestream);
  let levels = 0;
  while (levels < codestream.levels && begins.every((start) => start % 2 ** (levels + 1) === 0)) levels++;
  return {
    width,
    height,
    components,
    subsampled: components.some(isSubsampled),
    transformed: codestream.transformed,
    comment: await readComment(bytes, boxes.codestream.start),
    levels,
    async decode(bench, rows, level) {
      const region = { x: 0, y: 0, width, height: rows };
      const pixels = await bench.use((parts) =>
        decodeRegion({ bytes, stream, bench: parts }, facts, region, level),
      );
      return pixels.data;
    },
  };
}

/** A.9.2: its first two bytes say if it is text. */
async function readComment(bytes: ByteSource, start: number): Promise<string> {
  const { segments } = await readSegments(bytes, start + 2, marker.sot);
  const body = segments.find(({ kind }) => kind === marker.com)?.body;
  if (!body || body.byteLength < 2) return "";
  return new TextDecoder("latin1").decode(
    new Uint8Array(body.buffer, body.byteOffset + 2, body.byteLength - 2),
  );
}
