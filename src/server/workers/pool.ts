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
import { type CodecPlatform, codecHost } from "./codec-host.ts";
import { inPlaceRunner } from "./in-place-runner.ts";
import type { Job, JobLimits, Runner } from "./runner.ts";
import { createRunners, type Runners } from "./runners.ts";
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
  readonly platform: CodecPlatform & Pick<Platform, "startWorker">;
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

/** A pool whose first worker starts and warms up immediately; others start when jobs wait. */
export class WorkerPool implements Pool {
  readonly #options: PoolOptions;
  readonly #counts: PoolCounts;
  readonly #queue: Waiter<Runner>[] = [];
  #closed = false;
  #lastNumber = 0;
  readonly #runners: Runners;
  readonly memory?: () => Promise<number>;

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#counts = options.counts ?? createCounts(...poolCounts);
    const { platform } = options;
    this.#runners = createRunners({
      size: this.#clamp(options.size),
      linger: platform.startWorker !== undefined,
      start: ({ warm, first }) => {
        if (!platform.startWorker) return inPlaceRunner(this.#ownCodecs(first));
        const runner = new WorkerRunner(platform.startWorker(), {
          module: (name) => platform.wasm(name),
          loadModule: (name) => platform.loadWasm(name),
          number: ++this.#lastNumber,
          warm,
          cancelGraceMs: options.cancelGraceMs ?? 1000,
          maxJobBytes: options.maxJobBytes ?? 1 << 29,
          cacheBytes: options.cacheBytes,
          ignoredProfile: options.ignoredProfile,
        });
        this.#counts.started.add();
        return runner;
      },
    });
    if (platform.startWorker) {
      this.memory = this.#runners.memory;
      this.#runners.warmUp();
    }
  }

  async run(job: Job, limits: JobLimits): Promise<Encoded> {
    try {
      const made = await this.runUncounted(job, limits);
      this.#counts.done.add();
      return made;
    } catch (error) {
      this.#count(error);
      throw error;
    }
  }

  async runUncounted(job: Job, limits: JobLimits): Promise<Encoded> {
    if (this.#closed || limits.signal?.aborted) throw cancelledError(limits.signal);
    const runner =
      (this.#queue.length === 0 && this.#runners.hasRoom() ? this.#runners.takeIdle() : undefined) ??
      (await this.#turn(limits.signal));
    return runner.run(job, this.#withNext(limits), (usable) => this.#release(runner, usable));
  }

  status(): PoolStatus {
    return { ...this.#runners.status(), queued: this.#queue.length };
  }

  resize(wanted: number): void {
    this.#runners.resize(this.#clamp(wanted));
    this.#next();
  }

  close(): void {
    this.#closed = true;
    for (const waiter of this.#queue.splice(0)) waiter.refuse(cancelledError());
    this.#runners.close();
  }

  #clamp(wanted: number): number {
    return this.#options.platform.startWorker ? Math.max(1, Math.floor(wanted)) : 1;
  }

  /**
   * Codecs of a runner in place. Module instances keep state of a job between its reads, so such runners must
   * not share codecs.
   */
  #ownCodecs(first: boolean): Codecs {
    const { platform, codecs, ignoredProfile } = this.#options;
    return (first && codecs) || createCodecs(codecHost(platform, ignoredProfile));
  }

  #next(): void {
    while (this.#queue.length > 0) {
      let runner: Runner | undefined;
      try {
        runner = this.#runners.take();
      } catch (error) {
        this.#options.log?.warn("no render worker could be started", { cause: String(error) });
        if (this.#runners.status().workers > 0) return; // a running worker will take the job
        this.#queue.shift()?.refuse(error);
        continue;
      }
      if (!runner) return;
      this.#queue.shift()?.admit(runner);
    }
  }

  #release(runner: Runner, usable: boolean): void {
    if (this.#closed) return;
    if (!usable) this.#counts.replaced.add();
    this.#runners.release(runner, usable);
    this.#next();
  }

  #count(error: unknown): void {
    const kind = error instanceof ServiceError ? error.kind : "decode";
    this.#counts[countOf[kind] ?? "errors"].add();
    if (!(error instanceof ServiceError) || error.code !== "worker_died") return;
    this.#counts.deaths.add();
    this.#options.log?.warn("a render worker ended and is being replaced", { cause: String(error.cause) });
  }

  /**
   * Waits for a runner that is free for this job. The job's own caller then starts the job: on workerd no
   * other request may use its files.
   */
  #turn(signal: AbortSignal | undefined): Promise<Runner> {
    return waitForTurn(
      {
        join: (waiter) => {
          this.#queue.push(waiter);
          this.#next();
        },
        leave: (waiter) => {
          const at = this.#queue.indexOf(waiter);
          if (at >= 0) this.#queue.splice(at, 1);
        },
      },
      signal,
    );
  }

  /** Returns limits under which a job that releases its permit lets a waiting job start. */
  #withNext({ permit, ...limits }: JobLimits): JobLimits {
    return permit
      ? {
          ...limits,
          permit: {
            leave: () => {
              permit.leave();
              this.#next();
            },
            back: permit.back,
          },
        }
      : limits;
  }
}
