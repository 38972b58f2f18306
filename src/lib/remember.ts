// Answers that are asked for again only when they are old, for what costs others something.

/**
 * Returns a function that calls `ask` unless it has an answer of at most `ms` milliseconds. What fails is not kept, and goes to its
 * caller. Values are shared, not promises: on workerd no request may wait for what another began.
 */
export function remembering<T>(
  ms: number,
  ask: () => Promise<T>,
  now = () => performance.now(),
): () => Promise<T> {
  let kept: { readonly value: T; readonly at: number } | undefined;
  return async () => {
    if (kept && now() - kept.at <= ms) return kept.value;
    const value = await ask();
    kept = { value, at: now() };
    return value;
  };
}
