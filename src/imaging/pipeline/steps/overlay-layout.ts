// Position and size of an overlay (a watermark) on a derivative.

import type { Size } from "../../../base/index.ts";

/**
 * The nine anchors, as shares of the room to the left and above: 0 is the left or top edge, 1 the right or
 * bottom one.
 */
const anchors = {
  "top-left": [0, 0],
  top: [0.5, 0],
  "top-right": [1, 0],
  left: [0, 0.5],
  center: [0.5, 0.5],
  right: [1, 0.5],
  "bottom-left": [0, 1],
  bottom: [0.5, 1],
  "bottom-right": [1, 1],
} as const satisfies Readonly<Record<string, readonly [number, number]>>;

export type Anchor = keyof typeof anchors;

export const anchorNames = Object.keys(anchors) as [Anchor, ...Anchor[]];

/**
 * `shrink`: reduced if it would not fit; `scale`: as large as fits; `tile`: repeated over the whole
 * derivative in its own size.
 */
export const fits = ["shrink", "scale", "tile"] as const;

export type Fit = (typeof fits)[number];

/** Layout of an overlay on a derivative. Plain data. */
export interface OverlayLayout {
  readonly anchor: Anchor;
  /** Pixels of the derivative between the overlay and the edges that the anchor names, across and down. */
  readonly offset: readonly [number, number];
  readonly fit: Fit;
  /** 0 to 1; the overlay's own alpha is multiplied by it. */
  readonly opacity: number;
}

/**
 * The rectangle of one copy on the derivative, in whole pixels; `tiled`: copies are repeated in all
 * directions.
 */
export interface Placement extends Size {
  readonly x: number;
  readonly y: number;
  readonly tiled: boolean;
}

/**
 * Returns the position of an overlay on a derivative. Except for `tile` it fits into the derivative minus the
 * offsets; if a derivative is too small for them, the offsets are reduced and not the overlay: at least one
 * pixel of it is always visible.
 */
export function placeOverlay(
  derivative: Size,
  image: Size,
  { anchor, offset, fit }: OverlayLayout,
): Placement {
  const [across, down] = anchors[anchor];
  const tiled = fit === "tile";
  const size = tiled ? image : fittingSize(derivative, image, fit, [across, down], offset);
  const x = start(derivative.width, size.width, across, offset[0]);
  const y = start(derivative.height, size.height, down, offset[1]);
  if (tiled) return { x, y, width: size.width, height: size.height, tiled };
  return {
    x: Math.min(Math.max(0, x), derivative.width - size.width),
    y: Math.min(Math.max(0, y), derivative.height - size.height),
    width: size.width,
    height: size.height,
    tiled,
  };
}

function fittingSize(
  derivative: Size,
  image: Size,
  fit: Fit,
  [across, down]: readonly [number, number],
  offset: readonly [number, number],
): Size {
  const room = {
    width: Math.max(1, derivative.width - (across === 0.5 ? 0 : offset[0])),
    height: Math.max(1, derivative.height - (down === 0.5 ? 0 : offset[1])),
  };
  const factor = Math.min(room.width / image.width, room.height / image.height);
  if (fit === "shrink" && factor >= 1) return image;
  return {
    width: Math.min(room.width, Math.max(1, Math.round(image.width * factor))),
    height: Math.min(room.height, Math.max(1, Math.round(image.height * factor))),
  };
}

/** Offsets count only from the edges that an anchor names: in the middle of an axis there are none. */
function start(derivative: number, size: number, share: number, offset: number): number {
  if (share === 0) return offset;
  return share === 1 ? derivative - size - offset : Math.floor((derivative - size) / 2);
}
