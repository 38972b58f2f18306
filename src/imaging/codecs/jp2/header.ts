// Header facts of a JPEG 2000 file, boxed (JP2, JPH) or raw (ITU-T T.800 Annex I).

import { type ByteSource, ImagingError } from "../../../base/index.ts";
import { colourFacts, joinPieces } from "../../metadata/colour.ts";
import { damagedJp2 } from "../damaged.ts";
import { fourCC, headerBytes } from "../header-bytes.ts";
import type { ImageHeader } from "../image-header.ts";
import { type Bands, chooseBands } from "./bands.ts";
import { type Boxes, readBoxes } from "./boxes.ts";
import { type Codestream, componentExtent, isSubsampled, readCodestream } from "./codestream.ts";

export interface Facts {
  readonly boxes: Omit<Boxes, "size">;
  readonly codestream: Codestream;
  readonly bands: Bands;
  readonly depth: 8 | 16;
}

const signature = [12, fourCC("jP  "), 0x0d0a870a] as const;

/** True if these are the first bytes of a boxed or raw JPEG 2000 file. */
export function isJpeg2000(head: Uint8Array): boolean {
  if (head.length < 12) return false;
  const view = new DataView(head.buffer, head.byteOffset, head.length);
  return signature.every((word, i) => view.getUint32(4 * i) === word) || view.getUint32(0) === 0xff4fff51;
}

/**
 * Returns the header facts that the service caches. Throws ImagingError `decode`, and `not-found` for a page
 * other than 1.
 */
export async function readHeader(bytes: ByteSource, page: number): Promise<ImageHeader> {
  if (page !== 1)
    throw new ImagingError(
      "not-found",
      `Expected page 1, the only one of a JPEG 2000 picture, received ${page}.`,
      { code: "page_not_found" },
    );
  const { boxes, codestream, bands, depth } = await readFacts(bytes);
  const { width, height, tileWidth, tileHeight, tiles } = codestream;
  const icc = bands.profile && joinPieces(bytes, [bands.profile]);
  const colour = await colourFacts({ icc }, bands.interpretation);
  return {
    format: "jp2",
    width,
    height,
    bands: bands.from.length,
    depth,
    interpretation: bands.interpretation,
    orientation: boxes.orientation,
    pages: 1,
    variant: `${codestream.highThroughput ? "htj2k" : "jpeg2000"}, ${codestream.reversible ? "reversible" : "irreversible"}, ${codestream.progression}`,
    ...(boxes.resolution && { resolution: boxes.resolution }),
    ...(tiles > 1 && { tile: { width: tileWidth, height: tileHeight } }),
    ...(colour && { colour }),
    ...(bands.lab?.white && { labWhite: bands.lab.white }),
    ...(bands.unsupported && { unsupported: bands.unsupported }),
    details: {
      levels: bands.palette ? 0 : codestream.levels, // indexes cannot be averaged
      starts: starts(codestream),
      components: codestream.components.length,
      ...(codestream.highThroughput && { highThroughput: true }),
      ...(codestream.reversible && { reversible: true }),
      ...(codestream.components.some(isSubsampled) && { subsampled: true }),
    },
  };
}

/** Origins of components on their own grids, across and down, without repetitions. */
export function starts(codestream: Codestream): number[] {
  const subsampled = codestream.components.flatMap((component) => {
    const { left, top } = componentExtent(codestream, component, 0);
    return [left, top];
  });
  return [...new Set(subsampled)];
}

/** Returns all facts in the header. */
export async function readFacts(bytes: ByteSource): Promise<Facts> {
  const file = await headerBytes(bytes);
  const head = await file.view(0, 12);
  if (!head || !isJpeg2000(new Uint8Array(head.buffer, head.byteOffset, 12)))
    throw damagedJp2("a JP2 signature box or a codestream, received something else");
  const raw = head.getUint32(0) === 0xff4fff51;
  const boxes: Boxes = raw ? { codestream: { start: 0 }, labels: [], orientation: 1 } : await readBoxes(file);
  const codestream = await readCodestream(file, boxes.codestream.start);
  const { size } = boxes;
  // A wrong number of components does not matter to any decoder.
  if (size && (size.width !== codestream.width || size.height !== codestream.height))
    throw damagedJp2(
      `an ihdr box of the codestream's ${codestream.width}x${codestream.height}, received ${size.width}x${size.height}`,
    );
  const bands = chooseBands(codestream, boxes);
  const bits = bands.from.map(({ component, column }) =>
    column === undefined ? codestream.components[component]?.bits : bands.palette?.bits[column],
  );
  return { boxes, codestream, bands, depth: bits.some((each = 8) => each > 8) ? 16 : 8 };
}
