// What a pool worker runs: one whole job, from ranges of bytes to an encoded derivative.

import type { Step } from "../pipeline/steps.ts";
import type { EncodeOptions, ReadRequest } from "./codec.ts";

/** What to read at which scale, which steps, what to write. Plain data, made before any pixel is decoded. */
export interface RenderPlan {
  readonly read: ReadRequest;
  readonly steps: readonly Step[];
  readonly write: EncodeOptions;
  /** Estimated peak bytes of the whole job. */
  readonly memory: number;
}
