// Numbers purges, to distinguish what began before and after one.

/** Numbers that purges increase. */
export interface Generations {
  /** Returns the generation of work that starts now under a key. */
  of(key: string): number;
  /** Begins a new generation of one key, or of all. */
  renew(key?: string): void;
}

/** Number of keys whose last purge is remembered; one more resets all. */
const remembered = 10_000;

/** Generation 0 for every key. */
export function createGenerations(): Generations {
  let latest = 0;
  let base = 0;
  const renewed = new Map<string, number>();
  return {
    of: (key) => renewed.get(key) ?? base,
    renew(key) {
      latest++;
      if (key !== undefined && (renewed.has(key) || renewed.size < remembered)) renewed.set(key, latest);
      else {
        base = latest;
        renewed.clear();
      }
    },
  };
}
