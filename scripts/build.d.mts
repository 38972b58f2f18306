// Types of build.mjs, for the tests that build.

/** Builds into `outdir` (dist/). `only`: a worker and its modules alone. */
export function build(options?: {
  readonly outdir?: string;
  readonly only?: "thread" | "hook-thread" | "password-thread" | "text-thread";
  readonly quiet?: boolean;
  /** Writes source maps next to the bundles. */
  readonly maps?: boolean;
}): Promise<void>;
