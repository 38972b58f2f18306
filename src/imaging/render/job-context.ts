// What a job gets from the thread that runs it: codecs, bytes to read, and whether anybody still wants the
// result.

import type { SidecarAccess } from "../codecs/codec.ts";
import type { Codecs } from "../codecs/codecs.ts";
import { ImagingError } from "../errors.ts";
import type { ByteSource } from "../lib/byte-source.ts";
import type { JobStages } from "../stages.ts";
import type { OverlayAccess } from "./overlay-pixels.ts";

/** Says whether the job is still wanted; an AbortSignal is one. */
export interface Wanted {
  readonly aborted: boolean;
  /** Lets the thread take in what has happened while the job kept it busy, such as that a client has left. */
  listen?(): Promise<void>;
}

/** What a job works with. */
export interface JobContext {
  readonly codecs: Codecs;
  /** Of the master. */
  readonly bytes: ByteSource;
  readonly sidecar?: SidecarAccess | undefined;
  readonly overlay?: OverlayAccess | undefined;
  /** Absent: nobody cancels the job. */
  readonly wanted?: Wanted | undefined;
  /** Hears which stage a render is in. */
  readonly stages?: JobStages | undefined;
}

/** Throws ImagingError `cancelled` if nobody wants the result any longer. */
export async function stillWanted(wanted: Wanted | undefined): Promise<void> {
  await wanted?.listen?.();
  if (wanted?.aborted) throw new ImagingError("cancelled", "The job was cancelled.");
}
