// Admission by cost: decides which jobs run simultaneously, and bounds the memory that they need together.

import {
  type Counts,
  cancelledError,
  networkOf,
  type Recorder,
  ServiceError,
  waitForTurn,
} from "../../../base/index.ts";
import { groupShares, type TurnGroup } from "../../visitors/classes.ts";
import type { Permit } from "../../workers/permit.ts";
import { createEstimates, type EstimatedWork } from "./cost.ts";
import { createGroupTurns, type TurnOwner } from "./group-turns.ts";
import { type Lane, laneOf, memoryOf, permitsOf, sharesBeside } from "./lanes.ts";
import { createSharedVisitors, isBetter, type JobVisitor, type SharedVisitor } from "./shared-visitors.ts";

export interface AdmissionLimits {
  /** Number of permits: jobs that work simultaneously. */
  readonly permits: number;
  /** Limit for the sum of the estimated bytes of all admitted jobs. */
  readonly memory: number;
  /**
   * Maximum number of waiting jobs in a lane, counted separately for each remote source and for all other
   * sources together. One more refuses the last job of the client that has most of them, among those of the
   * group whose turns come last.
   */
  readonly waiting: number;
  /**
   * Milliseconds that a job may wait. One that has waited longer is refused, and so is, immediately, one that
   * has more work ahead than that. Infinity: no limit.
   */
  readonly waitMs: number;
}

/** What a job needs, and for whom. */
export interface JobNeeds {
  readonly work: EstimatedWork;
  /** Estimated peak bytes. */
  readonly memory: number;
  /** Address of the first client that asked; networks of clients take turns. */
  readonly client?: string | undefined;
  /** The visitor that the job is for; undefined if all are treated alike. */
  readonly visitor?: JobVisitor | undefined;
  /** Name of the source if its bytes are on another machine, so that the job may have to wait for them. */
  readonly remote?: string | undefined;
}

export interface Admission {
  /**
   * Runs `work` when there is a permit and memory for it. A job on a remote master may release its permit
   * while it waits, but not its memory. Throws `too-large` (code memory_budget) if the job could never fit,
   * `busy` (code queue_full) if too many jobs wait, or this one has waited or would wait too long,
   * `cancelled` if the signal aborts while it waits.
   */
  run<T>(needs: JobNeeds, signal: AbortSignal | undefined, work: (permit?: Permit) => Promise<T>): Promise<T>;
  /**
   * Has a visitor wait for the work that a key names. Jobs for all who do, as one visitor, take the turns of
   * the best of them, also those that wait already.
   */
  share(key: string, visitor: JobVisitor): SharedVisitor;
  /** Throws `too-large` (code memory_budget) if a job of that size could never be admitted. */
  check(bytes: number): void;
  /** True if that much memory could ever be granted. */
  allows(bytes: number): boolean;
  /** Changes limits, for jobs that are not admitted yet. */
  limit(limits: Partial<AdmissionLimits>): void;
  /**
   * `running`: admitted jobs that hold a permit; `away`: those that have released it; `waiting`: jobs that
   * are not admitted yet; `memory`: estimated bytes of the admitted jobs.
   */
  status(): {
    readonly running: number;
    readonly away: number;
    readonly waiting: number;
    readonly memory: number;
  };
}

/**
 * Counters of admission. `cheap`, `heavy`: admitted jobs; `queueFull`, `waitedTooLong`, `tooLarge`: refused
 * ones, the second kind also if they would have waited too long; `waited`: jobs that were not admitted
 * immediately; `cancelled`: jobs that were cancelled while they waited; `left`: permits that jobs released to
 * wait; `overran`: cheap jobs that took longer than the limit of cheap ones.
 */
export const admissionCounts = [
  "cheap",
  "heavy",
  "queueFull",
  "waitedTooLong",
  "tooLarge",
  "waited",
  "cancelled",
  "left",
  "overran",
] as const;

/** Recorders that admission reports to. */
export interface AdmissionFigures {
  readonly counts: Counts<(typeof admissionCounts)[number]>;
  /** Seconds that each admitted job waited. */
  readonly wait: Recorder;
}

/** A timer of more milliseconds ends immediately. */
const maxTimerMs = 2 ** 31 - 1;

/**
 * A job goes before others of its client that came earlier by less than this multiple of the difference of
 * their estimated durations: short jobs first, but none waits for ever.
 */
const patience = 10;

/** Maximum number of cheap jobs admitted in a row while a heavy one could have had the permit. */
const maxInFront = 16;

/** A job that waits for a permit, or has been admitted. */
interface TrackedJob extends JobNeeds {
  readonly lane: Lane;
  owner: TurnOwner;
  /** Estimated milliseconds of work. */
  readonly expectedMs: number;
  /** Time at which it was queued, by `performance.now()`. */
  readonly queuedAt: number;
  admit(): void;
  refuse(error: unknown): void;
  /** Time at which it received its permit; undefined if it has none. */
  since: number | undefined;
  workedMs: number;
}

const rankOf = ({ queuedAt, expectedMs }: TrackedJob) => queuedAt + patience * expectedMs;

/** What a job takes of the share of its network; no job is free. */
const costOf = ({ expectedMs }: TrackedJob) => Math.max(1, expectedMs);

const holdsPermit = ({ since }: TrackedJob) => since !== undefined;

/** Creates an admission without jobs. */
export function createAdmission(limits: AdmissionLimits, figures: AdmissionFigures): Admission {
  return new CostAdmission(limits, figures);
}

class CostAdmission implements Admission {
  readonly #figures: AdmissionFigures;
  readonly #queues = {
    cheap: createGroupTurns(groupShares, rankOf, costOf),
    heavy: createGroupTurns(groupShares, rankOf, costOf),
  } as const;
  /** Admitted jobs that have not ended. */
  readonly #admitted = new Set<TrackedJob>();
  /** Admitted jobs that want their permit back, with the functions that resume them. */
  readonly #returning = new Map<TrackedJob, () => void>();
  readonly #estimates = createEstimates();
  readonly #shared = createSharedVisitors(() => this.#raise());
  #limits: AdmissionLimits;
  /** Number of cheap jobs admitted in a row while a heavy one could have been. */
  #inFront = 0;

  constructor(limits: AdmissionLimits, figures: AdmissionFigures) {
    this.#limits = limits;
    this.#figures = figures;
  }

  allows(bytes: number): boolean {
    return bytes <= this.#limits.memory;
  }

  check(bytes: number): void {
    if (this.allows(bytes)) return;
    this.#figures.counts.tooLarge.add();
    throw new ServiceError(
      "too-large",
      `This request would need about ${mebibytes(bytes)} of memory, more than the ${mebibytes(this.#limits.memory)} that the service may use for images. Ask for a smaller region or size; the operator can raise image.memory_budget.`,
      { code: "memory_budget" },
    );
  }

  async run<T>(
    needs: JobNeeds,
    signal: AbortSignal | undefined,
    work: (permit?: Permit) => Promise<T>,
  ): Promise<T> {
    this.check(needs.memory);
    if (signal?.aborted) throw cancelledError(signal);
    const { counts } = this.#figures;
    const job = await this.#enqueue(needs, signal);
    try {
      if ((job.since ?? job.queuedAt) - job.queuedAt > this.#limits.waitMs) {
        counts.waitedTooLong.add();
        throw tooMany();
      }
      const result = await work(needs.remote === undefined ? undefined : this.#permitOf(job));
      stopClock(job);
      this.#estimates.learn(needs.work, job.workedMs);
      if (job.lane === "cheap" && laneOf(job.workedMs) !== "cheap") counts.overran.add();
      return result;
    } finally {
      stopClock(job);
      // Also of a job that failed, or whose client has left.
      needs.visitor?.chargeWork(job.workedMs);
      this.#admitted.delete(job);
      this.#returning.delete(job);
      this.#next();
    }
  }

  share(key: string, visitor: JobVisitor): SharedVisitor {
    return this.#shared.join(key, visitor);
  }

  limit(changed: Partial<AdmissionLimits>): void {
    this.#limits = { ...this.#limits, ...changed };
    this.#next();
  }

  status() {
    const running = this.#running();
    return {
      running,
      away: this.#admitted.size - running,
      waiting: this.#queues.cheap.size + this.#queues.heavy.size,
      memory: memoryOf(this.#admitted),
    };
  }

  /** Returns the number of jobs that hold a permit, of one lane or of both. */
  #running(lane?: Lane): number {
    let total = 0;
    for (const job of this.#admitted) if (holdsPermit(job) && (!lane || job.lane === lane)) total++;
    return total;
  }

  #hasPermit(lane: Lane): boolean {
    const { permits } = this.#limits;
    return this.#running() < permits && this.#running(lane) < permitsOf[lane](permits);
  }

  #fits(bytes: number, others: Iterable<TrackedJob> = this.#admitted): boolean {
    return memoryOf(others) + bytes <= this.#limits.memory;
  }

  /**
   * True if a heavy job has been overtaken often enough, by one job of a group that comes after its own, and
   * would get its memory once all jobs that hold a permit have ended.
   */
  #isOverdue({ memory, owner }: TrackedJob, cheap: TrackedJob | undefined): boolean {
    const isAhead = cheap && isBetter(owner.group as TurnGroup, cheap.owner.group as TurnGroup);
    return (
      this.#inFront >= (isAhead ? 1 : maxInFront) &&
      this.#fits(
        memory,
        [...this.#admitted].filter((job) => !holdsPermit(job)),
      )
    );
  }

  /** Returns the job that is admitted next; undefined if none can be. */
  #choose(): TrackedJob | undefined {
    if (this.#queues.cheap.size + this.#queues.heavy.size === 0) return undefined;
    const hasShare = sharesBeside(this.#admitted, this.#limits);
    const [cheap, heavy] = (["cheap", "heavy"] as const).map((lane) =>
      this.#hasPermit(lane) ? this.#queues[lane].next(hasShare) : undefined,
    );
    const order = heavy && this.#isOverdue(heavy, cheap) ? [heavy] : [cheap, heavy];
    const chosen = order.find((job) => job && this.#fits(job.memory));
    if (chosen) this.#inFront = chosen.lane === "cheap" && heavy ? this.#inFront + 1 : 0;
    return chosen;
  }

  /** Has jobs that wait take the turns of their visitors, if these are better now. */
  #raise(): void {
    for (const queue of Object.values(this.#queues))
      for (const job of [...queue.clients()].flat()) {
        if (!job.visitor || !isBetter(job.visitor.group, job.owner.group as TurnGroup)) continue;
        queue.remove(job.owner, job);
        job.owner = ownerOf(job.visitor);
        queue.add(job.owner, job);
      }
  }

  /** Gives permits to the jobs that can have one. */
  #next(): void {
    for (const [job, resume] of this.#returning) {
      if (!this.#hasPermit(job.lane)) continue;
      this.#returning.delete(job);
      job.since = performance.now();
      resume();
    }
    for (let job = this.#choose(); job; job = this.#choose()) {
      this.#queues[job.lane].serve(job.owner, job);
      this.#admitted.add(job);
      job.since = performance.now();
      this.#figures.counts[job.lane].add();
      this.#figures.wait.record((job.since - job.queuedAt) / 1000);
      job.admit();
    }
  }

  #permitOf(job: TrackedJob): Permit {
    return {
      leave: () => {
        if (!this.#admitted.has(job) || !holdsPermit(job)) return;
        stopClock(job);
        this.#figures.counts.left.add();
        this.#next();
      },
      back: () =>
        new Promise((resolve) => {
          if (!this.#admitted.has(job) || holdsPermit(job)) return resolve();
          this.#returning.set(job, resolve);
          this.#next();
        }),
    };
  }

  /** Refuses a job that waits. */
  #turnAway(job: TrackedJob, why: "queueFull" | "waitedTooLong"): void {
    this.#queues[job.lane].remove(job.owner, job);
    this.#figures.counts[why].add();
    job.refuse(tooMany());
    this.#next();
  }

  /**
   * Refuses one job of a lane and remote source, or of all other sources, if more wait than may, and returns
   * it. The jobs of a swarm are of many clients, so that a reader has more than any of these: what matters
   * first is the group.
   */
  #thin(lane: Lane, remote: string | undefined): TrackedJob | undefined {
    const alike = [...this.#queues[lane].clients()].map((own) => own.filter((job) => job.remote === remote));
    if (alike.flat().length <= this.#limits.waiting) return undefined;
    const last = alike.reduce((one, other) => (isRefusedBefore(other, one) ? other : one), []).at(-1);
    if (!last) return undefined;
    this.#turnAway(last, "queueFull");
    return last;
  }

  /** True if the work ahead of a waiting job takes longer than it may wait. */
  #isHopeless(job: TrackedJob): boolean {
    const ms = this.#queues[job.lane].ahead(job.owner, job);
    return ms > this.#limits.waitMs * permitsOf[job.lane](this.#limits.permits);
  }

  /** Resolves when the job has a permit and its memory. Throws as `run` does. */
  #enqueue(needs: JobNeeds, signal: AbortSignal | undefined): Promise<TrackedJob> {
    const expectedMs = this.#estimates.of(needs.work);
    const lane = laneOf(expectedMs);
    const owner = needs.visitor
      ? ownerOf(needs.visitor)
      : { group: "welcome", network: networkOf(needs.client) };
    let job: TrackedJob;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const turn = waitForTurn<TrackedJob>(
      {
        join: (waiter) => {
          // Copied field by field, since a spread costs more than the rest of admission.
          job = {
            work: needs.work,
            memory: needs.memory,
            client: needs.client,
            remote: needs.remote,
            lane,
            visitor: needs.visitor,
            owner,
            expectedMs,
            queuedAt: performance.now(),
            since: undefined,
            workedMs: 0,
            admit: () => waiter.admit(job),
            refuse: waiter.refuse,
          };
          timer = this.#join(job);
        },
        leave: () => {
          // Its owner may have changed since it was queued.
          this.#queues[lane].remove(job.owner, job);
          this.#figures.counts.cancelled.add();
          this.#next();
        },
      },
      signal,
    );
    return timer === undefined ? turn : turn.finally(() => clearTimeout(timer));
  }

  /** Queues a job. If it has to wait, returns the timer that ends its wait, if there is a limit. */
  #join(job: TrackedJob): ReturnType<typeof setTimeout> | undefined {
    this.#queues[job.lane].add(job.owner, job);
    this.#next();
    if (this.#admitted.has(job)) return undefined;
    if (this.#isHopeless(job)) {
      this.#turnAway(job, "waitedTooLong");
      return undefined;
    }
    if (this.#thin(job.lane, job.remote) === job || this.#admitted.has(job)) return undefined;
    this.#figures.counts.waited.add();
    if (this.#limits.waitMs === Number.POSITIVE_INFINITY) return undefined;
    return setTimeout(() => this.#turnAway(job, "waitedTooLong"), Math.min(this.#limits.waitMs, maxTimerMs));
  }
}

/** True if a full lane refuses the last of some jobs of a client before the last of those of another. */
function isRefusedBefore(jobs: readonly TrackedJob[], others: readonly TrackedJob[]): boolean {
  const [group, other] = [jobs, others].map((of) => of[0]?.owner.group as TurnGroup | undefined);
  if (group === undefined || other === undefined || group === other) return jobs.length >= others.length;
  return isBetter(other, group);
}

const ownerOf = ({ group, network }: JobVisitor): TurnOwner => ({ group, network });

/** Adds the time since the job received its permit to its work, and ends that time. */
function stopClock(job: TrackedJob): void {
  if (job.since === undefined) return;
  job.workedMs += performance.now() - job.since;
  job.since = undefined;
}

const tooMany = () =>
  new ServiceError("busy", "Too many images are waiting to be rendered. Try again in a moment.", {
    code: "queue_full",
  });

const mebibytes = (bytes: number) => `${Math.ceil(bytes / 1048576)} MiB`;
