// What a pool worker runs: one whole job, from ranges of bytes to an encoded derivative.

import type { Encoded } from "../codecs/codec.ts";
import type { MasterPage, RenderPlan } from "../codecs/plan.ts";
import { runSteps } from "../pipeline/run-steps.ts";
import { encodeByRows } from "./by-rows.ts";
import { colourKernels } from "./colour-kernels.ts";
import { withMetadata } from "./embed.ts";
import { type JobContext, stillWanted } from "./job-context.ts";
import { overlayKernel, overlayPixels, overlayStepOf } from "./overlays.ts";

/**
 * What a job makes: an encoded derivative, the sidecar of a master, or the pixels of an overlay. Plain data.
 */
export type Task =
  | { readonly kind: "render"; readonly plan: RenderPlan }
  | ({ readonly kind: "sidecar" } & MasterPage)
  | { readonly kind: "overlay"; readonly plan: Pick<RenderPlan, "read" | "steps"> };

/**
 * Runs a task to its bytes, a sidecar and the pixels of an overlay being an {@link Encoded} too. Throws what
 * the codecs throw, and ImagingError `cancelled`.
 */
export async function runTask(task: Task, context: JobContext): Promise<Encoded> {
  const { bytes, codecs, sidecar, wanted } = context;
  if (task.kind === "render") return render(task.plan, context);
  await stillWanted(wanted);
  if (task.kind === "overlay") return { bytes: await overlayPixels(task.plan, bytes, codecs) };
  const { header, page } = task;
  const built = codecs.byFormat(header.format).sidecar?.build(bytes, { header, page }, sidecar);
  return { bytes: (await built) ?? new Uint8Array() };
}

/**
 * Decodes, runs the steps and encodes, or takes the codec's own shorter way, and puts in what the answer
 * carries. Between the stages it looks whether the job is still wanted.
 */
async function render(plan: RenderPlan, context: JobContext): Promise<Encoded> {
  const { bytes: encoded, incomplete } = await encodedPixels(plan, context);
  context.stages?.enter("encode");
  const bytes = await withMetadata(encoded, plan, context.bytes, context.codecs);
  return { bytes, ...(incomplete && { incomplete }) };
}

async function encodedPixels(plan: RenderPlan, context: JobContext): Promise<Encoded> {
  const { codecs, bytes, sidecar, overlay, wanted, stages } = context;
  await stillWanted(wanted);
  const codec = codecs.byFormat(plan.read.header.format);
  const step = overlayStepOf(plan);
  const laid = step && overlay && (await overlayKernel(plan, step, bytes, codecs, overlay));
  // Planes and lossless crops carry no overlay.
  const derived =
    step || plan.bySteps ? undefined : await codec.derive?.(bytes, plan, sidecar, codecs.kernels, stages);
  if (derived) return derived;
  if (plan.rows !== undefined) return encodeByRows({ ...plan, rows: plan.rows }, context);
  const decoded = await codec.decode(bytes, plan.read, sidecar);
  await stillWanted(wanted);
  stages?.enter("steps");
  const pixels = runSteps(decoded, plan.steps, { ...(await colourKernels(plan, bytes, codecs)), ...laid });
  await stillWanted(wanted);
  stages?.enter("encode");
  const encoded = await codecs.encoder(plan.write.format).encode(pixels, plan.write);
  return { bytes: encoded, incomplete: decoded.incomplete };
}
