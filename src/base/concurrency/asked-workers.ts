// Workers that answer one question at a time, for work that would hold up requests. They start when they are
// needed, and end when nobody asked for a while.

import type { WorkerPort } from "../platform.ts";
import { createDeadline } from "./deadline.ts";

export interface AskedWorkers<Question, Reply> {
  /** Returns what a worker answers. Rejects with an Error if the worker ends or is late. */
  ask(question: Question): Promise<Reply>;
  /** Ends the workers. */
  close(): void;
}

export interface AskedWorkersOptions {
  readonly start: () => WorkerPort;
  /** What the workers do, for messages: `checks passwords`. */
  readonly work: string;
  /** Milliseconds for a worker to start and answer. */
  readonly replyMs: number;
}

/** Milliseconds after its last answer when a worker ends. */
const idleMs = 60_000;

interface Seat<Question, Reply> {
  ask(question: Question): Promise<Reply>;
  end(reason: string): void;
}

/** Creates workers: as many as there are simultaneous questions, which the caller bounds. */
export function createAskedWorkers<Question, Reply>(
  options: AskedWorkersOptions,
): AskedWorkers<Question, Reply> {
  const all = new Set<Seat<Question, Reply>>();
  const idle: Seat<Question, Reply>[] = [];

  const take = (): Seat<Question, Reply> => {
    const known = idle.pop();
    if (known) return known;
    const seat: Seat<Question, Reply> = createSeat(options.start(), options, () => {
      all.delete(seat);
      const at = idle.indexOf(seat);
      if (at >= 0) idle.splice(at, 1);
    });
    all.add(seat);
    return seat;
  };

  return {
    async ask(question) {
      const seat = take();
      const reply = await seat.ask(question);
      if (all.has(seat)) idle.push(seat);
      return reply;
    },
    close() {
      for (const seat of [...all]) seat.end("the service stops");
    },
  };
}

/** Creates a worker that answers one question at a time. `left`: called once, when it has ended. */
function createSeat<Question, Reply>(
  port: WorkerPort,
  { work, replyMs }: AskedWorkersOptions,
  left: () => void,
): Seat<Question, Reply> {
  let asked: { done(reply: Reply): void; fail(error: Error): void } | undefined;
  let gone = false;
  const end = (reason: string) => {
    if (gone) return;
    gone = true;
    deadline.stop();
    port.kill();
    left();
    asked?.fail(new Error(reason));
    asked = undefined;
  };
  // Bounds the current question, or else the wait for the next one.
  const deadline = createDeadline(() => end(asked ? `the worker that ${work} did not answer` : "idle"));
  port.onMessage((reply) => {
    deadline.expect(idleMs);
    asked?.done(reply as Reply);
    asked = undefined;
  });
  port.onDeath((reason) => end(`the worker that ${work} ended: ${reason}`));
  return {
    ask: (question) =>
      new Promise((done, fail) => {
        asked = { done, fail };
        deadline.expect(replyMs);
        port.post(question);
      }),
    end,
  };
}
