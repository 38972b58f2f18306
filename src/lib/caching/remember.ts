// Answers that are asked for again only when they are old, for what costs others something.

export interface Remembering {
  /**
   * Whether those who ask at the same time wait for the same answer. Not on workerd, where no request may wait for what another
   * began: there only values are shared.
   */
  readonly shares: boolean;
  readonly now?: () => number;
}

/**
 * Returns a function that calls `ask` unless it has an answer of at most `ms` milliseconds. What fails is not kept, and goes to all who
 * wait for it.
 */
export function remembering<T>(
  ms: number,
  ask: () => Promise<T>,
  { shares, now = () => performance.now() }: Remembering,
): () => Promise<T> {
  let kept: { readonly value: T; readonly at: number } | undefined;
  let asking: Promise<T> | undefined;
  const askNow = async () => {
    const value = await ask();
    kept = { value, at: now() };
    return value;
  };
  return async () => {
    if (kept && now() - kept.at <= ms) return kept.value;
    if (!shares) return askNow();
    asking ??= askNow().finally(() => {
      asking = undefined;
    });
    return asking;
  };
}
