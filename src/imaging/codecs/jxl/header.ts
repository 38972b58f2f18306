// Header facts of a JPEG XL file (ISO/IEC 18181-1, annexes D and E; 18181-2, clause 9).

import { type ByteSource, ImagingError } from "../../../base/index.ts";
import { joinPieces } from "../../metadata/colour.ts";
import { readExif } from "../../metadata/exif.ts";
import { boxBytes } from "../boxes.ts";
import { damagedJxl } from "../damaged.ts";
import type { ImageHeader } from "../image-header.ts";
import { type Codestream, channelTypes, readCodestream, spaces } from "./codestream.ts";
import { isInked, type Rendering, renderingOf } from "./colour.ts";
import { type JxlFile, readFile } from "./file.ts";
import { readProfile } from "./profile.ts";
import { BitReader, OutOfBits } from "./read-bits.ts";

export interface JxlHeader {
  readonly file: JxlFile;
  readonly stream: Codestream;
  readonly icc?: Uint8Array;
  readonly rendering: Rendering;
  /** Bytes of the codestream before its first frame. */
  readonly length: number;
  /** True if a region can be decoded by itself: the first frame has transformed blocks and nothing else. */
  readonly hasParts: boolean;
}

/** Bytes of the codestream that are read for its headers: nearly always enough, and at most. */
const headBytes = [4096, 256 * 1024] as const;

/** Reads the headers of a file. Throws ImagingError `decode`. */
export async function readJxlHeader(bytes: ByteSource): Promise<JxlHeader> {
  const file = await readFile(boxBytes(bytes), bytes.size);
  const codestream = joinPieces(bytes, file.codestream);
  for (const count of headBytes) {
    const bits = new BitReader(await codestream.read(0, count));
    try {
      const stream = readCodestream(bits);
      const icc = stream.colour.kind === "icc" ? readProfile(bits) : undefined;
      bits.align();
      const length = bits.position / 8;
      const hasParts = !stream.hasPreview && stream.extra.length === 0 && startsWithBlocks(bits);
      const rendering = await renderingOf(stream, icc);
      return { file, stream, ...(icc && { icc }), rendering, length, hasParts };
    } catch (error) {
      if (!(error instanceof OutOfBits)) throw error;
    }
  }
  throw damagedJxl(`headers of at most ${headBytes[1]} bytes`);
}

/** Flags of a frame that has noise, patches or splines, which the decoder does not draw in regions. */
const drawnAsWhole = [0x01, 0x02, 0x10];

/**
 * Reads the beginning of a frame: all defaults, or its type, its coding and its flags (ISO/IEC 18181-1, F.2).
 */
function startsWithBlocks(bits: BitReader): boolean {
  if (bits.flag()) return true;
  if (bits.take(3) !== 0) return false;
  const flags = bits.long();
  return drawnAsWhole.every((flag) => Math.floor(flags / flag) % 2 === 0);
}

/** Returns the header facts. Throws ImagingError `decode`, and `not-found` for a page other than 1. */
export async function jxlHeader(bytes: ByteSource, page: number): Promise<ImageHeader> {
  if (page !== 1)
    throw new ImagingError(
      "not-found",
      `Expected page 1, the only one of a JPEG XL picture, received ${page}.`,
      {
        code: "page_not_found",
      },
    );
  const { file, stream, rendering, hasParts } = await readJxlHeader(bytes);
  const { depth, facts, isHdr } = rendering;
  const isGray = stream.colour.space === spaces.gray;
  const exif =
    file.exif && readExif(await bytes.read(file.exif.offset, Math.min(file.exif.length, exifLimit)));
  const unsupported = refusalOf(stream);
  return {
    format: "jxl",
    ...stream.size,
    bands: (isGray ? 1 : 3) + (hasAlpha(stream) ? 1 : 0),
    depth,
    interpretation: isGray ? "gray" : "rgb",
    orientation: stream.orientation,
    pages: 1,
    variant: variantOf(file, stream),
    ...(exif?.resolution && { resolution: exif.resolution }),
    ...(facts && { colour: facts }),
    ...(isHdr && { hdr: true as const }),
    ...(file.hasGainMap && { gainMap: true as const }),
    ...(unsupported && { unsupported }),
    details: { channels: 3 + stream.extra.length, ...(hasParts && { parts: true }) },
  };
}

const exifLimit = 64 * 1024;

/** True if the image has an alpha channel. */
export const hasAlpha = ({ extra }: Codestream): boolean =>
  extra.some(({ type }) => type === channelTypes.alpha);

function variantOf({ isJpeg }: JxlFile, { isAnimated, isXyb, bits, isFloat }: Codestream): string {
  const kind = isJpeg ? "recoded JPEG" : isXyb ? "XYB" : "original colours";
  return `${kind}, ${bits} bit${isFloat ? " float" : ""}${isAnimated ? ", animated" : ""}`;
}

/** Maximum number of channels besides colours. */
const maxExtra = 16;

function refusalOf(stream: Codestream): string | undefined {
  if (isInked(stream))
    return "This JPEG XL image has the colours of inks (CMYK); convert it to RGB or to TIFF.";
  if (stream.colour.space > spaces.gray)
    return "The samples of this JPEG XL image are of an unknown colour space; convert it to sRGB.";
  if (stream.extra.length > maxExtra)
    return `This JPEG XL image has ${stream.extra.length} channels besides its colours, more than the ${maxExtra} that are read; convert it.`;
  return undefined;
}
