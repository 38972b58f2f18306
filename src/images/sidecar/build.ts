// One build of a sidecar: who waits for it, who hurries it, and how it ended.

import { cancelled, ServiceError } from "../../errors.ts";
import { onAbort } from "../../lib/concurrency/bounded-wait.ts";

/** How a build ended. */
export type BuildEnd =
  /** The state says what came of it. */
  | { readonly is: "over" }
  /** Whoever it was made for has left. */
  | { readonly is: "cancelled" }
  /** The source failed the render that was to begin it: it would fail all who wait. */
  | { readonly is: "render failed"; readonly error: unknown }
  /** The source failed the job: each may still go on by itself. */
  | { readonly is: "source failed"; readonly error: unknown }
  /** The job failed otherwise; another may try again. */
  | { readonly is: "failed"; readonly error: unknown };

export interface Build {
  /** Resolves when the slot has been asked. */
  readonly asked: Promise<unknown>;
  readonly ended: Promise<BuildEnd>;
  /** Resolves when somebody cannot go on without it. */
  readonly hurried: Promise<void>;
  hurry(): void;
  /** Somebody waits until it ends, or the signal aborts. */
  hold(signal: AbortSignal): void;
  /** Aborts when the last of those who hold it has left. */
  readonly deserted: AbortSignal;
  end(how: BuildEnd): void;
}

/** A build that waits for the slot's answer. */
export function createBuild(asked: Promise<unknown>): Build {
  const ended = deferred<BuildEnd>();
  const hurried = deferred<void>();
  const deserted = new AbortController();
  let holders = 0;
  return {
    asked,
    ended: ended.promise,
    hurried: hurried.promise,
    hurry: hurried.resolve,
    hold(signal) {
      holders++;
      onAbort(signal, () => {
        if (--holders === 0) deserted.abort(cancelled(signal));
      });
    },
    deserted: deserted.signal,
    end: ended.resolve,
  };
}

function deferred<T>() {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** How a job ended that threw. */
export function endOf(error: unknown): BuildEnd {
  if (!(error instanceof ServiceError)) return { is: "failed", error };
  if (error.kind === "cancelled") return { is: "cancelled" };
  return { is: error.kind === "source" ? "source failed" : "failed", error };
}
