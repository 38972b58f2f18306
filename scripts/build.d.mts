// Types of build.mjs, for the tests that build.

/** Builds into `outdir` (dist/). `only: "thread"`: the pool worker and its modules alone. */
export function build(options?: {
  readonly outdir?: string;
  readonly only?: "thread";
  readonly quiet?: boolean;
}): Promise<void>;
