// What reads ask of a stored level at 1/2.

import type { ResampleAxis } from "../../../pipeline/step.ts";
import type { BytePlane } from "../../../sidecar/tiles/tile-coder.ts";

/** The level at 1/2, ready to read. */
export interface Level2 {
  /**
   * Returns a component's samples along two axes on the full-size image, for each of the first components;
   * undefined if they are not samples of the level, or if it is lost.
   */
  samples(axes: readonly Axes[]): Promise<readonly BytePlane[] | undefined>;
}

/** Axes of a component's samples, in full-size pixels. */
export interface Axes {
  readonly x: ResampleAxis;
  readonly y: ResampleAxis;
}
