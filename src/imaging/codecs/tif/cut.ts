// The end of a TIFF: that of the strip or tile that lies furthest back (TIFF 6.0, sections 3 and 15), of any
// page or level.

import { ImagingError } from "../../../base/index.ts";
import type { Cut, SizedSource } from "../cut.ts";
import type { ImageHeader } from "../image-header.ts";
import {
  type Directory,
  openTiff,
  readDirectory,
  readNumber,
  readValues,
  type TiffFile,
  valuesInside,
} from "./directory/ifd.ts";
import { stagesOf } from "./directory/stages.ts";
import { tags } from "./directory/tags.ts";

/** Directories that are looked at, and strips and tiles of all of them. */
const [maxDirectories, maxParts] = [1000, 2 ** 20];
/** Values that are read together. */
const atOnce = 16 * 1024;
const uncompressed = 1;

export async function tiffCut(bytes: SizedSource, header: ImageHeader): Promise<Cut | undefined> {
  const file = await openTiff(bytes, true);
  const waiting = [file.first, ...stagesOf(header).map(({ offset }) => offset)];
  const seen = new Set<number>();
  let left = maxParts;
  for (const offset of waiting) {
    if (seen.has(offset) || seen.size === maxDirectories || offset === 0) continue;
    seen.add(offset);
    try {
      const directory = await readDirectory(file, offset);
      if (left > 0 && (await endOf(file, directory, left)) > bytes.size + 1) return "picture";
      left -= directory.entries.get(tags.TileOffsets)?.count ?? 0;
      left -= directory.entries.get(tags.StripOffsets)?.count ?? 0;
      waiting.push(directory.next);
    } catch (error) {
      // The probe has reported a directory that is damaged or beyond the end.
      if (!(error instanceof ImagingError) || error.kind !== "decode") throw error;
    }
  }
  return undefined;
}

/** Returns the offset after the part of a picture that lies furthest back; 0 if that is not known. */
async function endOf(file: TiffFile, directory: Directory, max: number): Promise<number> {
  const { entries } = directory;
  const tiled = entries.has(tags.TileOffsets);
  const offsets = entries.get(tiled ? tags.TileOffsets : tags.StripOffsets);
  const lengths = entries.get(tiled ? tags.TileByteCounts : tags.StripByteCounts);
  // Tiles of JPEG need the tables that are stored once for all of them.
  const tables = entries.get(tags.JPEGTables);
  if (tables && valuesInside(tables, file.bytes.size) < tables.count) return Number.POSITIVE_INFINITY;
  if (!offsets) return 0;
  const needed = await neededBytes(file, directory, tiled);
  let end = 0;
  for (let from = 0; from < Math.min(offsets.count, max); from += atOnce) {
    const to = Math.min(offsets.count, from + atOnce);
    const [starts, counts] = [
      await readValues(file, offsets, from, to),
      lengths && lengths.count >= to ? await readValues(file, lengths, from, to) : [],
    ];
    for (const [index, start] of starts.entries()) {
      const count = counts[index] ?? 1;
      // A part without bytes is empty, as in sparse files; a strip of a short picture may be named in full.
      if (start > 0 && count > 0) end = Math.max(end, start + Math.min(count, needed(from + index)));
    }
  }
  return end;
}

/** Returns how many bytes of a part are read at most, by its index. */
async function neededBytes(
  file: TiffFile,
  directory: Directory,
  tiled: boolean,
): Promise<(index: number) => number> {
  const number = async (tag: number, usual: number) => (await readNumber(file, directory, tag)) ?? usual;
  const compression = await number(tags.Compression, uncompressed);
  const planar = (await number(tags.PlanarConfiguration, 1)) === 2;
  const isSubsampled = (await number(tags.PhotometricInterpretation, 1)) === 6;
  if (tiled || compression !== uncompressed || isSubsampled) return () => Number.POSITIVE_INFINITY;
  const [width, height] = [await number(tags.ImageWidth, 0), await number(tags.ImageLength, 0)];
  const rows = Math.max(1, Math.min(height, await number(tags.RowsPerStrip, height)));
  const samples = planar ? 1 : await number(tags.SamplesPerPixel, 1);
  const row = Math.ceil((width * samples * (await number(tags.BitsPerSample, 1))) / 8);
  const strips = Math.ceil(height / rows);
  return (index) => row * Math.min(rows, height - (index % strips) * rows);
}
