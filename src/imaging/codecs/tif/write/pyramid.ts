// Writes tiled TIFF with all its reduced levels, from rows as they arrive. Tiles go out as they are complete,
// and all directories follow at the end, so only the header is written twice.
//
// Each level is a directory in the chain, marked by NewSubfileType as a reduced image of the page before it
// (TIFF 6.0 section 8). libvips, OpenSlide 3.4 and iipsrv 1.1 read that as a pyramid. If levels were SubIFDs,
// the other usual form, OpenSlide and iipsrv would see only the full size.

import { concatenate, type Size } from "../../../../base/index.ts";
import { type PixelBuffer, samplesLike } from "../../../pipeline/pixels.ts";
import type { TakeRows } from "../../codec.ts";
import type { Resolution } from "../../image-header.ts";
import type { Resize } from "../../pyramid/halver.ts";
import { levelSizes } from "../../pyramid/levels.ts";
import { divideIntoTiles } from "../../pyramid/tile-rows.ts";
import { tags } from "../directory/tags.ts";
import { encodeDirectories, encodeHeader, type Field, type FileVariant, headerBytes } from "./directories.ts";
import { resolutionFields, sampleFields } from "./fields.ts";
import { type TileCompression, type TileFormat, type TileHost, tileFormat } from "./tile-formats.ts";

/** Receives the bytes of a file. */
export interface TiffSink {
  /** Takes the next bytes, and resolves when more may come. */
  append(bytes: Uint8Array): Promise<void>;
  /** Replaces bytes that were appended before: once, after the last ones, those of the header. */
  replace(at: number, bytes: Uint8Array): Promise<void>;
}

export interface PyramidOptions {
  readonly compression: TileCompression;
  /** Side of a tile in pixels, a multiple of 16 (TIFF 6.0 section 15); 256 by default. */
  readonly tileSide?: number;
  /** Pixels per centimetre of the image; those of the levels follow from it. 72 dpi by default. */
  readonly resolution?: Resolution | undefined;
  /** EXIF numbering, from 1 to 8: how the stored pixels are turned. 1 by default. */
  readonly orientation?: number;
  readonly icc?: Uint8Array | undefined;
  /** Metadata of the image, in its first directory alone. */
  readonly xmp?: Uint8Array | undefined;
  readonly iptc?: Uint8Array | undefined;
  /** True for a BigTIFF of any size. By default only a file above 4 GiB is one. */
  readonly big?: boolean;
}

export interface PyramidWriterTools {
  readonly host: TileHost;
  readonly resize: Resize;
}

/** A level that is being written. */
interface Level {
  readonly size: Size;
  readonly offsets: number[];
  readonly counts: number[];
}

/** Number of tiles that are compressed simultaneously, if the host has threads for that. */
const tilesAtOnce = 8;

/**
 * Writes an image of this size as tiled TIFF with its levels, each half of the one before by Lanczos-3, down
 * to one tile. `decodeRows` passes on the rows of the image, packed, from the top down; all pieces have the
 * same bands, depth and interpretation: those that the compression takes. Holds little more than a row of
 * tiles of each level. Throws ImagingError `encode` for pixels that the compression does not take, `decode`
 * if rows are missing, and what `decodeRows` and the sink throw; the bytes in the sink are then no file.
 */
export async function writeTiffPyramid(
  decodeRows: (take: TakeRows) => Promise<unknown>,
  size: Size,
  sink: TiffSink,
  options: PyramidOptions,
  { host, resize }: PyramidWriterTools,
): Promise<void> {
  const { compression, tileSide: side = 256 } = options;
  if (!(side >= 16 && side % 16 === 0)) throw new RangeError(`tiles of ${side} pixels, not a multiple of 16`);
  const sizes = levelSizes(size, side);
  const levels = sizes.map((own): Level => ({ size: own, offsets: [], counts: [] }));
  let end = 0;
  const append = async (bytes: Uint8Array) => {
    end += bytes.length;
    await sink.append(bytes);
  };
  await append(new Uint8Array(headerBytes));

  let like: PixelBuffer | undefined;
  let format: TileFormat | undefined;
  const rowsOf = async (take: TakeRows) => {
    await decodeRows(take);
    return false;
  };
  await divideIntoTiles(rowsOf, { sizes, side }, resize, async (n, rows) => {
    like ??= { ...rows, data: samplesLike(rows, 0) };
    const { encode } = (format ??= tileFormat(rows, compression, host));
    const { offsets, counts } = levels[n]!;
    for (let x = 0; x < rows.width; x += side * tilesAtOnce) {
      const right = Math.min(rows.width, x + side * tilesAtOnce);
      const tiles = Array.from({ length: Math.ceil((right - x) / side) }, (_, i) =>
        encode(cutTile(rows, x + i * side, side)),
      );
      for (const tile of await Promise.all(tiles)) {
        offsets.push(end);
        counts.push(tile.length);
        await append(tile.length % 2 === 0 ? tile : concatenate([tile, [0]]));
      }
    }
  });

  // All rows have arrived, so there was a tile.
  const fields = commonFields(like!, format!, side, options);
  const directories = levels.map((level, n) => [
    ...fields,
    ...levelFields(level, n),
    ...(n === 0 ? metadataFields(options) : []),
    ...resolutionFields(levelResolution(options.resolution, level.size, size)),
  ]);
  const chain = (variant: FileVariant) => encodeDirectories(directories, end, variant);
  const classic = options.big ? undefined : chain("classic");
  const fits = classic && end + classic.length <= 0xffffffff;
  const header = encodeHeader(end, fits ? "classic" : "big");
  await append(fits ? classic : chain("big"));
  await sink.replace(0, header);
}

/** Returns the fields that are the same in all levels. */
function commonFields(
  like: PixelBuffer,
  format: TileFormat,
  side: number,
  { orientation = 1, icc }: PyramidOptions,
): Field[] {
  return [
    ...sampleFields(like),
    ...format.fields,
    { tag: tags.TileWidth, type: "long", values: [side] },
    { tag: tags.TileLength, type: "long", values: [side] },
    { tag: tags.Orientation, type: "short", values: [orientation] },
    ...(icc ? [{ tag: tags.InterColorProfile, type: "bytes", values: icc } as const] : []),
  ];
}

const metadataFields = ({ xmp, iptc }: PyramidOptions): Field[] => [
  ...(xmp ? [{ tag: tags.Xmp, type: "bytes", values: xmp } as const] : []),
  ...(iptc ? [{ tag: tags.IptcNaa, type: "bytes", values: iptc } as const] : []),
];

function levelFields({ size, offsets, counts }: Level, n: number): Field[] {
  return [
    { tag: tags.NewSubfileType, type: "long", values: [n === 0 ? 0 : 1] },
    { tag: tags.ImageWidth, type: "long", values: [size.width] },
    { tag: tags.ImageLength, type: "long", values: [size.height] },
    { tag: tags.TileOffsets, type: "sizes", values: offsets },
    { tag: tags.TileByteCounts, type: "sizes", values: counts },
  ];
}

function levelResolution(whole: Resolution | undefined, level: Size, size: Size): Resolution | undefined {
  return whole && { x: (whole.x * level.width) / size.width, y: (whole.y * level.height) / size.height };
}

/**
 * Returns the tile at `x` of a row of tiles. Beyond the edges of the image its last column and row are
 * repeated, which compresses best and does not show in JPEG.
 */
function cutTile(rows: PixelBuffer, x: number, side: number): PixelBuffer {
  const { width, height, bands, data } = rows;
  const columns = Math.min(side, width - x);
  const tile = samplesLike(rows, side * side * bands);
  const rowLength = side * bands;
  for (let y = 0; y < side; y++) {
    const to = y * rowLength;
    if (y >= height) {
      tile.copyWithin(to, to - rowLength, to);
      continue;
    }
    const from = (y * width + x) * bands;
    tile.set(data.subarray(from, from + columns * bands), to);
    for (let i = to + columns * bands; i < to + rowLength; i++) tile[i] = tile[i - bands]!;
  }
  return { ...rows, width: side, height: side, data: tile };
}
