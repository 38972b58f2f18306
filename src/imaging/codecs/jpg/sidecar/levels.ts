// The level at 1/8 as bytes: the planes of a file's components, one after another.

import { type Frame, level8Size } from "../region/index.ts";

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
