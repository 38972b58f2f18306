// What a pool worker runs: one whole job, from ranges of bytes to an encoded derivative.

import { ServiceError } from "../errors.ts";
import type { ByteSource } from "../lib/byte-source.ts";
import { runSteps, type Step } from "../pipeline/steps.ts";
import type { EncodeOptions, ReadRequest } from "./codec.ts";
import type { Codecs } from "./index.ts";

/** What to read at which scale, which steps, what to write. Plain data, made before any pixel is decoded. */
export interface RenderPlan {
  readonly read: ReadRequest;
  readonly steps: readonly Step[];
  readonly write: EncodeOptions;
  /** Estimated peak bytes of the whole job. */
  readonly memory: number;
}

/** Says whether the job is still wanted; an AbortSignal is one. */
export type Wanted = Pick<AbortSignal, "aborted">;

/**
 * Decodes, runs the steps and encodes. Between the stages it looks whether the job is still wanted. Throws what the
 * codecs throw, and ServiceError `cancelled`.
 */
export async function runJob(
  plan: RenderPlan,
  bytes: ByteSource,
  codecs: Codecs,
  signal?: Wanted,
): Promise<Uint8Array> {
  stillWanted(signal);
  const decoded = await codecs.byFormat(plan.read.header.format).decode(bytes, plan.read);
  stillWanted(signal);
  const pixels = runSteps(decoded, plan.steps, codecs.kernels);
  stillWanted(signal);
  return codecs.encoder(plan.write.format).encode(pixels, plan.write);
}

/** The error of a job whose client has gone. */
export function cancelled(): ServiceError {
  return new ServiceError("cancelled", "The render was cancelled because the client has gone.");
}

function stillWanted(signal: Wanted | undefined): void {
  if (signal?.aborted) throw cancelled();
}
