// Reduced levels as bytes: the planes of a file's components one after the other, in memory or in blocks.

import type { SidecarBlocks } from "../../codec.ts";
import type { BlockReader } from "../../sidecar/block-reader.ts";
import { type BlockList, blockBytes, blockWriter } from "../../sidecar/blocks.ts";
import { type Frame, level4Size, level8Size, type StoredPlanes } from "../region/index.ts";

/** The planes of the level at 1/8 from its pieces, not copied: one for all components, or one for each. */
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

/** Reads the level at 1/4 from blocks; where some of them are lost it is not there. */
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
      areas.map(async ({ component, left, right, top, bottom }) => {
        const { at, width } = planes[component]!;
        const across = right - left;
        const placeOf = (row: number) => at + row * width + left;
        const copy = await blocks.stretch(placeOf(top), placeOf(bottom - 1) + across);
        if (!copy) return undefined;
        return (target: Uint8Array, to: number, apart: number) => {
          for (let row = top; row < bottom; row++)
            copy(placeOf(row), across, target, to + (row - top) * apart);
        };
      }),
    );
    return parts.every((part) => part !== undefined) ? parts : undefined;
  };
}

/** Puts planes into blocks from number `first` on; undefined where there is no room. */
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
