// Composes frames onto the screen: first frame to the requested page, each disposed of before the next
// (GIF89a specification, 23).

import { ImagingError } from "../../../base/index.ts";
import type { PixelBuffer } from "../../pipeline/pixels.ts";
import { allocateOrThrow } from "../allocate.ts";
import { damagedGif } from "../damaged.ts";
import type { Rectangle } from "../image-header.ts";
import { commonPart } from "../pyramid/drawn.ts";
import type { GifFrame, GifHeader } from "./header.ts";
import { decodeRows } from "./lzw.ts";

/** Maximum pixels of the frames of one page: about three seconds of work, and ten for a single frame. */
const maxPixels = { several: 2 ** 29, single: 2 ** 31 } as const;

/** First row and distance of the four groups of an interlaced frame (appendix E). */
const interlace = [
  [0, 8],
  [4, 8],
  [2, 4],
  [1, 2],
] as const;

/** Replaces a missing colour table: the two entries that a decoder should begin with (18.c.iii). */
const blackAndWhite = [0, 0, 0, 255, 255, 255];

/**
 * Decodes the region of page `page` (1-based). Where no frame has drawn, the screen is transparent, or black
 * for 3 bands. Holds the region (twice if a frame is to be restored) in addition to the file. Throws
 * ImagingError `decode` if a required frame is damaged, `too-large` if the page needs too many frames before
 * it.
 */
export function decodeGif(
  file: Uint8Array,
  header: GifHeader,
  page: number,
  region: Rectangle,
  bands: 3 | 4,
): PixelBuffer {
  const { width, height } = region;
  const frames = header.frames.slice(firstNeeded(header, page), page);
  const work = frames.reduce((sum, { area }) => sum + area.width * area.height, 0);
  const max = frames.length > 1 ? maxPixels.several : maxPixels.single;
  if (work > max)
    throw new ImagingError(
      "too-large",
      `Expected at most ${max} frame pixels for a page, received ${work} for page ${page}: ask for an earlier one.`,
    );

  const data = allocateOrThrow(() => new Uint8Array(width * height * bands));
  for (const [i, frame] of frames.entries()) {
    const last = i === frames.length - 1;
    const inside = commonPart(frame.area, region);
    if (inside.width === 0 || inside.height === 0) continue;
    const rows = rowsIn(inside, region, bands, data);
    const before = !last && frame.disposal === "restore" ? rows.map((row) => row.slice()) : undefined;
    drawFrame(file, frame, region, bands, data);
    if (before) for (const [n, row] of rows.entries()) row.set(before[n]!);
    else if (!last && frame.disposal === "clear") for (const row of rows) row.fill(0);
  }
  return { width, height, bands, interpretation: "rgb", data };
}

/**
 * Returns the index of the frame from which page `page` can be composed: one that hides all earlier ones, or
 * the first.
 */
export function firstNeeded({ frames, width, height }: GifHeader, page: number): number {
  for (let i = page - 1; i > 0; i--) {
    const { area, transparentIndex, disposal } = frames[i]!;
    const covers = area.x === 0 && area.y === 0 && area.width >= width && area.height >= height;
    const hides = transparentIndex < 0 && (disposal !== "restore" || i === page - 1);
    if (covers && hides) return i;
  }
  return 0;
}

function drawFrame(
  file: Uint8Array,
  frame: GifFrame,
  region: Rectangle,
  bands: number,
  data: Uint8Array,
): void {
  const { area, tableStart, tableEntries, transparentIndex } = frame;
  if (tableEntries > 0 && tableStart + 3 * tableEntries > file.length) throw damagedGif("a colour table");
  const table = new Uint8Array(256 * 3); // indexes past the table are black
  table.set(tableEntries > 0 ? file.subarray(tableStart, tableStart + 3 * tableEntries) : blackAndWhite);
  const rowOf = frame.interlaced ? interlacedRows(area.height) : undefined;
  const from = Math.max(area.x, region.x);
  const to = Math.min(area.x + area.width, region.x + region.width);

  const below = Math.max(0, Math.min(area.height, region.y + region.height - area.y));
  const rows = frame.interlaced ? area.height : below;

  decodeRows(file, frame.dataStart, area.width, rows, (indices, n) => {
    const y = area.y + (rowOf ? rowOf[n]! : n) - region.y;
    if (y < 0 || y >= region.height) return;
    let out = (y * region.width + from - region.x) * bands;
    for (let x = from; x < to; x++, out += bands) {
      const index = indices[x - area.x]!;
      if (index === transparentIndex) continue;
      data[out] = table[index * 3]!;
      data[out + 1] = table[index * 3 + 1]!;
      data[out + 2] = table[index * 3 + 2]!;
      if (bands === 4) data[out + 3] = 255;
    }
  });
}

/** Returns the row of the frame for each stored row. */
function interlacedRows(height: number): Uint16Array {
  const rows = new Uint16Array(height);
  let n = 0;
  for (const [first, step] of interlace) for (let y = first; y < height; y += step) rows[n++] = y;
  return rows;
}

/** Returns the rows of a part of a region, as views of its pixels. */
function rowsIn(part: Rectangle, region: Rectangle, bands: number, data: Uint8Array): Uint8Array[] {
  return Array.from({ length: part.height }, (_, n) => {
    const start = ((part.y - region.y + n) * region.width + part.x - region.x) * bands;
    return data.subarray(start, start + part.width * bands);
  });
}
