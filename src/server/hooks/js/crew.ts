// Two workers that run the operator's file: calls wait in a bounded queue, and a late call loses its worker
// while the other continues.

import { createDeadline, waitForTurn } from "../../../base/index.ts";
import { HookError, type HookFunction } from "../hook.ts";
import { type Call, type Exports, type Giver, HookWorker, type HookWorkerOptions } from "./hook-worker.ts";
import type { Program } from "./messages.ts";

/** Runs calls of one program. */
export interface Crew extends Exports {
  /**
   * Returns the result as JSON; undefined for no opinion. Throws HookError if the call fails, is late or may
   * not wait, and the reason of `signal` if it aborts.
   */
  call(name: HookFunction, input: string, signal?: AbortSignal): Promise<string | undefined>;
  /** Ends when its current calls are done. */
  retire(): void;
  /** Ends immediately; its calls fail. */
  close(): void;
}

/** Number of workers. One is ready while another restarts. */
const workerCount = 2;
/** Maximum number of waiting calls. */
const maxWaiting = 256;
/** Milliseconds that a call may wait in addition to the time limit of one call. */
const maxWaitMs = 2000;
/** Milliseconds between two attempts to start a worker after a failure. */
const retryMs = 1000;

/** Starts the first worker and loads the program. Throws HookError if the program is rejected. */
export async function startCrew(program: Program, options: HookWorkerOptions): Promise<Crew> {
  const crew = new WorkerCrew(program, options);
  await crew.start();
  return crew;
}

class WorkerCrew implements Crew, Giver {
  readonly #program: Program;
  readonly #options: HookWorkerOptions;
  readonly #waitMs: number;
  readonly #workers = new Set<HookWorker>();
  readonly #queue: Call[] = [];
  readonly #waiting = createDeadline(() => this.#expire());
  #exports: Exports = { functions: new Set(), unused: [] };
  #state: "open" | "retired" | "closed" = "open";
  #failedAt = Number.NEGATIVE_INFINITY;

  constructor(program: Program, options: HookWorkerOptions) {
    this.#program = program;
    this.#options = options;
    this.#waitMs = maxWaitMs + program.timeoutMs;
  }

  get functions() {
    return this.#exports.functions;
  }

  get unused() {
    return this.#exports.unused;
  }

  /** Throws HookError if the program is rejected. */
  async start(): Promise<void> {
    try {
      this.#exports = await this.#startWorker();
    } catch (error) {
      this.close();
      throw error;
    }
    this.#fill();
  }

  call(name: HookFunction, input: string, signal?: AbortSignal): Promise<string | undefined> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    if (this.#state === "closed") return Promise.reject(new HookError("the service stops"));
    if (this.#queue.length >= maxWaiting)
      return Promise.reject(
        new HookError(
          `${maxWaiting} calls are already waiting; hooks take too long, or there are too many calls`,
        ),
      );
    let call: Call;
    return waitForTurn<string | undefined>(
      {
        join: ({ admit, refuse }) => {
          call = { name, input, since: performance.now(), done: admit, fail: refuse };
          this.#queue.push(call);
          this.#fill();
          this.#next();
        },
        // A running call continues to its end, which is near.
        leave: () => {
          const index = this.#queue.indexOf(call);
          if (index >= 0) this.#queue.splice(index, 1);
        },
      },
      signal,
      () => signal?.reason,
    );
  }

  retire(): void {
    if (this.#state === "open") this.#state = "retired";
    this.#next();
  }

  close(): void {
    this.#state = "closed";
    this.#waiting.stop();
    for (const worker of this.#workers) worker.end("the service stops");
    for (const call of this.#queue.splice(0)) call.fail(new HookError("the service stops"));
  }

  onIdle(): void {
    this.#next();
  }

  onEnd(worker: HookWorker, wasReady: boolean): void {
    this.#workers.delete(worker);
    if (!wasReady) this.#failedAt = performance.now();
    this.#fill();
    this.#next();
  }

  /** Throws what the platform throws; rejects with HookError if the program cannot be loaded. */
  #startWorker(): Promise<Exports> {
    const worker = new HookWorker(this.#program, this.#options, this);
    this.#workers.add(worker);
    return worker.load();
  }

  /** Starts missing workers; after a failed start, with a delay. */
  #fill(): void {
    const { log } = this.#options;
    while (
      this.#state === "open" &&
      this.#workers.size < workerCount &&
      performance.now() - this.#failedAt >= retryMs
    ) {
      try {
        this.#startWorker().catch((error: HookError) => {
          if (this.#state === "open")
            log.warn("a hook worker did not become ready", { error: error.message });
        });
      } catch (error) {
        this.#failedAt = performance.now();
        log.warn("no hook worker could be started", { error: String(error) });
      }
    }
  }

  #next(): void {
    if (this.#state === "closed") return;
    for (const worker of this.#workers) {
      if (!worker.isIdle) continue;
      const call = this.#queue.shift();
      if (!call) break;
      worker.run(call);
    }
    this.#watch();
    if (
      this.#state === "retired" &&
      this.#queue.length === 0 &&
      ![...this.#workers].some(({ isBusy }) => isBusy)
    )
      this.close();
  }

  /** The first in the queue is the first to time out. */
  #watch(): void {
    const [first] = this.#queue;
    if (first) this.#waiting.expect(Math.max(1, first.since + this.#waitMs - performance.now()));
    else this.#waiting.met();
  }

  #expire(): void {
    const now = performance.now();
    while (this.#queue[0] && now - this.#queue[0].since >= this.#waitMs)
      this.#queue
        .shift()
        ?.fail(
          new HookError(
            `it waited ${this.#waitMs} ms in the queue; hooks take too long, or there are too many calls`,
          ),
        );
    this.#watch();
  }
}
