// How long tests wait before they give up.

/**
 * Milliseconds after which something hangs: a busy machine may take its time. No test has a shorter limit;
 * test/limits.test.ts refuses them.
 */
export const hang = 600_000;

/** The limits of a Vitest configuration. A poll ends before its test, so that it reports what it found. */
export const limits = {
  testTimeout: hang + 60_000,
  hookTimeout: hang + 60_000,
  teardownTimeout: hang,
  expect: { poll: { timeout: hang } },
} as const;
