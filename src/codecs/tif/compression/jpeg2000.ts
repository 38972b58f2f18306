// JPEG 2000 strips and tiles, as Aperio's scanners, libvips and others write them: each a codestream of its own.

import { toSrgb } from "../../../pipeline/steps/to-srgb.ts";
import { decodeJp2Block, jp2BlockFacts } from "../../jp2/block.ts";
import type { workbench } from "../../jp2/region/workbench.ts";
import { damaged } from "../directory/ifd.ts";

/** What a JPEG 2000 block of a picture must be. */
export interface Jpeg2000Block {
  readonly width: number;
  /** Rows that must be there, and how many there may be at most. */
  readonly rows: number;
  readonly maxRows: number;
  readonly samples: number;
  readonly bits: number;
  /** Whether three components are luma and chroma; "untransformed": if the codestream has no transform of its own. */
  readonly isYcc: boolean | "untransformed";
  /** 1, 2, 4 or 8: the side of the squares of pixels that become one, if the codestream has such a level. */
  readonly side: number;
}

/** Samples of a block, and the side that it was decoded at. */
export interface Jpeg2000Samples {
  readonly data: Uint8Array;
  readonly side: number;
}

/**
 * Decodes JPEG 2000 blocks to interleaved samples of 8 or 16 bits, in machine order, of `width` by at least `rows` over
 * the side, rounded up. Throws ServiceError `decode` and `unsupported`.
 */
export type DecodeJpeg2000 = (data: Uint8Array, block: Jpeg2000Block) => Promise<Jpeg2000Samples>;

/** A decoder over the workbench of the JPEG 2000 codec. */
export function jpeg2000Decoder(bench: ReturnType<typeof workbench>): DecodeJpeg2000 {
  return async (data, { width, rows, maxRows, samples, bits, isYcc, side: wanted }) => {
    const facts = await jp2BlockFacts(data);
    if (facts.width !== width || facts.height < rows || facts.height > maxRows)
      throw damaged(
        `JPEG 2000 strips or tiles of ${width} by ${rows} to ${maxRows} pixels`,
        `${facts.width} by ${facts.height}`,
      );
    if (facts.components !== samples || facts.bits !== bits)
      throw damaged(
        `JPEG 2000 strips or tiles of ${samples} unsigned components of ${bits} bits`,
        `${facts.components} of ${facts.bits ?? "other"} bits`,
      );
    const side = Math.min(wanted, 2 ** facts.levels);
    const decoded = await decodeJp2Block(bench, data, Math.log2(side));
    const size = { width: Math.ceil(width / side), height: Math.ceil(facts.height / side) };
    const made =
      samples === 3 && (isYcc === "untransformed" ? !facts.transformed : isYcc)
        ? toSrgb({ ...size, bands: 3, interpretation: "ycc", data: decoded }).data
        : decoded;
    return { data: new Uint8Array(made.buffer, made.byteOffset, made.byteLength), side };
  };
}
