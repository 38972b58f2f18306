// Types of build.mjs, for the tests that build.

/** Builds into `outdir` (dist/). `only`: a worker, the one of the pool or the one of hooks, and its modules alone. */
export function build(options?: {
  readonly outdir?: string;
  readonly only?: "thread" | "hook-thread";
  readonly quiet?: boolean;
}): Promise<void>;
