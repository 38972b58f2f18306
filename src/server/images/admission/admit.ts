// Admission by cost: decides which jobs run simultaneously, and bounds the memory that they need together.

import {
  type Counts,
  cancelledError,
  createTurns,
  networkOf,
  type Recorder,
  ServiceError,
  waitForTurn,
} from "../../../base/index.ts";
import type { Permit } from "../../workers/place.ts";
import { createEstimates, type EstimatedWork } from "./cost.ts";
import { type Lane, laneOf, memoryOf, mostPlaces, sharesBeside } from "./lanes.ts";

export interface AdmissionLimits {
  /** Number of permits: jobs that work simultaneously. */
  readonly places: number;
  /** Limit for the sum of the estimated bytes of all admitted jobs. */
  readonly memory: number;
  /**
   * Maximum number of waiting jobs in a lane, counted separately for each remote source and for all other
   * sources together. One more refuses the last job of the client that has most of them.
   */
  readonly waiting: number;
  /**
   * Milliseconds that a job may wait. One that has waited longer is refused, and so is, immediately, one that
   * has more work ahead than that. Infinity: no limit.
   */
  readonly waitMs: number;
}

/** A job's request for a permit and memory. */
export interface Demand {
  readonly work: EstimatedWork;
  /** Estimated peak bytes. */
  readonly memory: number;
  /** Address of the first client that asked; networks of clients take turns. */
  readonly client?: string | undefined;
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
  run<T>(demand: Demand, signal: AbortSignal | undefined, work: (place?: Permit) => Promise<T>): Promise<T>;
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
const longestTimerMs = 2 ** 31 - 1;

/**
 * A job goes before others of its client that came earlier by less than this multiple of the difference of
 * their estimated durations: short jobs first, but none waits for ever.
 */
const patience = 10;

/** Maximum number of cheap jobs admitted in a row while a heavy one could have had the permit. */
const mostInFront = 16;

interface Ticket extends Demand {
  readonly lane: Lane;
  readonly party: string;
  /** Estimated milliseconds of work. */
  readonly expectedMs: number;
  /** Time at which it was queued, by `performance.now()`. */
  readonly asked: number;
  enter(): void;
  refuse(error: unknown): void;
  /** Time at which it received its permit; undefined if it has none. */
  since: number | undefined;
  workedMs: number;
}

const rankOf = ({ asked, expectedMs }: Ticket) => asked + patience * expectedMs;

const count = (tickets: Iterable<Ticket>, which: (ticket: Ticket) => boolean): number => {
  let total = 0;
  for (const ticket of tickets) if (which(ticket)) total++;
  return total;
};

/** Creates an admission without jobs. */
export function createAdmission(initial: AdmissionLimits, { counts, wait }: AdmissionFigures): Admission {
  let limits = initial;
  const queues = { cheap: createTurns(rankOf), heavy: createTurns(rankOf) } as const;
  /** Admitted jobs that have not ended. */
  const admitted = new Set<Ticket>();
  /** Admitted jobs that want their permit back, with the functions that resume them. */
  const returning = new Map<Ticket, () => void>();
  const estimates = createEstimates();
  /** Number of cheap jobs admitted in a row while a heavy one could have been. */
  let inFront = 0;

  const working = (lane?: Lane) =>
    count(admitted, (ticket) => ticket.since !== undefined && (!lane || ticket.lane === lane));
  const hasPlace = (lane: Lane) =>
    working() < limits.places && working(lane) < mostPlaces[lane](limits.places);

  const fits = (bytes: number, beside: Iterable<Ticket> = admitted) =>
    memoryOf(beside) + bytes <= limits.memory;

  /**
   * True if a heavy job has been overtaken often enough, and would get its memory once all jobs that hold a
   * permit have ended.
   */
  const isOverdue = ({ memory }: Ticket) =>
    inFront >= mostInFront &&
    fits(
      memory,
      [...admitted].filter(({ since }) => since === undefined),
    );

  const choose = (): Ticket | undefined => {
    if (queues.cheap.size + queues.heavy.size === 0) return undefined;
    const hasShare = sharesBeside(admitted, limits);
    const [cheap, heavy] = (["cheap", "heavy"] as const).map((lane) =>
      hasPlace(lane) ? queues[lane].next(hasShare) : undefined,
    );
    const order = heavy && isOverdue(heavy) ? [heavy] : [cheap, heavy];
    const chosen = order.find((ticket) => ticket && fits(ticket.memory));
    if (chosen) inFront = chosen.lane === "cheap" && heavy ? inFront + 1 : 0;
    return chosen;
  };

  const next = () => {
    for (const [ticket, resume] of returning) {
      if (!hasPlace(ticket.lane)) continue;
      returning.delete(ticket);
      ticket.since = performance.now();
      resume();
    }
    for (let ticket = choose(); ticket; ticket = choose()) {
      queues[ticket.lane].serve(ticket.party, ticket);
      admitted.add(ticket);
      ticket.since = performance.now();
      counts[ticket.lane].add();
      wait.record((ticket.since - ticket.asked) / 1000);
      ticket.enter();
    }
  };

  const leave = (ticket: Ticket) => {
    if (ticket.since === undefined) return;
    ticket.workedMs += performance.now() - ticket.since;
    ticket.since = undefined;
  };
  const placeOf = (ticket: Ticket): Permit => ({
    leave() {
      if (!admitted.has(ticket) || ticket.since === undefined) return;
      leave(ticket);
      counts.left.add();
      next();
    },
    back: () =>
      new Promise((resolve) => {
        if (!admitted.has(ticket) || ticket.since !== undefined) return resolve();
        returning.set(ticket, resolve);
        next();
      }),
  });

  /** Refuses a job that waits. */
  const turnAway = (ticket: Ticket, why: "queueFull" | "waitedTooLong") => {
    queues[ticket.lane].remove(ticket.party, ticket);
    counts[why].add();
    ticket.refuse(tooMany());
    next();
  };

  /**
   * Refuses one job of a lane and remote source, or of all other sources, if more wait than may, and returns
   * it.
   */
  const thin = (lane: Lane, remote: string | undefined): Ticket | undefined => {
    const alike = [...queues[lane].parties()].map((own) => own.filter((ticket) => ticket.remote === remote));
    const longest = alike.reduce((most, own) => (own.length >= most.length ? own : most), []);
    const last = longest.at(-1);
    if (!last || alike.flat().length <= limits.waiting) return undefined;
    turnAway(last, "queueFull");
    return last;
  };

  /** True if the work ahead of a waiting job takes longer than it may wait. */
  const isHopeless = (ticket: Ticket) => {
    const ahead = queues[ticket.lane].ahead(ticket.party, ticket);
    const ms = ahead.reduce((sum, { expectedMs }) => sum + expectedMs, 0);
    return ms > limits.waitMs * mostPlaces[ticket.lane](limits.places);
  };

  const enqueue = (demand: Demand, signal: AbortSignal | undefined): Promise<Ticket> => {
    const expectedMs = estimates.of(demand.work);
    const lane = laneOf(expectedMs);
    const queue = queues[lane];
    const party = networkOf(demand.client);
    let ticket: Ticket;
    let late: ReturnType<typeof setTimeout> | undefined;
    const waits = waitForTurn<Ticket>(
      {
        join(waiter) {
          // Copied field by field, since a spread costs more than the rest of admission.
          ticket = {
            work: demand.work,
            memory: demand.memory,
            client: demand.client,
            remote: demand.remote,
            lane,
            party,
            expectedMs,
            asked: performance.now(),
            since: undefined,
            workedMs: 0,
            enter: () => waiter.admit(ticket),
            refuse: waiter.refuse,
          };
          queue.add(party, ticket);
          next();
          if (admitted.has(ticket)) return;
          if (isHopeless(ticket)) return turnAway(ticket, "waitedTooLong");
          if (thin(lane, demand.remote) === ticket || admitted.has(ticket)) return;
          counts.waited.add();
          if (limits.waitMs < Number.POSITIVE_INFINITY)
            late = setTimeout(
              () => turnAway(ticket, "waitedTooLong"),
              Math.min(limits.waitMs, longestTimerMs),
            );
        },
        leave() {
          queue.remove(party, ticket);
          counts.cancelled.add();
          next();
        },
      },
      signal,
    );
    return late === undefined ? waits : waits.finally(() => clearTimeout(late));
  };

  const allows = (bytes: number) => bytes <= limits.memory;
  const check = (bytes: number) => {
    if (!allows(bytes)) {
      counts.tooLarge.add();
      throw new ServiceError(
        "too-large",
        `This request would need about ${mebibytes(bytes)} of memory, more than the ${mebibytes(limits.memory)} that the service may use for images. Ask for a smaller region or size; the operator can raise image.memory_budget.`,
        { code: "memory_budget" },
      );
    }
  };

  return {
    check,
    allows,
    async run(demand, signal, work) {
      check(demand.memory);
      if (signal?.aborted) throw cancelledError(signal);
      const ticket = await enqueue(demand, signal);
      try {
        if ((ticket.since ?? ticket.asked) - ticket.asked > limits.waitMs) {
          counts.waitedTooLong.add();
          throw tooMany();
        }
        const result = await work(demand.remote === undefined ? undefined : placeOf(ticket));
        leave(ticket);
        estimates.learn(demand.work, ticket.workedMs);
        if (ticket.lane === "cheap" && laneOf(ticket.workedMs) !== "cheap") counts.overran.add();
        return result;
      } finally {
        leave(ticket);
        admitted.delete(ticket);
        returning.delete(ticket);
        next();
      }
    },
    limit(changed) {
      limits = { ...limits, ...changed };
      next();
    },
    status() {
      const running = working();
      return {
        running,
        away: admitted.size - running,
        waiting: queues.cheap.size + queues.heavy.size,
        memory: memoryOf(admitted),
      };
    },
  };
}

const tooMany = () =>
  new ServiceError("busy", "Too many images are waiting to be rendered. Try again in a moment.", {
    code: "queue_full",
  });

const mebibytes = (bytes: number) => `${Math.ceil(bytes / 1048576)} MiB`;
