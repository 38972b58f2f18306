// Sizes as viewers see them, whatever way a picture is stored.

import { orientationOf } from "../pipeline/orientation.ts";

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The size that a viewer sees, of a stored picture with an orientation. */
export function uprightSize(stored: Size & { readonly orientation: number }): Size {
  return orientationOf(stored.orientation).swap
    ? { width: stored.height, height: stored.width }
    : { width: stored.width, height: stored.height };
}
