// Layout of the samples at 1/8 in the module's memory while access points are built, and copying to and from
// it.

import { type AccessPoints, accessPointBytes } from "./access-points.ts";
import { area, type Engine, slack } from "./engine.ts";
import type { Scan } from "./header.ts";
import type { SampleTarget, ScanPosition } from "./run.ts";

/** Bytes of memory for the samples at 1/8 of the rows of a run. */
const sampleRoom = 512 * 1024;
/** Bytes of memory for the access points of the rows of a run. */
const entryRoom = 256 * 1024;

export interface SampleRooms {
  readonly entries: number;
  /** Number of MCU rows that fit. */
  readonly rows: number;
  readonly planes: readonly PlaneRoom[];
  targets(row: number): SampleTarget[];
}

/** Memory for a component's samples. `down` is the number of block rows in a row of MCUs. */
interface PlaneRoom {
  readonly at: number;
  readonly stride: number;
  readonly down: number;
}

/** Lays out memory for the samples of as many MCU rows as fit. */
export function layOutSamples(engine: Engine, scan: Scan): SampleRooms {
  const perRow = scan.components.reduce((sum, { across, down }) => sum + across * down * scan.columns, 0);
  const entriesPerRow = 1 + Math.floor(scan.columns / scan.step);
  const rows = Math.max(
    1,
    Math.min(Math.floor(sampleRoom / perRow), Math.floor(entryRoom / (entriesPerRow * accessPointBytes))),
  );
  let at: number = area.arena;
  const room = (bytes: number) => {
    const start = at;
    at = Math.ceil((at + bytes + slack) / 16) * 16;
    return start;
  };
  const planes = scan.components.map(({ across, down }): PlaneRoom => {
    const stride = across * scan.columns;
    return { at: room(stride * down * rows), stride, down };
  });
  const entries = room(rows * entriesPerRow * accessPointBytes);
  engine.reserve(at);
  return {
    entries,
    rows,
    planes,
    targets: (row) =>
      planes.map(({ at: means, stride, down }) => ({
        plane: 0,
        stride: 0,
        edge: 0,
        left: 0,
        columns: stride,
        top: row * down,
        rows: rows * down,
        means: { at: means, stride },
      })),
  };
}

/** The reduced level at 1/8, if it is made, and the sizes of its components. */
interface Level8 {
  readonly level8: AccessPoints["level8"];
  readonly sizes: Sizes;
}

export type Sizes = readonly { readonly width: number; readonly height: number }[];

/** Restores the samples at 1/8 of an unfinished row from the reduced level. */
export function prepareSamples(
  engine: Engine,
  { planes }: SampleRooms,
  { level8, sizes }: Level8,
  scan: Scan,
  row: number,
): void {
  if (!level8) return;
  const bytes = engine.bytes();
  scan.components.forEach(({ index }, i) => {
    const { at, stride, down } = planes[i]!;
    const { width, height } = sizes[index]!;
    for (let y = 0; y < down && row * down + y < height; y++)
      bytes.set(
        level8[index]!.subarray((row * down + y) * width, (row * down + y + 1) * width),
        at + y * stride,
      );
  });
}

/** Copies the samples of MCU rows `from` to `to` from memory to the reduced level at 1/8. */
export function keepSamples(
  engine: Engine,
  { planes }: SampleRooms,
  { level8, sizes }: Level8,
  scan: Scan,
  { from, to }: { readonly from: number; readonly to: number },
): void {
  if (!level8) return;
  const bytes = engine.bytes();
  scan.components.forEach(({ index }, i) => {
    const { at, stride, down } = planes[i]!;
    const { width, height } = sizes[index]!;
    for (let y = from * down; y < to * down && y < height; y++) {
      const start = at + (y - from * down) * stride;
      level8[index]!.set(bytes.subarray(start, start + width), y * width);
    }
  });
}

/** Fills the reduced level at 1/8 with middle gray from the MCU at `position` on. */
export function grayRest(
  level8: AccessPoints["level8"],
  sizes: Sizes,
  scan: Scan,
  position: ScanPosition,
): void {
  for (const { index, across, down } of scan.components) {
    const { width } = sizes[index]!;
    const plane = level8?.[index];
    for (let y = 0; y < down; y++) {
      const row = (position.row * down + y) * width;
      plane?.fill(128, row + Math.min(width, position.column * across), row + width);
    }
    plane?.fill(128, (position.row + 1) * down * width);
  }
}
