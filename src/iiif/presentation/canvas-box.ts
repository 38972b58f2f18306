// Boxes on a canvas as fragments of its address (Media Fragments URI 1.0, section 4.2.2).

/** Left, top, width and height in units of a canvas. */
export type CanvasBox = readonly [x: number, y: number, width: number, height: number];

/** A canvas that annotations are about. */
export interface TargetCanvas {
  /** In the form of version 3. */
  readonly id: string;
  readonly width: number;
  readonly height: number;
}

/**
 * Returns the address of a box of a canvas, in whole numbers without a unit, which UV requires: the smallest
 * such box around it, inside the canvas, with a pixel at least. A box outside, or of values that are no
 * numbers, becomes the nearest pixel or the whole canvas; so does a missing one.
 */
export function boxAddress({ id, width, height }: TargetCanvas, box?: CanvasBox): string {
  const isBox = box?.every(Number.isFinite) === true;
  const [x, y, w, h] = isBox ? box : [0, 0, width, height];
  const [left, right] = roundRange(x, x + w, width);
  const [top, bottom] = roundRange(y, y + h, height);
  return `${id}#xywh=${left},${top},${right - left},${bottom - top}`;
}

/** Returns whole numbers around a range, at most from 0 to `max`, with 1 between them at least. */
function roundRange(from: number, to: number, max: number): readonly [from: number, to: number] {
  const first = Math.min(Math.max(Math.floor(Math.min(from, to)), 0), Math.max(max - 1, 0));
  const last = Math.min(Math.ceil(Math.max(from, to)), max);
  return [first, Math.max(last, first + 1)];
}
