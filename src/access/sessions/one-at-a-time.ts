// Work on the same thing is done one after the other, in the order in which it was asked for.

/** Runs `work` when all that was asked for before under the same key has ended, and returns what it returns. */
export type OneAtATime = <T>(key: string, work: () => Promise<T>) => Promise<T>;

/** A queue for each key that is in use. */
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
