// Interface of runners of jobs. A runner takes one job at a time, within limits.

import { type ByteSource, type JobTimes, ServiceError } from "../../base/index.ts";
import type { Encoded, OverlayImage, SidecarAccess, Task } from "../../imaging/index.ts";
import type { JobFile } from "./messages.ts";
import type { Permit } from "./permit.ts";

/**
 * One task on one master. `file`: the master's file, if a worker can open the same bytes itself. `sidecar`:
 * its id lets a worker continue what an earlier job has begun.
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
  /** Time limit of the job in milliseconds; time without its permit does not count. 0: no limit. */
  readonly timeoutMs: number;
  /** Permit that the job releases while it waits for bytes; absent if it only reads local bytes. */
  readonly permit?: Permit | undefined;
  /** Observer of the start and the measurements of the job. */
  readonly watch?: JobWatch | undefined;
}

/** Observes a job. */
export interface JobWatch {
  /** Called when a runner takes the job. `worker`: number of the worker, from 1; 0 for the calling thread. */
  began(worker: number): void;
  /** Called when the job has succeeded. */
  did(times: JobTimes): void;
}

/** Runs one job at a time. */
export interface Runner {
  /**
   * Runs a job and returns its result. Rejects as soon as the job is cancelled or late. Calls `freed` once,
   * possibly later, when the next job may come: with true, or with false if the runner has ended.
   */
  run(job: Job, limits: JobLimits, freed: (usable: boolean) => void): Promise<Encoded>;
  /** False if the runner has ended, even while it was idle. */
  alive(): boolean;
  /**
   * Returns the memory of its worker in bytes, or the last known value if the worker is busy; absent if it
   * has no thread of its own.
   */
  memory?(): Promise<number | undefined>;
  /** True while its job has released its permit. */
  waits(): boolean;
  kill(): void;
}

/** Returns the error of a job that exceeded its time limit. */
export function lateError(timeoutMs: number): ServiceError {
  return new ServiceError(
    "timeout",
    `Expected the image to be rendered within ${timeoutMs} ms, and it was not; ask for a smaller region or size.`,
    { code: "render_timeout" },
  );
}
