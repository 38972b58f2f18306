// Counters of the parts of the service, which do not know where they are registered: each part gets its
// handles when it is built.

/** A number that only grows. */
export interface Counter {
  /** `n`: at least 0; default 1. */
  add(n?: number): void;
  readonly value: number;
}

/** Takes single values, such as durations in seconds, and keeps how they are distributed. */
export interface Recorder {
  record(value: number): void;
}

/** The counters of a part by name. */
export type Counts<Name extends string = string> = Readonly<Record<Name, Counter>>;

class Tally implements Counter {
  value = 0;

  add(n = 1): void {
    this.value += n;
  }
}

/** A counter that begins at zero. */
export function createCounter(): Counter {
  return new Tally();
}

/** Creates unregistered counters that begin at zero, for a part on its own. */
export function createCounts<const Name extends string>(...names: readonly Name[]): Counts<Name> {
  return Object.fromEntries(names.map((name) => [name, createCounter()])) as Record<Name, Counter>;
}

/** Keeps nothing. */
export const noRecorder: Recorder = { record() {} };
