// Messages that many requests cause, logged now and then.

/** Limits messages to one per key in that many milliseconds. `keys` have to be few. */
export function createSeldom(ms: number, now = () => performance.now()): (key: string) => boolean {
  const last = new Map<string, number>();
  return (key) => {
    const time = now();
    if (time - (last.get(key) ?? Number.NEGATIVE_INFINITY) < ms) return false;
    last.set(key, time);
    return true;
  };
}
