// Positions of the samples of a tile (ITU-T T.800 Annex B): tile-components, resolutions, sub-bands,
// precincts and code-blocks. Ends are exclusive; each of these has a coordinate system of its own.

import type { Codestream } from "../codestream.ts";
import type { Coding } from "./parameters.ts";

export interface Box {
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
}

export type Orientation = "LL" | "HL" | "LH" | "HH";

export interface Band extends Box {
  readonly orientation: Orientation;
  /** Number of the decomposition level, 1 at full size. */
  readonly level: number;
  /** Index in the quantisation of the component. */
  readonly index: number;
}

export interface Resolution extends Box {
  readonly bands: readonly Band[];
  /** Width of a precinct as an exponent of 2, in samples of the resolution. */
  readonly precinctX: number;
  /** Height of a precinct as an exponent of 2. */
  readonly precinctY: number;
  /** Column of the first precinct. */
  readonly firstX: number;
  /** Row of the first precinct. */
  readonly firstY: number;
  /** Number of columns of precincts. */
  readonly across: number;
  /** Number of rows of precincts. */
  readonly down: number;
  /** Width of a code-block as an exponent of 2, in samples of a sub-band. */
  readonly blockX: number;
  /** Height of a code-block as an exponent of 2. */
  readonly blockY: number;
  /** Number of precincts of the tile before those of this resolution. */
  readonly before: number;
}

export interface TileComponent extends Box {
  readonly dx: number;
  readonly dy: number;
  readonly coding: Coding;
  /** In ascending size. */
  readonly resolutions: readonly Resolution[];
}

/** B.3: returns the area of a tile on the reference grid. */
export function tileBox(stream: Codestream, tile: number): Box {
  const { tileWidth, tileHeight, tileLeft, tileTop, offsetX, offsetY, width, height } = stream;
  const across = Math.ceil((offsetX + width - tileLeft) / tileWidth);
  const [p, q] = [tile % across, Math.floor(tile / across)];
  return {
    x0: Math.max(tileLeft + p * tileWidth, offsetX),
    y0: Math.max(tileTop + q * tileHeight, offsetY),
    x1: Math.min(tileLeft + (p + 1) * tileWidth, offsetX + width),
    y1: Math.min(tileTop + (q + 1) * tileHeight, offsetY + height),
  };
}

const divideBox = ({ x0, y0, x1, y1 }: Box, dx: number, dy: number): Box => ({
  x0: Math.ceil(x0 / dx),
  y0: Math.ceil(y0 / dy),
  x1: Math.ceil(x1 / dx),
  y1: Math.ceil(y1 / dy),
});

/** Returns the intersection of two boxes; without area if they do not overlap. */
export function intersect(a: Box, b: Box): Box {
  const x0 = Math.max(a.x0, b.x0);
  const y0 = Math.max(a.y0, b.y0);
  return { x0, y0, x1: Math.max(x0, Math.min(a.x1, b.x1)), y1: Math.max(y0, Math.min(a.y1, b.y1)) };
}

export const isEmpty = ({ x0, y0, x1, y1 }: Box): boolean => x1 <= x0 || y1 <= y0;

/** Returns the components of a tile with this area; `codings`: by component. */
export function tileComponents(
  tile: Box,
  stream: Pick<Codestream, "components">,
  codings: readonly Coding[],
): TileComponent[] {
  let before = 0;
  return stream.components.map(({ dx, dy }, c) => {
    const coding = codings[c]!;
    const box = divideBox(tile, dx, dy);
    const resolutions = Array.from({ length: coding.levels + 1 }, (_, r) => {
      const resolution = resolutionOf(box, coding, r, before);
      before += resolution.across * resolution.down;
      return resolution;
    });
    const { x0, y0, x1, y1 } = box;
    return { x0, y0, x1, y1, dx, dy, coding, resolutions };
  });
}

/** Orientations of the sub-bands of the lowest resolution, and of all others. */
const orientations = { lowest: ["LL"], others: ["HL", "LH", "HH"] } as const;

// A file may have sixty thousand tiles of dozens of sub-bands, so no object is made twice.
function resolutionOf(box: Box, coding: Coding, r: number, before: number): Resolution {
  const { levels, precincts, blockWidth, blockHeight } = coding;
  const scale = 2 ** (levels - r);
  const [x0, y0] = [Math.ceil(box.x0 / scale), Math.ceil(box.y0 / scale)];
  const [x1, y1] = [Math.ceil(box.x1 / scale), Math.ceil(box.y1 / scale)];
  const { x: precinctX, y: precinctY } = precincts[r]!;
  const halves = r > 0 ? 1 : 0;
  const firstX = Math.floor(x0 / 2 ** precinctX);
  const firstY = Math.floor(y0 / 2 ** precinctY);
  const level = r > 0 ? levels - r + 1 : levels;
  const first = r === 0 ? 0 : 3 * (r - 1) + 1;
  return {
    x0,
    y0,
    x1,
    y1,
    bands: orientations[r > 0 ? "others" : "lowest"].map((each, i) => bandOf(box, level, each, first + i)),
    precinctX,
    precinctY,
    firstX,
    firstY,
    across: x1 > x0 ? Math.ceil(x1 / 2 ** precinctX) - firstX : 0,
    down: y1 > y0 ? Math.ceil(y1 / 2 ** precinctY) - firstY : 0,
    blockX: Math.min(blockWidth, precinctX - halves),
    blockY: Math.min(blockHeight, precinctY - halves),
    before,
  };
}

/** Returns a sub-band (equation B-15). */
function bandOf(box: Box, level: number, orientation: Orientation, index: number): Band {
  const scale = 2 ** level;
  const right = orientation === "HL" || orientation === "HH" ? scale / 2 : 0;
  const below = orientation === "LH" || orientation === "HH" ? scale / 2 : 0;
  return {
    x0: Math.ceil((box.x0 - right) / scale),
    y0: Math.ceil((box.y0 - below) / scale),
    x1: Math.ceil((box.x1 - right) / scale),
    y1: Math.ceil((box.y1 - below) / scale),
    orientation,
    level,
    index,
  };
}

/** Returns the part of a sub-band in the precinct at this column and row of its resolution. */
export function precinctBox(resolution: Resolution, band: Band, column: number, row: number): Box {
  const halves = band.orientation === "LL" ? 0 : 1;
  const width = 2 ** (resolution.precinctX - halves);
  const height = 2 ** (resolution.precinctY - halves);
  const x0 = (resolution.firstX + column) * width;
  const y0 = (resolution.firstY + row) * height;
  return intersect(band, { x0, y0, x1: x0 + width, y1: y0 + height });
}
