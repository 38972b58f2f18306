// Workers that answer one question at a time, for work that would hold up requests. They start when they are
// needed, and end when nobody asked for a while.

import type { WorkerPort } from "../platform.ts";
import { createDeadline } from "./deadline.ts";

export interface AskedWorkers<Question, Answer> {
  /** Returns what a worker answers. Rejects with an Error if the worker ends or is late. */
  ask(question: Question): Promise<Answer>;
  /** Ends the workers. */
  close(): void;
}

export interface AskedWorkersOptions {
  readonly start: () => WorkerPort;
  /** What the workers do, for messages: `checks passwords`. */
  readonly work: string;
  /** Milliseconds for a worker to start and answer. */
  readonly answerMs: number;
}

/** Milliseconds after its last answer when a worker ends. */
const idleMs = 60_000;

interface Seat<Question, Answer> {
  ask(question: Question): Promise<Answer>;
  end(reason: string): void;
}

/** Creates workers: as many as there are simultaneous questions, which the caller bounds. */
export function createAskedWorkers<Question, Answer>(
  options: AskedWorkersOptions,
): AskedWorkers<Question, Answer> {
  const all = new Set<Seat<Question, Answer>>();
  const idle: Seat<Question, Answer>[] = [];

  const take = (): Seat<Question, Answer> => {
    const known = idle.pop();
    if (known) return known;
    const seat: Seat<Question, Answer> = createSeat(options.start(), options, () => {
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
      const answer = await seat.ask(question);
      if (all.has(seat)) idle.push(seat);
      return answer;
    },
    close() {
      for (const seat of [...all]) seat.end("the service stops");
    },
  };
}

/** Creates a worker that answers one question at a time. `left`: called once, when it has ended. */
function createSeat<Question, Answer>(
  port: WorkerPort,
  { work, answerMs }: AskedWorkersOptions,
  left: () => void,
): Seat<Question, Answer> {
  let asked: { done(answer: Answer): void; fail(error: Error): void } | undefined;
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
  port.onMessage((answer) => {
    deadline.expect(idleMs);
    asked?.done(answer as Answer);
    asked = undefined;
  });
  port.onDeath((reason) => end(`the worker that ${work} ended: ${reason}`));
  return {
    ask: (question) =>
      new Promise((done, fail) => {
        asked = { done, fail };
        deadline.expect(answerMs);
        port.post(question);
      }),
    end,
  };
}
