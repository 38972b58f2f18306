// Caches a result for a while, for calls that cost others something.

export interface Remembering {
  /**
   * True if simultaneous callers wait for the same result. Not on workerd, where no request may wait for I/O
   * of another: there only values are shared.
   */
  readonly shares: boolean;
  readonly now?: () => number;
}

/**
 * Returns a function that calls `ask` unless it has a result of at most `ms` milliseconds of age. Failures
 * are not cached, and reach all who wait.
 */
export function remembering<T>(
  ms: number,
  ask: () => Promise<T>,
  { shares, now = () => performance.now() }: Remembering,
): () => Promise<T> {
  let remembered: { readonly value: T; readonly at: number } | undefined;
  let asking: Promise<T> | undefined;
  const askNow = async () => {
    const value = await ask();
    remembered = { value, at: now() };
    return value;
  };
  return async () => {
    if (remembered && now() - remembered.at <= ms) return remembered.value;
    if (!shares) return askNow();
    asking ??= askNow().finally(() => {
      asking = undefined;
    });
    return asking;
  };
}
