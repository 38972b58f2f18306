// What a job gets from the thread that runs it: codecs, bytes to read, and whether anybody still wants the
// result.

import { cancelled } from "../../errors.ts";
import type { ByteSource } from "../../lib/byte-source.ts";
import type { JobStages } from "../../lib/telemetry/job-clock.ts";
import type { SidecarAccess } from "../codec.ts";
import type { Codecs } from "../codecs.ts";
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

/** Throws ServiceError `cancelled` if nobody wants the result any longer. */
export async function stillWanted(wanted: Wanted | undefined): Promise<void> {
  await wanted?.listen?.();
  if (wanted?.aborted) throw cancelled();
}
