// JPEG strips and tiles (TIFF Technical Note 2), of which only the MCUs of a region are decoded.

import { crop } from "../../../pipeline/steps/crop.ts";
import type { CodecHost } from "../../codec.ts";
import type { Rectangle } from "../../image-header.ts";
import { decodePixels, isOneBand } from "../../jpg/region/pixels.ts";
import { TileDecoder } from "../../jpg/tiles/tiled-jpeg.ts";
import { singleTile } from "../../jpg/tiles/tiles.ts";
import { jpegColours } from "./jpeg-stream.ts";
import type { JpegTiles } from "./jpeg-tiles.ts";
import { type JpegBlock, turboBlocks } from "./jpeg-turbo.ts";

/** Required properties of an image's JPEG block, and the pixels of it that are needed. */
export interface JpegPart extends JpegBlock {
  /** Its corner, and its size up to the edge of the block, are multiples of `side`. */
  readonly wanted: Rectangle;
}

/**
 * Decodes the wanted pixels of a JPEG block, over `side`, to 8-bit gray, RGB, RGB with alpha or CMYK. The
 * pixels are those of libjpeg-turbo with its accurate transform. Throws ImagingError `decode`, also on
 * warnings, and `unsupported` for unsupported kinds of JPEG.
 */
export type DecodeJpeg = (data: Uint8Array, part: JpegPart) => Promise<Uint8Array>;

/**
 * Creates a decoder of the blocks of one master, which leaves the kinds that ours refuses to libjpeg-turbo.
 */
export function jpegDecoder(host: CodecHost, tiles: JpegTiles): DecodeJpeg {
  const decodeWhole = turboBlocks(host);

  const decodePart = async (data: Uint8Array, part: JpegPart) => {
    const form = tiles.find(data, part) ?? (await tiles.read(data, part));
    const { wanted, width, rows, maxRows } = part;
    const { frame } = form;
    const isSized = frame.width === width && frame.height >= rows && frame.height <= maxRows;
    // each band of a decoded region would be read from the top of the block
    if (!isSized || !isOneBand(frame, wanted, 1)) return undefined;
    const decoder = new TileDecoder(singleTile(tiles.engine(), form, data));
    return (await decodePixels(decoder, wanted, 1)).data;
  };

  return async (data, part) =>
    (isOurs(part) ? await tiles.orRefused(() => decodePart(data, part)) : undefined) ??
    cropBlock(await decodeWhole(data, part), part);
}

/**
 * True for blocks that our decoder may read. It converts inks, and its reduced pixels are sharper than the
 * averages which reduced reads of a TIFF are.
 */
const isOurs = ({ colour, side }: JpegPart) => side === 1 && colour !== "cmyk" && colour !== "rgba";

/** Returns the wanted pixels of a whole block. */
function cropBlock(data: Uint8Array, { wanted, width, side, colour }: JpegPart): Uint8Array {
  const { bands } = jpegColours[colour];
  const across = Math.ceil(width / side);
  const block = {
    width: across,
    height: data.length / (across * bands),
    bands,
    interpretation: "rgb",
    data,
  } as const;
  const window = {
    left: wanted.x / side,
    top: wanted.y / side,
    width: Math.ceil(wanted.width / side),
    height: Math.ceil(wanted.height / side),
  };
  return crop(block, window).data as Uint8Array;
}
