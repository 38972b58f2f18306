// What a job has of the thread that runs it: codecs, bytes to read, and whether anybody still wants it.

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

export interface Surroundings {
  readonly codecs: Codecs;
  /** Of the master. */
  readonly bytes: ByteSource;
  readonly sidecar?: SidecarAccess | undefined;
  readonly overlay?: OverlayAccess | undefined;
  /** Absent: it is wanted to its end. */
  readonly wanted?: Wanted | undefined;
  /** Hears where a render is. */
  readonly stages?: JobStages | undefined;
}

/** Throws ServiceError `cancelled` if it is not. */
export async function stillWanted(wanted: Wanted | undefined): Promise<void> {
  await wanted?.listen?.();
  if (wanted?.aborted) throw cancelled();
}
