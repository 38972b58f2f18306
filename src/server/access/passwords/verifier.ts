// Verifies passwords in workers, so that tiles do not wait: few at a time, with a bounded queue in which
// networks take turns.

import {
  createAskedWorkers,
  createFairSemaphore,
  type Platform,
  ServiceError,
  type Turn,
} from "../../../base/index.ts";
import { verifyInTurns } from "./hash.ts";
import type { PasswordQuestion, PasswordReply } from "./messages.ts";

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
  readonly maxWaiting?: number;
  /** Number of checks of one network that may wait. */
  readonly maxOfNetwork?: number;
  /** Number of ranks that turns may have. */
  readonly ranks?: number;
  /** Milliseconds for a worker to start and respond. */
  readonly replyMs?: number;
}

/** Processors per concurrent check. */
const processorsEach = 4;

/** Creates a verifier. The first password starts the first worker. */
export function createVerifier(options: VerifierOptions): Verifier {
  const { platform, maxWaiting = 64, maxOfNetwork = 32, ranks = 1, replyMs = 30_000 } = options;
  const gate = createFairSemaphore({
    permits: Math.max(1, Math.floor(platform.parallelism / processorsEach)),
    ranks,
    waiting: maxWaiting,
    waitingEach: maxOfNetwork,
  });
  const { startWorker } = platform;
  const workers =
    startWorker &&
    createAskedWorkers<PasswordQuestion, PasswordReply>({
      start: () => startWorker("password-thread"),
      work: "checks passwords",
      replyMs,
    });

  return {
    verify(password, hash, signal, turn = { client: "", rank: 0 }) {
      const check = async () => {
        try {
          if (!workers) return await verifyInTurns(password, hash);
          const { fits } = await workers.ask({ password, hash });
          if (fits === undefined) throw new Error("the worker could not check the password");
          return fits;
        } catch (cause) {
          throw new ServiceError("busy", "The password could not be checked. Try again shortly.", {
            code: "password_unchecked",
            cause,
          });
        }
      };
      return gate.run(turn, check, signal);
    },
    close: () => workers?.close(),
  };
}
