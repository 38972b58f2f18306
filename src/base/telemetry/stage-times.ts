// Time that a request spends in each of its stages, from opening the master to sending the derivative.

import type { JobTimes } from "./job-clock.ts";

/**
 * The stages of a request for an image, in order. `open`: deciding access, asking hooks, opening the master;
 * `describe`: its header, the overlay, the key; `lookup`: reading the render slot; `wait`: waiting for a
 * derivative made for another request; `sidecar`: finding the sidecar before the job; `queue`: waiting for a
 * permit and a worker. In the job: `read`: reading the master; `index`: loading parts of the sidecar;
 * `decode`, which includes lossless crops; `steps`; `encode`. `store`: writing the derivative to the slot,
 * after the response.
 */
export const stageNames = [
  "open",
  "describe",
  "lookup",
  "wait",
  "sidecar",
  "queue",
  "read",
  "index",
  "decode",
  "steps",
  "encode",
  "store",
] as const;

export type StageName = (typeof stageNames)[number];

/** Index of each stage. */
export const indexOfStage = Object.fromEntries(stageNames.map((name, i) => [name, i])) as Record<
  StageName,
  number
>;

/**
 * Result of the render slot: the derivative (`hit`), nothing (`miss`), or one being made for another request
 * (`shared`).
 */
export type CacheOutcome = "hit" | "miss" | "shared";

/** A render that a request led to. */
export interface RenderFacts {
  /** Format of the master, which names its codec. */
  readonly codec: string;
  /** Format of the derivative. */
  readonly format: string;
  /** Identifier of the master, as requested, with its page. */
  readonly identifier: string;
  /** `region/size/rotation/quality.format` in the canonical spelling. */
  readonly request: string;
}

/** Milliseconds of stages by their names. */
export type StageMs = Readonly<Partial<Record<StageName, number | undefined>>>;

/**
 * The stages of one request so far. Grows until the response; a little longer by `store`, and by a job whose
 * client has left.
 */
export interface StageTimes {
  /**
   * Milliseconds of each stage so far, in the order of {@link stageNames}; undefined for those that did not
   * occur. Except for those that end later, all are within the request. A list, since reading twelve members
   * by name costs as much as everything else done with them.
   */
  readonly ms: readonly (number | undefined)[];
  /** Undefined if the request made no lookup. */
  readonly cache: CacheOutcome | undefined;
  /** The render that this request began and waited for; undefined if there was none. */
  readonly render: RenderFacts | undefined;
  /** Number of the worker that ran it, from 1; 0: the main thread. */
  readonly worker: number | undefined;
  /** When the job began to run, by `performance.now()`. */
  readonly jobBegan: number | undefined;
  /** Reads of the master by the job, and their bytes. */
  readonly reads: number;
  readonly readBytes: number;
}

/**
 * The stages of one request in the order in which they end. The times of a stage that occurs twice are added.
 */
export class StageClock implements StageTimes {
  readonly ms: (number | undefined)[] = [
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
  ];
  cache: CacheOutcome | undefined = undefined;
  render: RenderFacts | undefined = undefined;
  worker: number | undefined = undefined;
  jobBegan: number | undefined = undefined;
  reads = 0;
  readBytes = 0;
  #stored: (() => void) | undefined = undefined;
  #since: number;

  /** `began`: when the request came, by `performance.now()`. */
  constructor(began: number) {
    this.#since = began;
  }

  /** Ends a stage: its time is the time since the end of the previous one. */
  end(stage: StageName): void {
    const now = performance.now();
    this.#add(indexOfStage[stage], now - this.#since);
    this.#since = now;
  }

  /**
   * The slot has returned. The time until then belongs to the lookup, or to the wait for another request's
   * render.
   */
  noteCache(cache: CacheOutcome): void {
    this.cache = cache;
    if (cache === "miss") this.#since = performance.now();
    else this.end(cache === "hit" ? "lookup" : "wait");
  }

  /** The queue has ended: a job begins. */
  began(worker: number): void {
    this.end("queue");
    this.worker = worker;
    this.jobBegan = this.#since;
  }

  /** A render has ended well. */
  setRender(render: RenderFacts): void {
    this.render = render;
  }

  /** Its job has ended. */
  did(times: JobTimes): void {
    this.#add(indexOfStage.read, times.read);
    this.#add(indexOfStage.index, times.index);
    this.#add(indexOfStage.decode, times.decode);
    this.#add(indexOfStage.steps, times.steps);
    this.#add(indexOfStage.encode, times.encode);
    this.reads += times.reads;
    this.readBytes += times.readBytes;
  }

  /** The derivative was written to its slot, in the given number of milliseconds. */
  wrote(ms: number): void {
    this.#add(indexOfStage.store, ms);
    this.#stored?.();
  }

  /** Returns the values so far by name. */
  toNamed(): StageMs {
    const named: Partial<Record<StageName, number>> = {};
    for (const [i, stage] of stageNames.entries()) {
      const ms = this.ms[i];
      if (ms !== undefined) named[stage] = ms;
    }
    return named;
  }

  /** Calls back when the derivative is stored, which is usually after the response. */
  whenStored(act: () => void): void {
    const before = this.#stored;
    this.#stored = before
      ? () => {
          before();
          act();
        }
      : act;
  }

  #add(stage: number, ms: number | undefined): void {
    if (ms !== undefined) this.ms[stage] = (this.ms[stage] ?? 0) + ms;
  }
}
