// Any number of listeners to one signal.

const listeners = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls `act` once when the signal aborts, unless the returned function was called before. The runtime sees one listener
 * for each signal, since Node warns of more than ten.
 */
export function onAbort(signal: AbortSignal, act: () => void): () => void {
  const known = listeners.get(signal);
  const all = known ?? new Set();
  if (!known) {
    listeners.set(signal, all);
    signal.addEventListener("abort", () => [...all].forEach((each) => void each()), { once: true });
  }
  const own = () => act();
  all.add(own);
  return () => void all.delete(own);
}
