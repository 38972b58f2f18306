// What a pool worker runs: one whole job, from ranges of bytes to an encoded derivative.

import { cancelled } from "../../errors.ts";
import type { ByteSource } from "../../lib/byte-source.ts";
import type { JobStages } from "../../lib/telemetry/job-clock.ts";
import { runSteps } from "../../pipeline/run-steps.ts";
import type { Encoded, SidecarAccess } from "../codec.ts";
import type { Codecs } from "../codecs.ts";
import type { MasterPage, RenderPlan } from "../plan.ts";
import { encodeByRows } from "./by-rows.ts";
import { colourKernels } from "./colour-kernels.ts";
import { withMetadata } from "./embed.ts";
import type { OverlayAccess } from "./overlay-pixels.ts";
import { overlayKernel, overlayPixels, overlayStepOf } from "./overlays.ts";

/** What a job makes: an encoded derivative, the sidecar of a master, or the pixels of an overlay. Plain data. */
export type Task =
  | { readonly kind: "render"; readonly plan: RenderPlan }
  | ({ readonly kind: "sidecar" } & MasterPage)
  | { readonly kind: "overlay"; readonly plan: Pick<RenderPlan, "read" | "steps"> };

/** Says whether the job is still wanted; an AbortSignal is one. */
export interface Wanted {
  readonly aborted: boolean;
  /** Lets the thread take in what has happened while the job kept it busy, such as that a client has left. */
  listen?(): Promise<void>;
}

/** Runs a task to its bytes, a sidecar and the pixels of an overlay being an {@link Encoded} too. Throws what the codecs throw, and ServiceError `cancelled`. */
export async function runTask(
  task: Task,
  bytes: ByteSource,
  codecs: Codecs,
  signal?: Wanted,
  sidecar?: SidecarAccess,
  overlay?: OverlayAccess,
  stages?: JobStages,
): Promise<Encoded> {
  if (task.kind === "render") return runJob(task.plan, bytes, codecs, signal, sidecar, overlay, stages);
  await stillWanted(signal);
  if (task.kind === "overlay") return { bytes: await overlayPixels(task.plan, bytes, codecs) };
  const { header, page } = task;
  const built = codecs.byFormat(header.format).sidecar?.build(bytes, { header, page }, sidecar);
  return { bytes: (await built) ?? new Uint8Array() };
}

/**
 * Decodes, runs the steps and encodes, or takes the codec's own shorter way, and puts in what the answer carries. Between the stages it looks whether the
 * job is still wanted; `stages` hears where the job is. Throws what the codecs throw, and ServiceError `cancelled`.
 */
export async function runJob(
  plan: RenderPlan,
  bytes: ByteSource,
  codecs: Codecs,
  signal?: Wanted,
  sidecar?: SidecarAccess,
  overlay?: OverlayAccess,
  stages?: JobStages,
): Promise<Encoded> {
  const made = await encodedPixels(plan, bytes, codecs, signal, sidecar, overlay, stages);
  const { bytes: encoded, incomplete } = made;
  stages?.enter("encode");
  return { bytes: await withMetadata(encoded, plan, bytes, codecs), ...(incomplete && { incomplete }) };
}

async function encodedPixels(
  plan: RenderPlan,
  bytes: ByteSource,
  codecs: Codecs,
  signal: Wanted | undefined,
  sidecar: SidecarAccess | undefined,
  overlay: OverlayAccess | undefined,
  stages: JobStages | undefined,
): Promise<Encoded> {
  await stillWanted(signal);
  const codec = codecs.byFormat(plan.read.header.format);
  const step = overlayStepOf(plan);
  const laid = step && overlay && (await overlayKernel(plan, step, bytes, codecs, overlay));
  // Planes and lossless crops carry no overlay.
  const derived =
    step || plan.bySteps ? undefined : await codec.derive?.(bytes, plan, sidecar, codecs.kernels, stages);
  if (derived) return derived;
  if (plan.rows !== undefined)
    return encodeByRows(
      { ...plan, rows: plan.rows },
      bytes,
      codecs,
      () => stillWanted(signal),
      sidecar,
      stages,
    );
  const decoded = await codec.decode(bytes, plan.read, sidecar);
  await stillWanted(signal);
  stages?.enter("steps");
  const pixels = runSteps(decoded, plan.steps, { ...(await colourKernels(plan, bytes, codecs)), ...laid });
  await stillWanted(signal);
  stages?.enter("encode");
  const encoded = await codecs.encoder(plan.write.format).encode(pixels, plan.write);
  return { bytes: encoded, incomplete: decoded.incomplete };
}

async function stillWanted(signal: Wanted | undefined): Promise<void> {
  await signal?.listen?.();
  if (signal?.aborted) throw cancelled();
}
