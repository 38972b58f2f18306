// The kernels of a job, with the transform for its to-srgb step prepared before the steps run.

import type { ByteSource } from "../../base/index.ts";
import type { Codecs } from "../codecs/codecs.ts";
import type { RenderPlan } from "../codecs/plan.ts";
import { profileOf } from "../metadata/colour.ts";
import type { Kernels } from "../pipeline/step.ts";

/**
 * Returns the kernels for a plan; reads the master's profile unless it is known. Throws the errors of the
 * source.
 */
export async function colourKernels(
  { read, steps, master }: Pick<RenderPlan, "read" | "steps" | "master">,
  bytes: ByteSource,
  codecs: Codecs,
): Promise<Kernels> {
  const step = steps.find(({ op }) => op === "to-srgb");
  if (step?.op !== "to-srgb") return codecs.kernels;
  const { header } = read;
  const { colour, kernels } = codecs;
  if (!step.profile) return { ...kernels, toSrgb: colour.plain(header.interpretation, header.labWhite) };
  const found = await colour.byProfile(
    () => profileOf(codecs.decoder(header.format), bytes, header),
    header.interpretation,
    master && `${master.name}\n${master.version}`,
  );
  if (found.ignored && master) codecs.ignoredProfile?.(master, found.ignored);
  return { ...kernels, toSrgb: found.toSrgb };
}
