// Lossless crops of an image of tiles: their coded bits become one scan, MCU row by MCU row, with DC
// differences coded again at the seams.

import type { Rectangle } from "../../image-header.ts";
import { type Crop, cropRange, forwards } from "../lossless/crop.ts";
import { type Cut, CutOutput, type CutState } from "../lossless/cut-output.ts";
import { cropHeader } from "../lossless/header.ts";
import { isSameTable } from "../markers/tables.ts";
import { type Engine, outcome } from "../region/engine.ts";
import type { McuRange } from "../region/geometry.ts";
import { type Bounds, type RunKind, runOver, type ScanPosition, startOf } from "../region/run.ts";
import { type Form, formOfImage } from "./form.ts";
import type { Tile, TiledJpeg } from "./tiles.ts";

/** Pixels whose tiles are read and joined at a time, unless a row of tiles has more. */
const pixelsAtOnce = 4 << 20;

/**
 * Returns the coded data of a region; undefined if it is not on the grid of MCUs, a tile is damaged, tiles
 * have different tables, or a DC table lacks a required code.
 */
export async function joinTiles(
  image: TiledJpeg,
  region: Rectangle,
  backwards = forwards,
): Promise<Crop | undefined> {
  const { frame } = image.form;
  let { scan } = image.form;
  const mcus = cropRange(frame, scan, region, backwards);
  if (!mcus) return undefined;
  const pieces: Uint8Array[] = [];
  let state: CutState | undefined;
  const { rowsOfTile } = image;
  const rowsAtOnce = Math.ceil((pixelsAtOnce / (region.width * region.height)) * (mcus.bottom - mcus.top));
  const step = Math.max(1, Math.floor(rowsAtOnce / rowsOfTile)) * rowsOfTile;
  for (let top = mcus.top; top < mcus.bottom; ) {
    const bottom = Math.min(mcus.bottom, Math.floor(top / rowsOfTile) * rowsOfTile + step);
    const rows = { ...mcus, top, bottom };
    const made = await image.withTiles(rows, (tiles) => {
      const [first] = tiles;
      if (!first) return undefined;
      // Files may have tables for each tile, and then the result has those of its tiles.
      if (top === mcus.top) scan = formOfImage(first.form, frame.width, frame.height).scan;
      return tiles.every((tile) => isCodedAlike(tile.form, { frame, scan }))
        ? joinRows(image.engine, rows, tiles, { state, isLast: bottom === mcus.bottom })
        : undefined;
    });
    if (!made) return undefined;
    pieces.push(...made.data);
    state = made.state;
    top = bottom;
  }
  return { frame, scan, region, mcus, data: pieces };
}

const noSize = { width: 0, height: 0 };

/** True if a file of one form has the same tables as one of another. */
function isCodedAlike(a: Form, b: Form): boolean {
  if (a.scan.tables === b.scan.tables) return true;
  const [first, second] = [cropHeader(a.frame, a.scan, noSize), cropHeader(b.frame, b.scan, noSize)];
  return a.scan.interval === b.scan.interval && isSameTable(first, second);
}

/** Joins some rows of MCUs; undefined if that is impossible. */
function joinRows(
  engine: Engine,
  mcus: McuRange,
  tiles: readonly Tile[],
  { state, isLast }: { readonly state: CutState | undefined; readonly isLast: boolean },
): Cut | undefined {
  const [anyTile] = tiles;
  if (!anyTile) return undefined;
  const output = new CutOutput(engine, anyTile.form.tables, anyTile.form.scan, state);
  for (const row of rowsOf(tiles)) {
    const cuts = row.map((tile) => new TileCut(engine, tile, mcus, output));
    const [first] = cuts;
    if (!first) continue;
    const isAlone = cuts.length === 1 && first.isWhole;
    for (let at = first.top; at < first.bottom; ) {
      at = isAlone ? first.bottom : at + 1;
      if (!cuts.every((cut) => cut.appendRowsBefore(at))) return undefined;
    }
  }
  return output.finish(isLast);
}

/** Returns the tiles by row. */
function rowsOf(tiles: readonly Tile[]): readonly (readonly Tile[])[] {
  const rows = new Map<number, Tile[]>();
  for (const tile of tiles) {
    const row = rows.get(tile.top);
    if (row) row.push(tile);
    else rows.set(tile.top, [tile]);
  }
  return [...rows.values()];
}

/** Cuts the part of a region out of one tile, from the top down. Rows and columns are the tile's own MCUs. */
class TileCut {
  readonly top: number;
  readonly bottom: number;
  readonly #left: number;
  readonly #right: number;
  readonly #engine: Engine;
  readonly #tile: Tile;
  readonly #output: CutOutput;
  readonly #start: ScanPosition;

  constructor(engine: Engine, tile: Tile, { left, right, top, bottom }: McuRange, output: CutOutput) {
    const { columns, rows } = tile.form.scan;
    this.#engine = engine;
    this.#tile = tile;
    this.#output = output;
    this.#start = startOf(tile.form.scan);
    this.#left = Math.max(0, left - tile.left);
    this.#right = Math.min(columns, right - tile.left);
    this.top = Math.max(0, top - tile.top);
    this.bottom = Math.min(rows, bottom - tile.top);
  }

  /** True if one run can cut several rows: from side to side, and without restarts between rows. */
  get isWhole() {
    const { columns, interval } = this.#tile.form.scan;
    return this.#left === 0 && this.#right === columns && interval === 0;
  }

  /** Appends the rows before `stopRow` to the output. Returns false if the tile is damaged. */
  appendRowsBefore(stopRow: number): boolean {
    const { columns } = this.#tile.form.scan;
    const position = this.#start;
    if (position.row < this.top && !this.#run("decodeRows", { stopRow: this.top, endColumn: columns }))
      return false;
    this.#output.jump();
    if (!this.#run("cutRows", { stopRow, endColumn: this.#right, fromColumn: this.#left })) return false;
    if (this.#right === columns) return true;
    // passes over the rest of the row
    position.row = stopRow - 1;
    position.column = this.#right;
    return this.#run("decodeRows", { stopRow, endColumn: columns });
  }

  /**
   * Runs over some of the tile's bytes, and over more as long as they do not suffice. A run processes all
   * bytes that it gets, so the rows of one tile are not given those of all others.
   */
  #run(act: RunKind, bounds: Bounds): boolean {
    const { data, form } = this.#tile;
    const position = this.#start;
    const perRow = Math.ceil((data.length - form.scan.start) / form.scan.rows);
    for (let room = 2 * perRow * (bounds.stopRow - position.row); ; room *= 2) {
      const end = Math.min(data.length, position.offset + room + leastRoom);
      const final = end === data.length;
      const parts = [data.subarray(position.offset, end)];
      const output = act === "cutRows" ? this.#output : undefined;
      const result = runOver(this.#engine, act, position, bounds, { parts, final, output });
      if (result === outcome.hungry && !final) continue;
      return result === outcome.reached && position.damage === 0;
    }
  }
}

/** Bytes for a run beyond those of its rows. */
const leastRoom = 256;
