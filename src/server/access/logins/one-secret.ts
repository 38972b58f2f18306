// Failed attempts to send a secret of the operator, such as a password or a token for writing.

import { createLru, networkOf } from "../../../base/index.ts";
import { LoginFailures } from "./failures.ts";

export interface SecretAttempt {
  /** Its turn among others, as of an attempt to log in. */
  readonly rank: number;
  /** Takes the failure back; the network is known from now on. */
  noteSuccess(): void;
  /** Takes the failure back: nobody could find out whether the secret was correct. */
  takeBack(): void;
}

export interface OneSecret {
  /** Returns an attempt, or the milliseconds to wait before the next. `user`: name sent with the secret. */
  attempt(address: string | undefined, user?: string): SecretAttempt | { readonly waitMs: number };
}

/** Number of networks that are known: only those of people who have the secret. */
const maxKnown = 1000;

/** Creates the memory of one secret: the limits of logins, with known networks in memory. */
export function createOneSecret(): OneSecret {
  const failures = new LoginFailures();
  const known = createLru<string, true>(maxKnown);
  return {
    attempt(address, user = "") {
      const pair = `${networkOf(address, 64)} ${user}`;
      const attempt = failures.attempt(address, user, known.get(pair) === true);
      if ("waitMs" in attempt) return attempt;
      return {
        ...attempt,
        noteSuccess() {
          attempt.takeBack();
          known.set(pair, true, 1);
        },
      };
    },
  };
}
