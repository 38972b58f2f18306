// Reduced levels as bytes: the planes of a file's components, one after another, in memory or in blocks.

import type { BlockReader, Stretch } from "../../../sidecar/block-reader.ts";
import { type BlockList, blockBytes, blockWriter } from "../../../sidecar/blocks.ts";
import type { SidecarBlocks } from "../../codec.ts";
import { type CopyRows, type Frame, level4Size, level8Size, type StoredPlanes } from "../region/index.ts";

/**
 * Returns the planes of the level at 1/8 from its pieces (one for all components, or one for each), not
 * copied; undefined if there are no pieces.
 */
export function planesOfLevel8(
  frame: Frame,
  pieces: readonly Uint8Array[],
): readonly Uint8Array[] | undefined {
  const [all] = pieces;
  if (!all || pieces.length > 1) return all && pieces;
  let end = 0;
  return frame.components.map((_, component) => {
    const { width, height } = level8Size(frame, component);
    const at = end;
    end += width * height;
    return all.subarray(at, end);
  });
}

/**
 * Returns a function that reads the level at 1/4 from blocks; the level is unavailable if any needed block is
 * lost.
 */
export function level4InBlocks(frame: Frame, blocks: BlockReader): StoredPlanes {
  let end = 0;
  const planes = frame.components.map((_, component) => {
    const { width, height } = level4Size(frame, component);
    const at = end;
    end += width * height;
    return { at, width };
  });
  return async (areas) => {
    const parts = await Promise.all(
      areas.map(async ({ component, left, right, top, bottom }): Promise<CopyRows | undefined> => {
        const { at, width } = planes[component]!;
        const first = at + top * width + left;
        const rows = { first, width, length: right - left, count: bottom - top };
        const stretch = await blocks.stretch(first, first + (rows.count - 1) * width + rows.length);
        return stretch && ((target, to, apart) => copyRows(stretch, rows, target, to, apart));
      }),
    );
    return parts.every((part) => part !== undefined) ? parts : undefined;
  };
}

/**
 * Rows of a plane in blocks: position of the first, distance in bytes from one to the next, their length and
 * their number.
 */
interface Rows {
  readonly first: number;
  readonly width: number;
  readonly length: number;
  readonly count: number;
}

function copyRows(stretch: Stretch, rows: Rows, target: Uint8Array, to: number, apart: number): void {
  const { first, width, length, count } = rows;
  for (let row = 0; row < count; row++) stretch.copy(first + row * width, length, target, to + row * apart);
}

/** Writes planes to blocks from number `first` on. Returns undefined if there is no room. */
export async function planesToBlocks(
  planes: readonly Uint8Array[],
  blocks: SidecarBlocks,
  first: number,
): Promise<BlockList | undefined> {
  const bytes = planes.reduce((sum, { length }) => sum + length, 0);
  if (first * blockBytes + bytes > blocks.room) return undefined;
  const writer = blockWriter(blocks, first);
  for (const plane of planes) await writer.add(plane);
  return writer.end();
}
