// Verifies passwords in workers, so that tiles do not wait: few at a time, with a bounded queue in which
// networks take turns.

import { ServiceError } from "../../errors.ts";
import { createDeadline } from "../../lib/concurrency/deadline.ts";
import { createFairSemaphore, type Turn } from "../../lib/concurrency/fair-semaphore.ts";
import type { Platform, WorkerPort } from "../../platform/platform.ts";
import { verifyInTurns } from "./hash.ts";
import type { PasswordAnswer, PasswordQuestion } from "./messages.ts";

export interface Verifier {
  /**
   * True if a password matches a hash. Throws ServiceError `busy` if too many already wait or the check
   * failed, and `cancelled` if `signal` aborts before its turn.
   */
  verify(password: string, hash: string, signal?: AbortSignal, turn?: Turn): Promise<boolean>;
  /** Ends the workers. */
  close(): void;
}

export interface VerifierOptions {
  readonly platform: Pick<Platform, "startWorker" | "parallelism">;
  /** Number of checks that may wait. */
  readonly mostWaiting?: number;
  /** Number of checks of one network that may wait. */
  readonly mostOfNetwork?: number;
  /** Number of ranks that turns may have. */
  readonly ranks?: number;
  /** Milliseconds for a worker to start and respond. */
  readonly answerMs?: number;
}

/** Milliseconds after its last response when a worker ends. */
const idleMs = 60_000;
/** Processors per concurrent check. */
const processorsEach = 4;

interface Seat {
  /** Rejects if the worker ends or is late. */
  ask(question: PasswordQuestion): Promise<PasswordAnswer>;
  end(): void;
}

/** Creates a verifier. The first password starts the first worker. */
export function createVerifier(options: VerifierOptions): Verifier {
  const { platform, mostWaiting = 64, mostOfNetwork = 32, ranks = 1, answerMs = 30_000 } = options;
  const gate = createFairSemaphore({
    permits: Math.max(1, Math.floor(platform.parallelism / processorsEach)),
    ranks,
    waiting: mostWaiting,
    waitingEach: mostOfNetwork,
  });
  const all = new Set<Seat>();
  const idle: Seat[] = [];

  const take = (startWorker: () => WorkerPort): Seat => {
    const known = idle.pop();
    if (known) return known;
    const seat: Seat = createSeat(startWorker(), answerMs, () => {
      all.delete(seat);
      const at = idle.indexOf(seat);
      if (at >= 0) idle.splice(at, 1);
    });
    all.add(seat);
    return seat;
  };

  const askWorker = async (start: () => WorkerPort, question: PasswordQuestion): Promise<boolean> => {
    const seat = take(start);
    const { fits } = await seat.ask(question);
    if (all.has(seat)) idle.push(seat);
    if (fits === undefined) throw new Error("the worker could not check the password");
    return fits;
  };

  return {
    verify(password, hash, signal, turn = { party: "", rank: 0 }) {
      const check = async () => {
        const { startWorker } = platform;
        try {
          if (!startWorker) return await verifyInTurns(password, hash);
          return await askWorker(() => startWorker("password-thread"), { password, hash });
        } catch (cause) {
          throw new ServiceError("busy", "The password could not be checked. Try again shortly.", {
            code: "password_unchecked",
            cause,
          });
        }
      };
      return gate.run(turn, check, signal);
    },
    close() {
      for (const seat of [...all]) seat.end();
    },
  };
}

/** Creates a worker that verifies one password at a time. `left`: called once, when it has ended. */
function createSeat(port: WorkerPort, answerMs: number, left: () => void): Seat {
  let asked: { done(answer: PasswordAnswer): void; fail(error: Error): void } | undefined;
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
  const deadline = createDeadline(() =>
    end(asked ? "the worker that checks passwords did not answer" : "idle"),
  );
  port.onMessage((answer) => {
    deadline.expect(idleMs);
    asked?.done(answer as PasswordAnswer);
    asked = undefined;
  });
  port.onDeath((reason) => end(`the worker that checks passwords ended: ${reason}`));
  return {
    ask: (question) =>
      new Promise((done, fail) => {
        asked = { done, fail };
        deadline.expect(answerMs);
        port.post(question);
      }),
    end: () => end("the service stops"),
  };
}
