// A whole job of a pool worker, from ranges of bytes to an encoded derivative.

import { concatenate } from "../../base/index.ts";
import type { Encoded, EncodedPieces, SidecarLayer } from "../codecs/codec.ts";
import type { MasterPage, RenderPlan } from "../codecs/plan.ts";
import { runSteps } from "../pipeline/run-steps.ts";
import { encodeByRows } from "./by-rows.ts";
import { colourKernels } from "./colour-kernels.ts";
import { withMetadata } from "./embed.ts";
import { type JobContext, stillWanted } from "./job-context.ts";
import { overlayKernel, overlayPixels, overlayStepOf } from "./overlays.ts";

/** Kinds of jobs: an encoded derivative, a layer of a sidecar, or the pixels of an overlay. Plain data. */
export type Task =
  | { readonly kind: "render"; readonly plan: RenderPlan }
  | ({ readonly kind: "sidecar"; readonly layer: SidecarLayer } & MasterPage)
  | { readonly kind: "overlay"; readonly plan: Pick<RenderPlan, "read" | "steps"> };

/**
 * Runs a job and returns its bytes; a sidecar and the pixels of an overlay are also returned as an {@link
 * Encoded}. Throws the errors of the codecs, and ImagingError `cancelled`.
 */
export async function runTask(task: Task, context: JobContext): Promise<Encoded> {
  const { bytes, codecs, sidecar, wanted } = context;
  if (task.kind === "render") return render(task.plan, context);
  await stillWanted(wanted);
  if (task.kind === "overlay") return { bytes: await overlayPixels(task.plan, bytes, codecs) };
  const { header, page, layer } = task;
  const built = codecs.decoder(header.format).sidecar?.build(bytes, { header, page }, sidecar, layer);
  return { bytes: (await built) ?? new Uint8Array() };
}

/**
 * Decodes, runs the steps and encodes, or uses the codec's own shortcut, then embeds metadata. Checks between
 * the stages that the job is still wanted.
 */
async function render(plan: RenderPlan, context: JobContext): Promise<Encoded> {
  const { pieces, incomplete } = await encodedPixels(plan, context);
  context.stages?.enter("encode");
  const [head, ...rest] = pieces;
  const start = await withMetadata(head!, plan, context.bytes, context.codecs);
  const bytes = rest.length === 0 ? start : concatenate([start, ...rest]);
  return { bytes, ...(incomplete && { incomplete }) };
}

async function encodedPixels(plan: RenderPlan, context: JobContext): Promise<EncodedPieces> {
  const { codecs, bytes, sidecar, overlay, wanted, stages } = context;
  await stillWanted(wanted);
  const codec = codecs.decoder(plan.read.header.format);
  const step = overlayStepOf(plan);
  const laid = step && overlay && (await overlayKernel(plan, step, bytes, codecs, overlay));
  // Derivatives from planes and lossless crops cannot have an overlay.
  const derived =
    step || plan.bySteps ? undefined : await codec.derive?.(bytes, plan, sidecar, codecs.kernels, stages);
  if (derived) return derived;
  stages?.enter("decode");
  if (plan.rows !== undefined) return encodeByRows({ ...plan, rows: plan.rows }, context);
  const decoded = await codec.decode(bytes, plan.read, sidecar);
  await stillWanted(wanted);
  stages?.enter("steps");
  const pixels = runSteps(decoded, plan.steps, { ...(await colourKernels(plan, bytes, codecs)), ...laid });
  await stillWanted(wanted);
  stages?.enter("encode");
  const encoded = await codecs.encoder(plan.write.format).encode(pixels, plan.write);
  return { pieces: [encoded], incomplete: decoded.incomplete };
}
