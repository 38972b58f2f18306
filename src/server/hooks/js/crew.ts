// Two workers that run the operator's file: calls wait in a bounded queue, and a late call loses its worker
// while the other continues.

import { createDeadline, type Deadline, type WorkerPort, waitForTurn } from "../../../base/index.ts";
import { HookError, type HookFunction } from "../hook.ts";
import type { FromHookWorker, PrintLevel, Program, ToHookWorker } from "./messages.ts";
import { hookError } from "./sandbox.ts";
import type { UnusedExport } from "./unused-exports.ts";

/** Runs calls of one program. */
export interface Crew {
  /** The functions that the file exports. */
  readonly functions: ReadonlySet<HookFunction>;
  /** Its other exports. */
  readonly unused: readonly UnusedExport[];
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

export interface CrewOptions {
  readonly module: WebAssembly.Module;
  readonly startWorker: () => WorkerPort;
  readonly print: (level: PrintLevel, text: string) => void;
  readonly log: { warn(message: string, fields?: Readonly<Record<string, unknown>>): void };
}

/** Number of workers. One is ready while another restarts. */
const seats = 2;
/** Maximum number of waiting calls. */
const mostWaiting = 256;
/** Milliseconds that a call may wait in addition to the time limit of one call. */
export const mostWaitMs = 2000;
/**
 * Milliseconds after the time limit within which a call stopped by QuickJS reports back on a busy machine.
 */
const graceMs = 500;
/** Milliseconds for a worker to start and load the file, in addition to the file's own time. */
const startMs = 20_000;
/** Milliseconds to process messages that arrived while this thread was busy. */
const hearMs = 10;
/** Milliseconds between two attempts to start a worker after a failure. */
const retryMs = 1000;

type Exports = Pick<Crew, "functions" | "unused">;

interface Call {
  readonly name: HookFunction;
  readonly input: string;
  /** Time when its wait began. */
  readonly since: number;
  done(answer: string | undefined): void;
  fail(error: unknown): void;
}

interface Seat {
  /** `loading`: sends `ready` before it can be called. */
  state: "loading" | "idle" | "busy" | "gone";
  run(call: Call): void;
  end(reason: string): void;
}

/** Starts the first worker and loads the program. Throws HookError if the program is rejected. */
export async function startCrew(program: Program, options: CrewOptions): Promise<Crew> {
  const { log } = options;
  const all = new Set<Seat>();
  const queue: Call[] = [];
  let exported: Exports = { functions: new Set(), unused: [] };
  let state: "open" | "retired" | "closed" = "open";
  let failedAt = Number.NEGATIVE_INFINITY;

  const waitMs = mostWaitMs + program.timeoutMs;
  const expire = () => {
    const now = performance.now();
    while (queue[0] && now - queue[0].since >= waitMs)
      queue
        .shift()
        ?.fail(
          new HookError(
            `it waited ${waitMs} ms in the queue; hooks take too long, or there are too many calls`,
          ),
        );
    watch();
  };
  const waiting = createDeadline(expire);
  /** The first in the queue is the first to time out. */
  const watch = () => {
    const [first] = queue;
    if (first) waiting.expect(Math.max(1, first.since + waitMs - performance.now()));
    else waiting.met();
  };

  const next = () => {
    if (state === "closed") return;
    for (const seat of all) {
      if (seat.state !== "idle") continue;
      const call = queue.shift();
      if (!call) break;
      seat.run(call);
    }
    watch();
    if (state === "retired" && queue.length === 0 && ![...all].some((seat) => seat.state === "busy")) close();
  };

  /** Starts missing workers; after a failed start, with a delay. */
  const fill = () => {
    while (state === "open" && all.size < seats && performance.now() - failedAt >= retryMs) {
      try {
        startSeat().catch((error: HookError) => {
          if (state === "open") log.warn("a hook worker did not become ready", { error: error.message });
        });
      } catch (error) {
        failedAt = performance.now();
        log.warn("no hook worker could be started", { error: String(error) });
      }
    }
  };

  /** Throws what the platform throws; rejects with HookError if the program cannot be loaded. */
  const startSeat = (): Promise<Exports> => {
    const port = options.startWorker();
    return new Promise((resolve, reject) => {
      const post = (message: ToHookWorker) => port.post(message);
      let running: { readonly id: number; readonly call: Call } | undefined;
      let lastId = 0;
      let wasReady = false;

      const leave = () => {
        seat.state = "gone";
        all.delete(seat);
        deadline.stop();
        port.kill();
      };
      const seat: Seat = {
        state: "loading",
        run(call) {
          const id = ++lastId;
          running = { id, call };
          seat.state = "busy";
          post({ kind: "call", call: id, name: call.name, input: call.input });
          deadline.expect(program.timeoutMs + graceMs);
        },
        end(reason) {
          if (seat.state === "gone") return;
          const { call } = running ?? {};
          leave();
          if (!wasReady) failedAt = performance.now();
          reject(new HookError(reason));
          call?.fail(new HookError(reason));
          fill();
          next();
        },
      };
      const deadline: Deadline = createDeadline(() => {
        const { state } = seat;
        const { id } = running ?? {};
        // Messages that arrived while this thread was busy are processed first: those were not late.
        setTimeout(() => {
          if (seat.state !== state || running?.id !== id) return;
          if (running)
            log.warn("a hook worker did not stop by itself and was terminated", {
              function: running.call.name,
            });
          seat.end(
            running
              ? `it ran longer than its time limit of ${program.timeoutMs} ms and had to be terminated`
              : "it did not start in time",
          );
        }, hearMs);
      });

      const ready = ({ functions, unused }: Extract<FromHookWorker, { kind: "ready" }>) => {
        wasReady = true;
        deadline.met();
        seat.state = "idle";
        resolve({ functions: new Set(functions), unused });
        next();
      };
      const onDone = (call: Call, message: Extract<FromHookWorker, { kind: "done" }>) => {
        running = undefined;
        seat.state = message.again ? "loading" : "idle";
        if (message.again) deadline.expect(startMs);
        else deadline.met();
        if (message.failure) call.fail(hookError(message.failure));
        else call.done(message.answer);
        next();
      };
      port.onMessage((data) => {
        const message = data as FromHookWorker;
        if (seat.state === "gone") return;
        if (message.kind === "printed") options.print(message.level, message.text);
        else if (message.kind === "ready") ready(message);
        else if (message.kind === "refused") {
          reject(hookError(message.failure));
          seat.end(message.failure.message);
        } else if (message.call === running?.id) onDone(running.call, message);
      });
      port.onDeath((reason) => {
        if (seat.state !== "gone") log.warn("a hook worker ended and is being replaced", { reason });
        seat.end("its worker ended");
      });
      all.add(seat);
      post({ kind: "load", module: options.module, program });
      deadline.expect(startMs);
    });
  };

  const close = () => {
    state = "closed";
    waiting.stop();
    for (const seat of all) seat.end("the service stops");
    for (const call of queue.splice(0)) call.fail(new HookError("the service stops"));
  };

  try {
    exported = await startSeat();
  } catch (error) {
    close();
    throw error;
  }
  fill();

  return {
    ...exported,
    call(name, input, signal) {
      if (signal?.aborted) return Promise.reject(signal.reason);
      if (state === "closed") return Promise.reject(new HookError("the service stops"));
      if (queue.length >= mostWaiting)
        return Promise.reject(
          new HookError(
            `${mostWaiting} calls are already waiting; hooks take too long, or there are too many calls`,
          ),
        );
      let call: Call;
      return waitForTurn<string | undefined>(
        {
          join({ admit, refuse }) {
            call = { name, input, since: performance.now(), done: admit, fail: refuse };
            queue.push(call);
            fill();
            next();
          },
          // A running call continues to its end, which is near.
          leave() {
            const at = queue.indexOf(call);
            if (at >= 0) queue.splice(at, 1);
          },
        },
        signal,
        () => signal?.reason,
      );
    },
    retire() {
      if (state === "open") state = "retired";
      next();
    },
    close,
  };
}
