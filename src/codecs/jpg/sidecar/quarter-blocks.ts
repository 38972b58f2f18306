// Planes at 1/4 in blocks, one behind the other.

import type { IndexBlocks } from "../../codec.ts";
import { type Frame, type KeptPlanes, quarterSize } from "../region/index.ts";
import { type BlockReader, blockBytes, blockWriter, type StoredBlocks } from "./stored-blocks.ts";

/** The planes of a file's components, which lie in blocks; those whose blocks are lost are not there. */
export function planesInBlocks(frame: Frame, blocks: BlockReader): KeptPlanes {
  let end = 0;
  const planes = frame.components.map((_, component) => {
    const { width, height } = quarterSize(frame, component);
    const at = end;
    end += width * height;
    return { at, width };
  });
  return async (areas) => {
    const parts = await Promise.all(
      areas.map(async ({ component, left, right, top, bottom }) => {
        const { at, width } = planes[component]!;
        const stride = right - left;
        const placeOf = (row: number) => at + row * width + left;
        const copy = await blocks.stretch(placeOf(top), placeOf(bottom - 1) + stride);
        if (!copy) return undefined;
        const data = new Uint8Array(stride * (bottom - top));
        for (let row = top; row < bottom; row++) copy(placeOf(row), stride, data, (row - top) * stride);
        return { data, stride };
      }),
    );
    return parts.every((part) => part !== undefined) ? parts : undefined;
  };
}

/** Puts planes into blocks from number `first` on; undefined where there is no room. */
export async function planesToBlocks(
  planes: readonly Uint8Array[],
  blocks: IndexBlocks,
  first: number,
): Promise<StoredBlocks | undefined> {
  const bytes = planes.reduce((sum, { length }) => sum + length, 0);
  if (first * blockBytes + bytes > blocks.room) return undefined;
  const writer = blockWriter(blocks, first);
  for (const plane of planes) await writer.add(plane);
  return writer.end();
}
