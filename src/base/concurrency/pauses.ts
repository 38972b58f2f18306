// Pauses of long work on the main thread, so that requests are served meanwhile.

/** Milliseconds of work between two pauses. */
const workMs = 10;

/**
 * Returns a function to call between two pieces of work. It returns a promise to await when a pause is due,
 * which is over after the events that wait.
 */
export function createPauses(): () => Promise<void> | undefined {
  let begun = performance.now();
  return () => {
    if (performance.now() - begun < workMs) return undefined;
    return new Promise((resolve) =>
      setTimeout(() => {
        begun = performance.now();
        resolve();
      }),
    );
  };
}
