// Mistakes of the operator, on the command line or in a file that it names; and the end by a signal.

import { messageOf } from "../../base/index.ts";

/** A mistake of the operator: one line, and exit code 1. */
export class CommandError extends Error {
  readonly exitCode: number = 1;
}

/** An invalid command line: one line, and exit code 2. */
export class UsageError extends CommandError {
  override readonly exitCode = 2;
}

/** The end by SIGINT or SIGTERM: one line, and exit code 130. */
export class InterruptedError extends CommandError {
  override readonly exitCode = 130;
}

/** Converts an error to a mistake of the operator, with its own message. */
export const asCommandError = (error: unknown): CommandError =>
  error instanceof CommandError ? error : new CommandError(messageOf(error));

/** Converts errors to mistakes of the operator, in words for the operator. */
export const inWords = <T>(result: Promise<T>): Promise<T> =>
  result.catch((error: unknown) => {
    throw asCommandError(error);
  });
