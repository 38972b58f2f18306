// Overlays on a thread that runs jobs: their pixels, kept by digest, and the kernel that lays them on an answer.

import { srgbInProfile } from "../colour/lcms.ts";
import { ServiceError } from "../errors.ts";
import type { ByteSource } from "../lib/byte-source.ts";
import { sha256, toHex } from "../lib/digest.ts";
import { createLru } from "../lib/lru.ts";
import { overlay, overlayInSize, placeOverlay } from "../pipeline/overlay.ts";
import { fullScale, hasAlpha, type PixelBuffer } from "../pipeline/pixels.ts";
import { type Kernels, type OverlayStep, runSteps } from "../pipeline/steps.ts";
import { profileOf } from "./colour.ts";
import { colourKernels } from "./colour-kernels.ts";
import type { Codecs } from "./index.ts";
import type { RenderPlan } from "./job.ts";

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

/** Nothing is kept yet; `lcms` gives the compiled module. */
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

/** The overlay step of a plan; undefined where it has none. */
export function overlayStepOf({ steps }: Pick<RenderPlan, "steps">): OverlayStep | undefined {
  return steps.find((step): step is OverlayStep => step.op === "overlay");
}

/** The kernel for the overlay step of a plan. Throws what reading the master throws. */
export async function overlayKernel(
  { read }: Pick<RenderPlan, "read">,
  step: OverlayStep,
  bytes: ByteSource,
  codecs: Codecs,
  access: OverlayAccess,
): Promise<Pick<Kernels, "overlay">> {
  const codec = codecs.byFormat(read.header.format);
  const profile = step.profile ? await profileOf(codec, bytes, read.header) : undefined;
  return { overlay: await codecs.overlays.kernel(step, access.load, profile) };
}

/** The bytes of {@link OverlayImage}. Throws ServiceError `decode` for a file that ends early or is damaged, and what its codec throws. */
export async function overlayPixels(
  plan: Pick<RenderPlan, "read" | "steps">,
  bytes: ByteSource,
  codecs: Codecs,
): Promise<Uint8Array> {
  const decoded = await codecs.byFormat(plan.read.header.format).decode(bytes, plan.read);
  if (decoded.incomplete)
    throw new ServiceError(
      "decode",
      "Expected a whole image file, received one that is damaged or ends early.",
    );
  return withAlpha(runSteps(decoded, plan.steps, await colourKernels(plan, bytes, codecs)));
}

/** Gray or rgb of 8 bit as rgb with alpha. */
function withAlpha(pixels: PixelBuffer): Uint8Array {
  const { width, height, bands, data } = pixels;
  if (fullScale(pixels) !== 255) throw new Error("an overlay is decoded to 8 bit");
  const alpha = hasAlpha(pixels);
  const green = bands > 2 ? 1 : 0;
  const rgba = new Uint8Array(width * height * 4);
  for (let p = 0, q = 0; q < rgba.length; p += bands, q += 4) {
    rgba[q] = data[p]!;
    rgba[q + 1] = data[p + green]!;
    rgba[q + 2] = data[p + 2 * green]!;
    rgba[q + 3] = alpha ? data[p + bands - 1]! : 255;
  }
  return rgba;
}
