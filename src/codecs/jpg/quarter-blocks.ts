// Planes at 1/4 in blocks, one behind the other.

import { type Frame, type KeptPlanes, quarterSize } from "./random/index.ts";
import type { BlockReader } from "./stored-blocks.ts";

/** The planes of a file's components, which lie in blocks from place `start` on. */
export function planesInBlocks(frame: Frame, blocks: BlockReader, start: number): KeptPlanes {
  let end = start;
  const planes = frame.components.map((_, component) => {
    const { width, height } = quarterSize(frame, component);
    const at = end;
    end += width * height;
    return { at, width };
  });
  return (areas) =>
    Promise.all(
      areas.map(async ({ component, left, right, top, bottom }) => {
        const { at, width } = planes[component]!;
        const stride = right - left;
        const placeOf = (row: number) => at + row * width + left;
        const copy = await blocks.stretch(placeOf(top), placeOf(bottom - 1) + stride);
        const data = new Uint8Array(stride * (bottom - top));
        for (let row = top; row < bottom; row++) copy(placeOf(row), stride, data, (row - top) * stride);
        return { data, stride };
      }),
    );
}
