// The worker's side: verifies one password after another.

import { verifyHere } from "./hash.ts";
import type { PasswordAnswer, PasswordQuestion } from "./messages.ts";

/** Connection of a worker to the main thread. */
export interface PasswordWorkerHost {
  post(message: PasswordAnswer): void;
  onMessage(listener: (message: PasswordQuestion) => void): void;
}

/** Responds to questions until the worker is terminated. */
export function servePasswords({ post, onMessage }: PasswordWorkerHost): void {
  onMessage(({ password, hash }) => {
    let answer: PasswordAnswer = {};
    try {
      answer = { fits: verifyHere(password, hash) };
    } catch {
      // The error is dropped because it could contain the password.
    }
    post(answer);
  });
}
