// The overlays that a thread knows: their pixels, kept by digest, and the kernel that lays them on an answer.

import { srgbInProfile } from "../colour/lcms.ts";
import { sha256, toHex } from "../lib/digest.ts";
import { createLru } from "../lib/lru.ts";
import type { PixelBuffer } from "../pipeline/pixels.ts";
import type { Kernels, OverlayStep } from "../pipeline/step.ts";
import { overlay, overlayInSize } from "../pipeline/steps/overlay.ts";
import { placeOverlay } from "../pipeline/steps/overlay-layout.ts";

/** The picture of an overlay, decoded: sRGB with alpha, 8 bit, not premultiplied. */
export interface OverlayImage {
  /** Of its file: another digest, other pixels. */
  readonly digest: string;
  readonly width: number;
  readonly height: number;
  /** Four bytes for each pixel; in memory that threads share, where the runtime has any. */
  readonly data: Uint8Array;
}

/** Where a job has the pixels of its overlay from, if its thread does not know them yet. */
export interface OverlayAccess {
  load(): Promise<Uint8Array>;
}

/** The overlay kernel of a thread. */
export interface OverlayPixels {
  /** `profile`: that of the answer's colours, where they are not sRGB. */
  kernel(
    step: OverlayStep,
    load: OverlayAccess["load"],
    profile: Uint8Array | undefined,
  ): Promise<NonNullable<Kernels["overlay"]>>;
}

/** Bytes of overlays, and of what was made of them for sizes and profiles, that a thread keeps of each. */
const keptBytes = 48 << 20;

/** Nothing is kept yet; `lcms` returns the compiled module. */
export function createOverlayPixels(kernels: Kernels, lcms: () => WebAssembly.Module): OverlayPixels {
  const images = createLru<string, Uint8Array>(keptBytes);
  const made = createLru<string, PixelBuffer>(keptBytes);
  return {
    async kernel(step, load, profile) {
      const { digest, width, height } = step;
      let data = images.get(digest);
      if (!data) {
        data = await load();
        if (data.length !== width * height * 4)
          throw new Error("the pixels of an overlay are not of the size that its plan says");
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
