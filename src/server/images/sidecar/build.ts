// One build of a layer: the requests that wait for it, and its result.

import { cancelledError, onAbort, ServiceError } from "../../../base/index.ts";

/** Result of a build. */
export type BuildEnd =
  /** The build is over; the state of the sidecar holds the result. */
  | { readonly is: "over" }
  /** The request that began the build was cancelled. */
  | { readonly is: "cancelled" }
  /** The source failed the render that was to begin the build: it would also fail all waiting requests. */
  | { readonly is: "render failed"; readonly error: unknown }
  /** The source failed the job; each read may still continue on its own. */
  | { readonly is: "source failed"; readonly error: unknown }
  /** The job failed for another reason; another one may succeed. */
  | { readonly is: "failed"; readonly error: unknown };

export interface Build {
  readonly ended: Promise<BuildEnd>;
  /** Registers a request that waits until the build ends, or the signal aborts. */
  hold(signal: AbortSignal): void;
  /** Aborts when the last waiting request has left. */
  readonly deserted: AbortSignal;
  end(how: BuildEnd): void;
}

/** Creates a build that nothing has ended yet. */
export function createBuild(): Build {
  const ended = createDeferred<BuildEnd>();
  const deserted = new AbortController();
  let holders = 0;
  return {
    ended: ended.promise,
    hold(signal) {
      holders++;
      onAbort(signal, () => {
        if (--holders === 0) deserted.abort(cancelledError(signal));
      });
    },
    deserted: deserted.signal,
    end: ended.resolve,
  };
}

function createDeferred<T>() {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** Returns the result of a build whose job threw an error. */
export function endOf(error: unknown): BuildEnd {
  if (!(error instanceof ServiceError)) return { is: "failed", error };
  if (error.kind === "cancelled") return { is: "cancelled" };
  return { is: error.kind === "source" ? "source failed" : "failed", error };
}
