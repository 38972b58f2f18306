// Runs the module over a scan: sets its fields, fills its window and reads the fields back.

import { area, blocks, components, type Engine, field, outcome, slack } from "./engine.ts";
import type { Scan } from "./header.ts";
import type { Tables } from "./tables.ts";

/** Position of a walk over the MCUs of a scan. */
export interface ScanPosition {
  /** File offset, and the number of bits of that byte already read. */
  offset: number;
  bit: number;
  spent: boolean;
  row: number;
  column: number;
  toGo: number;
  nextRestart: number;
  predictors: number[];
  damage: number;
}

/** Destination of a component's samples: positions in memory, and blocks counted in the whole component. */
export interface SampleTarget {
  readonly plane: number;
  readonly stride: number;
  readonly edge: number;
  readonly left: number;
  readonly columns: number;
  readonly top: number;
  readonly rows: number;
  /** Destination of samples at 1/8 in a run that finds access points. */
  readonly means?: { readonly at: number; readonly stride: number };
}

/** Returns the place at the start of a scan. */
export function startOf(scan: Scan): ScanPosition {
  return positionAt(scan, 0, 0, {
    offset: scan.start,
    bit: 0,
    spent: false,
    predictors: scan.components.map(() => 0),
  });
}

/**
 * Returns the place before an MCU that has an access point. The restart fields follow from the MCU's number.
 */
export function positionAt(
  scan: Scan,
  row: number,
  column: number,
  from: Pick<ScanPosition, "offset" | "bit" | "spent"> & { readonly predictors: readonly number[] },
): ScanPosition {
  const { interval } = scan;
  const number = row * scan.columns + column;
  return {
    offset: from.offset,
    bit: from.bit,
    spent: from.spent,
    row,
    column,
    toGo: interval > 0 ? interval - (number % interval) : 0,
    nextRestart: interval > 0 ? Math.floor(number / interval) % 8 : 0,
    predictors: [...from.predictors],
    damage: 0,
  };
}

/** Last coefficient in zigzag order that a block of this size needs. */
const limits: Readonly<Record<number, number>> = { 8: 63, 4: 24, 2: 4, 1: 0, 0: 0 };

/**
 * Loads the tables, and writes the scan and the targets to memory; `targets` are in the order of the scan's
 * components.
 */
export function describeScan(
  engine: Engine,
  tables: Tables,
  scan: Scan,
  targets: readonly (SampleTarget | undefined)[],
): void {
  tables.load(engine);
  const words = engine.words();
  let block = blocks.at;
  for (const [i, component] of scan.components.entries()) {
    const slots = tables.slotsOf(component);
    const c = components.at + i * components.size;
    const target = targets[i];
    words[c + components.across] = component.across;
    words[c + components.down] = component.down;
    words[c + components.quant] = slots.quant;
    words[c + components.plane] = target?.plane ?? 0;
    words[c + components.stride] = target?.stride ?? 0;
    words[c + components.edge] = target?.edge ?? 1;
    words[c + components.left] = target?.left ?? 0;
    words[c + components.columns] = target?.columns ?? 0;
    words[c + components.top] = target?.top ?? 0;
    words[c + components.rows] = target?.rows ?? 0;
    words[c + components.limit] = limits[target?.edge ?? 1]!;
    words[c + components.means] = target?.means?.at ?? 0;
    words[c + components.meansStride] = target?.means?.stride ?? 0;
    for (let y = 0; y < component.down; y++)
      for (let x = 0; x < component.across; x++, block += blocks.size) {
        words[block + blocks.component] = c * 4;
        words[block + blocks.dc] = slots.dc;
        words[block + blocks.ac] = slots.ac;
        words[block + blocks.x] = x;
        words[block + blocks.y] = y;
      }
  }
  words[field.componentCount] = scan.components.length;
  words[field.blockCount] = (block - blocks.at) / blocks.size;
  words[field.interval] = scan.interval;
  words[field.step] = scan.step;
}

export type RunKind = "indexRows" | "decodeRows" | "cutRows";

/** Where a run puts what it makes. */
export interface RunOutput {
  readonly at: number;
  drain(end: number): void;
}

/** The bytes of a run; see {@link runOver}. */
export interface ScanData {
  readonly parts: readonly Uint8Array[];
  readonly final: boolean;
  readonly output?: RunOutput | undefined;
}

export interface Bounds {
  readonly stopRow: number;
  readonly endColumn: number;
  readonly fromColumn?: number;
}

/**
 * Runs from `position` over consecutive bytes of the file in `parts`, the first of which is the byte at
 * `place.offset`, and returns the outcome. `final` is true if the scan's data ends with these bytes. Advances
 * `position`. Parts larger than the window are fed in pieces; `drain` is called after each, before the output
 * pointer is reset to `output.at`.
 */
export function runOver(
  engine: Engine,
  act: RunKind,
  position: ScanPosition,
  bounds: Bounds,
  { parts, final, output }: ScanData,
): number {
  const words = engine.words();
  const bytes = engine.bytes();
  const start = position.offset;
  const total = parts.reduce((sum, part) => sum + part.length, 0);
  for (;;) {
    const from = position.offset - start;
    const length = Math.max(0, Math.min(area.rawRoom - slack, total - from));
    fill(bytes, parts, from, length);
    const last = final && from + length === total;
    words[field.rawEnd] = area.raw + length;
    words[field.final] = last ? 1 : 0;
    words[field.position] = area.raw;
    words[field.bit] = position.bit;
    words[field.spent] = position.spent ? 1 : 0;
    words[field.row] = position.row;
    words[field.column] = position.column;
    words[field.stopRow] = bounds.stopRow;
    words[field.endColumn] = bounds.endColumn;
    words[field.fromColumn] = bounds.fromColumn ?? 0;
    words[field.toGo] = position.toGo;
    words[field.nextRestart] = position.nextRestart;
    words[field.output] = output?.at ?? 0;
    words[field.damage] = position.damage;
    words[field.windowOffset] = position.offset | 0;
    words[field.windowOffset + 1] = Math.floor(position.offset / 2 ** 32);
    position.predictors.forEach((predictor, i) => {
      words[components.at + i * components.size + components.predictor] = predictor;
    });
    const result = engine.run[act]();
    output?.drain(words[field.output]!);
    const moved = words[field.position]! - area.raw;
    position.offset += moved;
    position.bit = words[field.bit]!;
    position.spent = words[field.spent] !== 0;
    position.row = words[field.row]!;
    position.column = words[field.column]!;
    position.toGo = words[field.toGo]!;
    position.nextRestart = words[field.nextRestart]!;
    position.damage = words[field.damage]!;
    position.predictors = position.predictors.map(
      (_, i) => words[components.at + i * components.size + components.predictor]!,
    );
    if (result !== outcome.hungry || from + length === total) return result;
    // a window without any progress is full of fill bytes
    if (moved === 0) return outcome.exhausted;
  }
}

/** The part of an MCU row that begins at an access point. */
export interface RowStart {
  readonly row: number;
  readonly start: Pick<ScanPosition, "offset" | "bit" | "spent"> & {
    readonly column: number;
    readonly predictors: readonly number[];
  };
}

/** What is the same for all rows of a scan. */
export interface RowRun {
  readonly act: RunKind;
  readonly scan: Scan;
  readonly columns: Pick<Bounds, "endColumn" | "fromColumn">;
  readonly output?: RunOutput;
}

/**
 * Runs over one row from an access point on, as {@link runOver} does. `bytes` begin with the byte of the
 * access point. A tile has many rows of few bytes, so nothing is allocated per row.
 */
export function runRow(
  engine: Engine,
  { act, scan, columns, output }: RowRun,
  range: RowStart,
  bytes: Uint8Array,
  final: boolean,
): number {
  const { row, start: from } = range;
  if (bytes.length > area.rawRoom - slack) {
    const position = positionAt(scan, row, from.column, from);
    return runOver(
      engine,
      act,
      position,
      { stopRow: row + 1, ...columns },
      { parts: [bytes], final, output },
    );
  }
  engine.bytes().set(bytes, area.raw);
  const words = engine.words();
  const { interval } = scan;
  const number = row * scan.columns + from.column;
  words[field.rawEnd] = area.raw + bytes.length;
  words[field.final] = final ? 1 : 0;
  words[field.position] = area.raw;
  words[field.bit] = from.bit;
  words[field.spent] = from.spent ? 1 : 0;
  words[field.row] = row;
  words[field.column] = from.column;
  words[field.stopRow] = row + 1;
  words[field.endColumn] = columns.endColumn;
  words[field.fromColumn] = columns.fromColumn ?? 0;
  words[field.toGo] = interval > 0 ? interval - (number % interval) : 0;
  words[field.nextRestart] = interval > 0 ? Math.floor(number / interval) % 8 : 0;
  words[field.output] = output?.at ?? 0;
  words[field.damage] = 0;
  const { predictors } = from;
  for (let i = 0; i < predictors.length; i++)
    words[components.at + i * components.size + components.predictor] = predictors[i]!;
  const result = engine.run[act]();
  output?.drain(words[field.output]!);
  return result;
}

function fill(bytes: Uint8Array, parts: readonly Uint8Array[], from: number, length: number): void {
  let at = 0;
  let to = area.raw;
  const end = area.raw + length;
  for (const part of parts) {
    const first = Math.max(0, from - at);
    if (first < part.length && to < end) {
      const piece = part.subarray(first, Math.min(part.length, first + end - to));
      bytes.set(piece, to);
      to += piece.length;
    }
    at += part.length;
  }
}
