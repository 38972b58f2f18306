// The worker's side: verifies one password after another.

import { verifyHere } from "./hash.ts";
import type { PasswordQuestion, PasswordReply } from "./messages.ts";

/** Connection of a worker to the main thread. */
export interface PasswordWorkerHost {
  post(message: PasswordReply): void;
  onMessage(listener: (message: PasswordQuestion) => void): void;
}

/** Responds to questions until the worker is terminated. */
export function servePasswords({ post, onMessage }: PasswordWorkerHost): void {
  onMessage(({ password, hash }) => {
    let reply: PasswordReply = {};
    try {
      reply = { fits: verifyHere(password, hash) };
    } catch {
      // The error is dropped because it could contain the password.
    }
    post(reply);
  });
}
