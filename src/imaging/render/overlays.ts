// Overlays in jobs: the kernel for the overlay step of a plan, and the job that decodes an overlay to its
// pixels.

import { type ByteSource, ImagingError } from "../../base/index.ts";
import type { Codecs } from "../codecs/codecs.ts";
import type { RenderPlan } from "../codecs/plan.ts";
import { profileOf } from "../metadata/colour.ts";
import { fullScale, hasAlpha, type PixelBuffer } from "../pipeline/pixels.ts";
import { runSteps } from "../pipeline/run-steps.ts";
import type { Kernels, OverlayStep } from "../pipeline/step.ts";
import { colourKernels } from "./colour-kernels.ts";
import type { OverlayAccess } from "./overlay-pixels.ts";

/** Returns the overlay step of a plan; undefined if it has none. */
export function overlayStepOf({ steps }: Pick<RenderPlan, "steps">): OverlayStep | undefined {
  return steps.find((step): step is OverlayStep => step.op === "overlay");
}

/** Returns the kernel for the overlay step of a plan. Throws the errors of reading the master. */
export async function overlayKernel(
  { read }: Pick<RenderPlan, "read">,
  step: OverlayStep,
  bytes: ByteSource,
  codecs: Codecs,
  access: OverlayAccess,
): Promise<Pick<Kernels, "overlay">> {
  const codec = codecs.decoder(read.header.format);
  const profile = step.profile ? await profileOf(codec, bytes, read.header) : undefined;
  return { overlay: await codecs.overlays.kernel(step, access.load, profile) };
}

/**
 * Returns the bytes of {@link OverlayImage}. Throws ImagingError `decode` for a file that ends early or is
 * damaged, and the errors of its codec.
 */
export async function overlayPixels(
  plan: Pick<RenderPlan, "read" | "steps">,
  bytes: ByteSource,
  codecs: Codecs,
): Promise<Uint8Array> {
  const decoded = await codecs.decoder(plan.read.header.format).decode(bytes, plan.read);
  if (decoded.incomplete)
    throw new ImagingError(
      "decode",
      "Expected a whole image file, received one that is damaged or ends early.",
    );
  return withAlpha(runSteps(decoded, plan.steps, await colourKernels(plan, bytes, codecs)));
}

/** Converts gray or RGB of 8 bits to RGB with alpha. */
function withAlpha(pixels: PixelBuffer): Uint8Array {
  const { width, height, bands, data } = pixels;
  if (fullScale(pixels) !== 255) throw new Error("an overlay is decoded to 8 bits");
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
