// The worker pool: jobs wait for a worker, each runs alone on one, and a failed worker is replaced on demand.

import {
  type Counts,
  cancelledError,
  createCounts,
  type Platform,
  ServiceError,
  type Waiter,
  waitForTurn,
} from "../../base/index.ts";
import { type CodecHost, type Codecs, createCodecs, type Encoded } from "../../imaging/index.ts";
import { inPlaceRunner } from "./in-place-runner.ts";
import type { Job, JobLimits, Runner } from "./runner.ts";
import { createRunners } from "./runners.ts";
import { WorkerRunner } from "./worker-runner.ts";

export type { Job, JobLimits, JobWatch } from "./runner.ts";

/**
 * Counters of a pool: its jobs by result; `started`: workers; `replaced`: workers that could not take another
 * job; `deaths`: replaced workers that ended on their own.
 */
export const poolCounts = [
  "done",
  "errors",
  "refused",
  "cancelled",
  "timeouts",
  "started",
  "replaced",
  "deaths",
] as const;

export type PoolCounts = Counts<(typeof poolCounts)[number]>;

export interface PoolOptions {
  readonly platform: Pick<Platform, "wasm" | "deflate" | "zlib" | "startWorker">;
  /**
   * Maximum number of working workers; more are started while jobs wait without their permit. Jobs in place
   * run one at a time.
   */
  readonly size: number;
  /** Codecs for jobs in place; by default made from the platform. */
  readonly codecs?: Codecs;
  readonly counts?: PoolCounts;
  readonly log?: PoolLog;
  /** Called if a worker could not use a profile. */
  readonly ignoredProfile?: CodecHost["noteIgnoredProfile"];
  /** Milliseconds that a cancelled job may continue before its worker is terminated; default 1000. */
  readonly cancelGraceMs?: number;
  /** Bytes of parsed files that each worker keeps. */
  readonly cacheBytes?: number;
  /**
   * A worker is replaced after a job of more estimated bytes, since its memories do not shrink; default 512
   * MiB.
   */
  readonly maxJobBytes?: number;
}

interface PoolLog {
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

export interface PoolStatus {
  readonly size: number;
  /** Number of workers, busy or idle. */
  readonly workers: number;
  readonly busy: number;
  /** Number of busy workers whose job waits for bytes without its permit. */
  readonly waiting: number;
  readonly queued: number;
}

export interface Pool {
  /**
   * Returns the result of a job's task. Throws what the codecs throw, and ServiceError `timeout` (code
   * render_timeout, waiting not counted), `cancelled` (by the signal, or because the pool was closed),
   * `decode` (code worker_died).
   */
  run(job: Job, limits: JobLimits): Promise<Encoded>;
  /** Does the same for a job that no client has asked for: its result is neither counted nor logged. */
  runUncounted(job: Job, limits: JobLimits): Promise<Encoded>;
  status(): PoolStatus;
  /**
   * Returns the memory of all workers in bytes, as far as they have reported it; absent if jobs run in place.
   */
  memory?(): Promise<number>;
  /** Changes the number of workers; surplus ones end when they are idle. */
  resize(size: number): void;
  /** Ends all workers; cancels running and waiting jobs. */
  close(): void;
}

const countOf: Partial<Record<ServiceError["kind"], (typeof poolCounts)[number]>> = {
  cancelled: "cancelled",
  timeout: "timeouts",
  busy: "refused",
};

/** Creates a pool whose first worker starts and warms up immediately; others start when jobs wait. */
export function createPool(options: PoolOptions): Pool {
  const { platform, counts = createCounts(...poolCounts) } = options;
  const clamp = (wanted: number) => (platform.startWorker ? Math.max(1, Math.floor(wanted)) : 1);
  const queue: Waiter<Runner>[] = [];
  let closed = false;
  let lastNumber = 0;

  /**
   * Codecs of a runner in place. Module instances keep state of a job between its reads, so such runners must
   * not share codecs.
   */
  const ownCodecs = (first: boolean) =>
    (first && options.codecs) ||
    createCodecs({
      wasm: (name) => platform.wasm(name),
      deflate: (data, level) => platform.deflate(data, level),
      zlib: platform.zlib,
      ...(options.ignoredProfile && { noteIgnoredProfile: options.ignoredProfile }),
    });

  const runners = createRunners({
    size: clamp(options.size),
    linger: platform.startWorker !== undefined,
    start({ warm, first }) {
      if (!platform.startWorker) return inPlaceRunner(ownCodecs(first));
      const runner = new WorkerRunner(platform.startWorker(), {
        module: (name) => platform.wasm(name),
        number: ++lastNumber,
        warm,
        cancelGraceMs: options.cancelGraceMs ?? 1000,
        maxJobBytes: options.maxJobBytes ?? 1 << 29,
        cacheBytes: options.cacheBytes,
        ignoredProfile: options.ignoredProfile,
      });
      counts.started.add();
      return runner;
    },
  });

  const next = () => {
    while (queue.length > 0) {
      let runner: Runner | undefined;
      try {
        runner = runners.take();
      } catch (error) {
        options.log?.warn("no render worker could be started", { cause: String(error) });
        if (runners.status().workers > 0) return; // a running worker will take the job
        queue.shift()?.refuse(error);
        continue;
      }
      if (!runner) return;
      queue.shift()?.admit(runner);
    }
  };

  const release = (runner: Runner, usable: boolean) => {
    if (closed) return;
    if (!usable) counts.replaced.add();
    runners.release(runner, usable);
    next();
  };

  const count = (error: unknown) => {
    const kind = error instanceof ServiceError ? error.kind : "decode";
    counts[countOf[kind] ?? "errors"].add();
    if (!(error instanceof ServiceError) || error.code !== "worker_died") return;
    counts.deaths.add();
    options.log?.warn("a render worker ended and is being replaced", { cause: String(error.cause) });
  };

  /**
   * Waits for a runner that is free for this job. The job's own caller then starts the job: on workerd no
   * other request may use its files.
   */
  const turn = (signal: AbortSignal | undefined): Promise<Runner> =>
    waitForTurn(
      {
        join(waiter) {
          queue.push(waiter);
          next();
        },
        leave(waiter) {
          const at = queue.indexOf(waiter);
          if (at >= 0) queue.splice(at, 1);
        },
      },
      signal,
    );

  if (platform.startWorker) runners.warmUp();

  /** Returns limits under which a job that releases its permit lets a waiting job start. */
  const withNext = ({ permit, ...limits }: JobLimits): JobLimits =>
    permit
      ? {
          ...limits,
          permit: {
            leave() {
              permit.leave();
              next();
            },
            back: permit.back,
          },
        }
      : limits;

  const runUncounted: Pool["runUncounted"] = async (job, limits) => {
    if (closed || limits.signal?.aborted) throw cancelledError(limits.signal);
    const runner =
      (queue.length === 0 && runners.hasRoom() ? runners.takeIdle() : undefined) ??
      (await turn(limits.signal));
    return runner.run(job, withNext(limits), (usable) => release(runner, usable));
  };

  return {
    async run(job, limits) {
      try {
        const made = await runUncounted(job, limits);
        counts.done.add();
        return made;
      } catch (error) {
        count(error);
        throw error;
      }
    },
    runUncounted,
    status: () => ({ ...runners.status(), queued: queue.length }),
    ...(platform.startWorker && { memory: runners.memory }),
    resize(wanted) {
      runners.resize(clamp(wanted));
      next();
    },
    close() {
      closed = true;
      for (const waiter of queue.splice(0)) waiter.refuse(cancelledError());
      runners.close();
    },
  };
}
