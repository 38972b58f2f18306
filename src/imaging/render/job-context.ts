// Input of a job from the thread that runs it: codecs, bytes to read, and whether the result is still wanted.

import { type ByteSource, ImagingError, type JobStages } from "../../base/index.ts";
import type { SidecarAccess } from "../codecs/codec.ts";
import type { Codecs } from "../codecs/codecs.ts";
import type { OverlayAccess } from "./overlay-pixels.ts";

/** Shows if the result of a job is still needed. An AbortSignal is one. */
export interface JobInterest {
  readonly aborted: boolean;
  /**
   * Lets the thread process events that arrived while the job kept it busy, such as a client's disconnection.
   */
  listen?(): Promise<void>;
}

/** Context of a job. */
export interface JobContext {
  readonly codecs: Codecs;
  /** Bytes of the master. */
  readonly bytes: ByteSource;
  readonly sidecar?: SidecarAccess | undefined;
  readonly overlay?: OverlayAccess | undefined;
  /** Cancels the job; without it the job is never cancelled. */
  readonly wanted?: JobInterest | undefined;
  /** Receives the current stage of a render. */
  readonly stages?: JobStages | undefined;
}

/** Throws ImagingError `cancelled` if the result is no longer wanted. */
export async function stillWanted(wanted: JobInterest | undefined): Promise<void> {
  await wanted?.listen?.();
  if (wanted?.aborted) throw new ImagingError("cancelled", "The job was cancelled.");
}
