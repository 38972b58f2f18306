// A runner of jobs: one at a time, each within its limits.

import { ServiceError } from "../errors.ts";
import type { Encoded, SidecarAccess } from "../imaging/codecs/codec.ts";
import type { ByteSource } from "../imaging/lib/byte-source.ts";
import type { Task } from "../imaging/render/job.ts";
import type { OverlayImage } from "../imaging/render/overlay-pixels.ts";
import type { JobTimes } from "../lib/telemetry/job-clock.ts";
import type { JobFile } from "./messages.ts";
import type { Place } from "./place.ts";

/**
 * One task over one master. `file`: where a worker can open the same bytes by itself. The id of `sidecar`
 * tells a worker what an earlier job has begun.
 */
export interface Job {
  readonly task: Task;
  readonly file?: JobFile | undefined;
  readonly bytes: ByteSource;
  readonly sidecar?: SidecarAccess | undefined;
  /** Pixels of the overlay that the plan names. */
  readonly overlay?: OverlayImage | undefined;
  /** Estimated peak bytes. */
  readonly memory: number;
}

export interface JobLimits {
  readonly signal?: AbortSignal;
  /**
   * Time of work, from the moment that the job runs; while it is without its place, it does not count. 0: no
   * limit.
   */
  readonly timeoutMs: number;
  /** Is given back while the job waits for bytes; absent: the job only reads what is near. */
  readonly place?: Place | undefined;
  /** Hears when the job begins and what it took. */
  readonly watch?: JobWatch | undefined;
}

/** Whoever wants to know how a job went. */
export interface JobWatch {
  /** A runner has taken the job: the number of its worker, from 1; 0: the calling thread. */
  began(worker: number): void;
  /** It has ended well. */
  did(times: JobTimes): void;
}

/** Runs one job at a time. */
export interface Runner {
  /**
   * Rejects as soon as the job is cancelled or late. Calls `freed` once, which may be later, when the next
   * job may come: with true, or with false where the runner has ended.
   */
  run(job: Job, limits: JobLimits, freed: (usable: boolean) => void): Promise<Encoded>;
  /** False once it has ended, also while it was idle. */
  alive(): boolean;
  /**
   * Bytes of its worker, or those that it had when it was last asked where it is busy; absent: it has no
   * thread of its own.
   */
  memory?(): Promise<number | undefined>;
  /** Whether its job is without its place. */
  waits(): boolean;
  kill(): void;
}

/** The error of a job that ran over its limit. */
export function late(timeoutMs: number): ServiceError {
  return new ServiceError(
    "timeout",
    `Expected the image to be rendered within ${timeoutMs} ms, and it was not; ask for a smaller region or size.`,
    { code: "render_timeout" },
  );
}
