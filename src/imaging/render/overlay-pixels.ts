// Overlays known to a thread: their pixels, cached by digest, and the kernel that draws them on a derivative.

import { createLru, sha256, toHex } from "../../base/index.ts";
import { srgbInProfile } from "../colour/lcms.ts";
import type { PixelBuffer } from "../pipeline/pixels.ts";
import type { Kernels, OverlayStep } from "../pipeline/step.ts";
import { overlay, overlayInSize } from "../pipeline/steps/overlay.ts";
import { placeOverlay } from "../pipeline/steps/overlay-layout.ts";

/** Decoded image of an overlay: sRGB with alpha, 8 bits, not premultiplied. */
export interface OverlayImage {
  /** Digest of its file, which identifies the pixels. */
  readonly digest: string;
  readonly width: number;
  readonly height: number;
  /** Four bytes per pixel, in memory shared between threads if the runtime supports it. */
  readonly data: Uint8Array;
}

/** Loads the pixels of an overlay for a job whose thread has not cached them. */
export interface OverlayAccess {
  load(): Promise<Uint8Array>;
}

/** Source of a thread's overlay kernels. */
export interface OverlayPixels {
  /**
   * Returns the kernel for a step. `profile` is the profile of the derivative's colours if they are not sRGB.
   */
  kernel(
    step: OverlayStep,
    load: OverlayAccess["load"],
    profile: Uint8Array | undefined,
  ): Promise<NonNullable<Kernels["overlay"]>>;
}

/** Maximum bytes of overlays that a thread caches, and again of their versions for sizes and profiles. */
const cacheBytes = 48 << 20;

/** Creates an empty cache; `lcms` returns the compiled module. */
export function createOverlayPixels(kernels: Kernels, lcms: () => WebAssembly.Module): OverlayPixels {
  const images = createLru<string, Uint8Array>(cacheBytes);
  const made = createLru<string, PixelBuffer>(cacheBytes);
  return {
    async kernel(step, load, profile) {
      const { digest, width, height } = step;
      let data = images.get(digest);
      if (!data) {
        data = await load();
        if (data.length !== width * height * 4)
          throw new Error("the pixels of an overlay do not have the size that its plan says");
        images.set(digest, data, data.length);
      }
      const image: PixelBuffer = { width, height, bands: 4, interpretation: "rgb", data };
      const id = profile && toHex(await sha256(profile));
      return (pixels, step) => {
        const placement = placeOverlay(pixels, step, step);
        const space = pixels.interpretation === "gray" ? "gray" : "rgb";
        const key = `${digest} ${placement.width} ${placement.height} ${id ? `${space} ${id}` : ""}`;
        let stamp = made.get(key);
        if (!stamp) {
          stamp = overlayInSize(image, placement, kernels);
          const converted = profile && srgbInProfile(lcms(), profile, space, stamp.data as Uint8Array);
          if (converted) stamp = { ...stamp, data: converted };
          if (stamp !== image) made.set(key, stamp, stamp.data.length);
        }
        return overlay(pixels, stamp, placement, step.opacity);
      };
    },
  };
}
