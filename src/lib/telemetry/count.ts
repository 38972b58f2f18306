// What parts report of their work, without knowing where it is kept: a handle for each figure, had once when the part is built.

/** A number that only grows. */
export interface Counter {
  /** `n`: at least 0; 1 where it is not given. */
  add(n?: number): void;
  readonly value: number;
}

/** Takes single values, such as durations in seconds, and keeps how they are distributed. */
export interface Recorder {
  record(value: number): void;
}

/** The counters of a part, by what they count. */
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

/** Counters that begin at zero and are listed nowhere, for a part that stands by itself. */
export function createCounts<const Name extends string>(...names: readonly Name[]): Counts<Name> {
  return Object.fromEntries(names.map((name) => [name, createCounter()])) as Record<Name, Counter>;
}

/** Keeps nothing. */
export const noRecorder: Recorder = { record() {} };
