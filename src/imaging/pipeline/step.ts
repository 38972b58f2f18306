// The steps between decoding and encoding, as plain data, and the kernels that may run them.

import type { PixelBuffer, Plane } from "./pixels.ts";
import type { Lookups } from "./steps/light.ts";
import type { OverlayLayout } from "./steps/overlay-layout.ts";
import type { Sharpening } from "./steps/sharpen.ts";

/** One axis of a resampling: output sample `i` is centred on source coordinate `origin + (i + 0.5) * scale`
 * (in source pixels, pixel `j` covering `j` to `j + 1`), and there are `size` of them. */
export interface ResampleAxis {
  readonly size: number;
  readonly origin: number;
  readonly scale: number;
}

/** A step is plain data: it crosses the thread boundary with the plan. */
export type Step =
  | { readonly op: "orient"; readonly orientation: number } // EXIF 1 to 8: pixels as stored to upright
  | {
      readonly op: "crop";
      readonly left: number;
      readonly top: number;
      readonly width: number;
      readonly height: number;
    }
  | { readonly op: "resize"; readonly x: ResampleAxis; readonly y: ResampleAxis } // reads beyond the output's window if pixels continue there
  | { readonly op: "to-light" } // gray or rgb of the sRGB curve to 16-bit linear light
  | { readonly op: "from-light"; readonly bits: 8 | 16 } // and back
  | { readonly op: "to-srgb"; readonly profile: boolean } // to rgb, gray stays gray; profile: by the master's own profile
  | ({ readonly op: "sharpen" } & Sharpening)
  | { readonly op: "mirror" } // left and right change sides
  | { readonly op: "rotate"; readonly degrees: number } // clockwise, 0 to 360, any; uncovered corners transparent (alpha is added)
  | OverlayStep // gray or rgb, alpha stays; the overlay's pixels come with the kernels
  | { readonly op: "gray" }
  | { readonly op: "bitonal" } // one band, 0 or full scale
  | { readonly op: "flatten"; readonly background: readonly [number, number, number] } // 0 to 255 each; alpha is removed
  | { readonly op: "depth"; readonly bits: 8 | 16 };

/** Names an overlay's picture by a digest of its file, and says its size. */
export interface OverlayStep extends OverlayLayout {
  readonly op: "overlay";
  readonly digest: string;
  readonly width: number;
  readonly height: number;
  /** The derivative keeps the colours of its master: the overlay is converted to the master's profile. */
  readonly profile: boolean;
}

/** Implementations of the steps with much arithmetic. */
export interface Kernels {
  /**
   * Implements the plan's to-srgb step, by the profile of the current master or none, prepared before the
   * steps run.
   */
  toSrgb?(pixels: PixelBuffer): PixelBuffer;
  resize(pixels: PixelBuffer, x: ResampleAxis, y: ResampleAxis): PixelBuffer;
  /** For linear light. */
  readonly lookups: Lookups;
  sharpen(pixels: PixelBuffer, how: Sharpening): PixelBuffer;
  rotate(pixels: PixelBuffer, degrees: number): PixelBuffer;
  /**
   * Implements the plan's overlay step, prepared before the steps run. Without it the step throws: no
   * derivative is sent unmarked.
   */
  overlay?(pixels: PixelBuffer, step: OverlayStep): PixelBuffer;
  /** Resamples one band with rows of its own stride; the rows of the result have no padding. */
  resamplePlane(plane: Plane, x: ResampleAxis, y: ResampleAxis): Plane;
}
