// The tiles that a region meets, cut out of a codestream as one of their own (ITU-T T.800 Annexes A and B):
// the decoder then decodes no others. Places stay where they are on the reference grid.

import { concatenated } from "../../lib/bytes/concatenated.ts";
import type { Rectangle } from "../image-header.ts";
import { type Codestream, firstTilePart, marker } from "./codestream.ts";

export interface Cut {
  readonly bytes: Uint8Array;
  readonly codestream: Codestream;
}

/** Where the fields of SIZ stand, from the beginning of the codestream (A.5.1). */
const siz = { right: 8, bottom: 12, left: 16, top: 20, gridLeft: 32, gridTop: 36 } as const;

/** Segments of the main header that speak of tile-parts by their order or length (A.7.1 to A.7.3). */
const ofTileParts: ReadonlySet<number> = new Set([0xff55, 0xff57]); // TLM, PLM

/**
 * Whether tiles can be cut out for 1/2^level: they all begin where every component has a sample at that
 * level, so that samples are at the same places as in the whole picture.
 */
export function canCut(tileStep: number, level: number): boolean {
  return tileStep > 0 && tileStep % 2 ** level === 0;
}

/**
 * The tiles of a whole codestream in memory that a region at 1/2^level meets, with its tile-parts in their
 * order. `region`: in pixels of the picture. Undefined if they cannot be cut out, or all are needed.
 */
export function cutTiles(
  bytes: Uint8Array,
  codestream: Codestream,
  region: Rectangle,
  level: number,
): Cut | undefined {
  if (codestream.packedHeaders || codestream.tiles === 1 || !canCut(codestream.tileStep, level))
    return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const { tileWidth, tileHeight, offsetX, offsetY, width, height } = codestream;
  const across = axis(view.getUint32(siz.gridLeft), tileWidth, offsetX, width, region.x, region.width);
  const down = axis(view.getUint32(siz.gridTop), tileHeight, offsetY, height, region.y, region.height);
  const tiles = across.tiles * down.tiles;
  if (tiles === codestream.tiles) return undefined;
  const header = mainHeader(bytes, view);
  const parts = tileParts(bytes, view, (tile) => {
    const column = (tile % across.all) - across.first;
    const row = Math.floor(tile / across.all) - down.first;
    const isMet = column >= 0 && column < across.tiles && row >= 0 && row < down.tiles;
    return isMet ? row * across.tiles + column : undefined;
  });
  const cut = concatenated([...header, ...parts, Uint8Array.of(marker.eoc >> 8, marker.eoc & 0xff)]);
  const out = new DataView(cut.buffer);
  out.setUint32(siz.right, across.end);
  out.setUint32(siz.bottom, down.end);
  out.setUint32(siz.left, across.start);
  out.setUint32(siz.top, down.start);
  out.setUint32(siz.gridLeft, across.grid);
  out.setUint32(siz.gridTop, down.grid);
  return {
    bytes: cut,
    codestream: {
      ...codestream,
      offsetX: across.start,
      offsetY: down.start,
      width: across.end - across.start,
      height: down.end - down.start,
      tiles,
    },
  };
}

/** The tiles of one axis that a part of the picture meets (B.3). Places are those of the reference grid. */
function axis(grid: number, size: number, offset: number, length: number, from: number, count: number) {
  const end = offset + length;
  const first = Math.floor((offset + from - grid) / size);
  const last = Math.floor((offset + from + count - 1 - grid) / size);
  const ownGrid = grid + first * size;
  return {
    all: Math.ceil((end - grid) / size),
    first,
    tiles: last - first + 1,
    grid: ownGrid,
    start: Math.max(offset, ownGrid),
    end: Math.min(end, grid + (last + 1) * size),
  };
}

/** The main header without what speaks of other tile-parts. */
function mainHeader(bytes: Uint8Array, view: DataView): Uint8Array[] {
  const kept = [bytes.subarray(0, 2)];
  const end = firstTilePart(view);
  for (let at = 2; at < end; ) {
    const kind = view.getUint16(at);
    const next = at + 2 + view.getUint16(at + 2);
    if (!ofTileParts.has(kind)) kept.push(bytes.subarray(at, next));
    at = next;
  }
  return kept;
}

/** The tile-parts of the tiles that `place` gives a new index, each with that index. */
function tileParts(
  bytes: Uint8Array,
  view: DataView,
  place: (tile: number) => number | undefined,
): Uint8Array[] {
  const parts: Uint8Array[] = [];
  let at = firstTilePart(view);
  while (at + 12 <= bytes.length && view.getUint16(at) === marker.sot) {
    const index = place(view.getUint16(at + 4));
    const stated = view.getUint32(at + 6);
    // Psot 0 is the last tile-part, which ends at the EOC marker; zeros may pad behind that.
    const length = stated === 0 ? bytes.findLastIndex((byte) => byte !== 0) - 1 - at : stated;
    if (index !== undefined) {
      // A copy, which slice() of Node's Buffer is not.
      const part = new Uint8Array(bytes.subarray(at, at + length));
      const own = new DataView(part.buffer);
      own.setUint16(4, index);
      own.setUint32(6, length);
      parts.push(part);
    }
    at += length;
  }
  return parts;
}
