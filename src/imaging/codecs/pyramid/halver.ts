// Makes a level from the one above with Lanczos-3, row by row from the top down.

import type { Size } from "../../../base/index.ts";
import { halving, sourceWindow } from "../../pipeline/kernel.ts";
import { type PixelBuffer, samplesLike } from "../../pipeline/pixels.ts";
import type { ResampleAxis } from "../../pipeline/step.ts";
import type { Rectangle } from "../image-header.ts";

export type Resize = (pixels: PixelBuffer, x: ResampleAxis, y: ResampleAxis) => PixelBuffer;

/** Rows that the filter needs below the two that an output row covers. */
const reach = 6;
/** Minimum number of output rows made at a time, since each call reads the rows above them again. */
const leastRows = 32;

export interface Halver {
  /** Takes the next rows of the level above. Returns the rows that are ready, if any. */
  take(rows: PixelBuffer): PixelBuffer | undefined;
}

/**
 * Creates a halver that makes `part` of a level from `from`, a part of the level above, which has the size
 * `above`. The samples do not depend on how rows are divided, or on the part.
 */
export function createHalver(part: Rectangle, from: Rectangle, above: Size, resize: Resize): Halver {
  const end = part.y + part.height;
  const across: ResampleAxis = { ...halving(part.x, part.x + part.width), origin: 2 * part.x - from.x };
  /** Rows of the level above that later rows need: `count` from row `top` on, and room for more. */
  let held: PixelBuffer["data"] = new Uint8Array();
  let top = from.y;
  let count = 0;
  let done = part.y;

  const hold = ({ data, height }: PixelBuffer, rowLength: number) => {
    const wanted = (count + height) * rowLength;
    if (held.length < wanted || held.constructor !== data.constructor) {
      const larger = samplesLike({ data }, wanted);
      larger.set(held.subarray(0, count * rowLength));
      held = larger;
    }
    held.set(data, count * rowLength);
    count += height;
  };

  return {
    take(rows) {
      const rowLength = rows.width * rows.bands;
      hold(rows, rowLength);
      const isLast = top + count === from.y + from.height;
      const ready = isLast ? end : Math.min(end, Math.floor((top + count - reach) / 2));
      if (ready <= done || (!isLast && ready - done < leastRows)) return undefined;
      const down = halving(done, ready);
      const window = sourceWindow(down, above.height);
      const source: PixelBuffer = {
        ...rows,
        height: window.end - window.start,
        data: held.subarray((window.start - top) * rowLength, (window.end - top) * rowLength),
      };
      const made = resize(source, across, { ...down, origin: down.origin - window.start });
      done = ready;
      if (!isLast) {
        const { start } = sourceWindow(halving(done, done + 1), above.height);
        held.copyWithin(0, (start - top) * rowLength, count * rowLength);
        count -= start - top;
        top = start;
      }
      return made;
    },
  };
}
