// Effects of the eight EXIF orientations (Exif 2.3, tag 0x0112) on axes.

/**
 * The transform from stored to upright, in two steps: `swap` exchanges rows and columns, then `flipX` and
 * `flipY` reverse axes.
 */
export interface Orientation {
  readonly swap: boolean;
  readonly flipX: boolean;
  readonly flipY: boolean;
}

const orientations: Readonly<Record<number, Orientation>> = {
  1: { swap: false, flipX: false, flipY: false },
  2: { swap: false, flipX: true, flipY: false },
  3: { swap: false, flipX: true, flipY: true },
  4: { swap: false, flipX: false, flipY: true },
  5: { swap: true, flipX: false, flipY: false },
  6: { swap: true, flipX: true, flipY: false },
  7: { swap: true, flipX: true, flipY: true },
  8: { swap: true, flipX: false, flipY: true },
};

/** Returns the transform of an orientation from 1 to 8; anything else counts as 1. */
export function orientationOf(value: number): Orientation {
  return orientations[value] ?? (orientations[1] as Orientation);
}

/** Clockwise right angles as EXIF orientations. */
const rightAngles: Readonly<Record<number, number>> = { 0: 1, 90: 6, 180: 3, 270: 8 };

/**
 * Returns the orientation that turns clockwise by `degrees`; undefined if they are no multiple of 90, so that
 * pixels would have to be resampled.
 */
export function orientationOfTurn(degrees: number): number | undefined {
  return rightAngles[((degrees % 360) + 360) % 360];
}

/**
 * Returns the orientation that undoes this one: quarter turns change their direction, the others are their
 * own inverse.
 */
export function invertOrientation(orientation: number): number {
  if (orientation === 6) return 8;
  return orientation === 8 ? 6 : orientation;
}
