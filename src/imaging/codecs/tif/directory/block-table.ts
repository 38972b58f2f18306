// The positions of the strips or tiles of a picture. Values that were read stay in memory.

import type { ByteSource } from "../../../../base/index.ts";
import { damagedTif } from "../../damaged.ts";
import { type Directory, type Entry, readValues, type TiffFile, valuesInside } from "./ifd.ts";
import type { Picture } from "./picture.ts";
import { tags } from "./tags.ts";

/** Positions and lengths of strips or tiles, by their index in the file. */
export interface BlockTable {
  /**
   * Reads the values from index `from` to `to` (exclusive) that are not in memory yet. Throws ImagingError
   * `decode` if the file does not have them.
   */
  load(bytes: ByteSource, from: number, to: number): Promise<void>;
  /** Returns the offset of a loaded block. */
  offset(i: number): number;
  /**
   * Returns the length of a loaded block: 0 for a tile that is not stored (its offset and length are 0),
   * Infinity if neither the file nor the next offset states it.
   */
  length(i: number): number;
  /** Returns the bytes of all values, as if they were in memory. */
  weight(): number;
}

/** Number of values that are read together: up to 32 KiB. */
const together = 4096;

/**
 * Opens the table of a picture, and reads the beginnings of its lists. Throws ImagingError `decode` if the
 * file has none.
 */
export async function openBlockTable(
  file: TiffFile,
  { entries }: Directory,
  picture: Picture,
): Promise<BlockTable> {
  // Some writers list tiles in the fields of strips, and libtiff reads either.
  const at = entries.get(tags.TileOffsets) ?? entries.get(tags.StripOffsets);
  const sizes = entries.get(tags.TileByteCounts) ?? entries.get(tags.StripByteCounts);
  if (!at) throw damagedTif("offsets of strips or tiles", "none");
  const offsets = listOf(file, at);
  const lengths = sizes && !isOneRun(picture) ? listOf(file, sizes) : undefined;
  const load: BlockTable["load"] = async (bytes, from, to) => {
    await offsets.load(bytes, from, to);
    await lengths?.load(bytes, from, to);
  };
  await load(file.bytes, 0, 1);
  return {
    load,
    offset: offsets.at,
    length(i) {
      const known = lengths?.at(i);
      if (known) return known;
      if (known === 0 && picture.tiled && offsets.at(i) === 0) return 0;
      const untilNext = offsets.at(i + 1) - offsets.at(i);
      return untilNext > 0 ? untilNext : Number.POSITIVE_INFINITY;
    },
    weight: () => offsets.weight() + (lengths?.weight() ?? 0),
  };
}

/** True if an image is one uncompressed strip, whose size is better known than from a byte count. */
const isOneRun = ({ compression, tiled, planar, blockHeight, height }: Picture) =>
  compression === 1 && !tiled && !planar && blockHeight === height;

/** Creates a list over a field, in parts that are read as a whole. */
function listOf({ littleEndian, bytes: { size } }: TiffFile, entry: Entry) {
  const parts = new Map<number, Float64Array>();
  const end = valuesInside(entry, size);
  return {
    async load(bytes: ByteSource, from: number, to: number): Promise<void> {
      if (to > end) throw damagedTif(`at least ${to} strips or tiles`, `${end}`);
      for (let part = Math.floor(from / together); part * together < to; part++) {
        if (parts.has(part)) continue;
        const start = part * together;
        const values = await readValues(
          { bytes, littleEndian },
          entry,
          start,
          Math.min(end, start + together),
        );
        parts.set(part, Float64Array.from(values));
      }
    },
    /** Returns 0 for a value that is not in memory. */
    at: (i: number): number => parts.get(Math.floor(i / together))?.[i % together] ?? 0,
    weight: () => end * Float64Array.BYTES_PER_ELEMENT,
  };
}
