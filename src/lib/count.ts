// Named counters that the parts keep from the start; stats and the admin area read them.

/** A set of named, ever-growing counts. */
export interface Counts {
  add(name: string, n?: number): void;
  /** The counts so far, as plain data. */
  read(): Readonly<Record<string, number>>;
}

/** Counts that begin at zero; `names` are listed even when nothing happened. */
export function createCounts(...names: readonly string[]): Counts {
  const counts: Record<string, number> = Object.fromEntries(names.map((name) => [name, 0]));
  return {
    add(name, n = 1) {
      counts[name] = (counts[name] ?? 0) + n;
    },
    read: () => ({ ...counts }),
  };
}
