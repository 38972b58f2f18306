// Runs operations on the same key one at a time, in the order in which they were requested.

/** Runs `work` once all earlier operations of the same key have ended, and returns its result. */
export type OneAtATime = <T>(key: string, work: () => Promise<T>) => Promise<T>;

/** Creates a queue for each key in use. */
export function createOneAtATime(): OneAtATime {
  const last = new Map<string, Promise<unknown>>();
  return async (key, work) => {
    const before = last.get(key);
    const own = before ? before.then(work, work) : work();
    last.set(key, own);
    try {
      return await own;
    } finally {
      if (last.get(key) === own) last.delete(key);
    }
  };
}
