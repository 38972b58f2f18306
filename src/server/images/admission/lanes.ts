// Lanes, and the shares of permits and memory of the jobs of a lane and of remote sources.

/** Jobs that are estimated to take at most `maxCheapMs` are cheap; all others are heavy. */
export type Lane = "cheap" | "heavy";

/** Estimated milliseconds up to which a job is cheap. */
export const maxCheapMs = 50;

/** Returns the lane of a job by its estimated milliseconds. */
export const laneOf = (ms: number): Lane => (ms <= maxCheapMs ? "cheap" : "heavy");

/**
 * Permits that a lane may take. If there is more than one in all, a cheap job never has to wait until a heavy
 * one ends.
 */
export const permitsOf: Readonly<Record<Lane, (permits: number) => number>> = {
  cheap: (permits) => permits,
  heavy: (permits) => Math.max(1, permits - Math.ceil(permits / 4)),
};

/** Shares of the memory. A single job may exceed them. */
const share = { heavy: 3 / 4, remote: 3 / 4, oneSource: 1 / 2 } as const;
/**
 * Jobs on remote masters that are admitted beyond the number of permits, since each of them occupies a worker
 * while it waits.
 */
const moreRemote = { all: 48, oneSource: 16 } as const;

/** The properties of a job that its shares depend on. */
export interface LaneJob {
  readonly lane: Lane;
  /** Estimated peak bytes. */
  readonly memory: number;
  /** Name of the source if its bytes are on another machine. */
  readonly remote?: string | undefined;
}

/** Returns the estimated peak bytes of several jobs together. */
export function memoryOf(jobs: Iterable<LaneJob>): number {
  let total = 0;
  for (const { memory } of jobs) total += memory;
  return total;
}

/**
 * Returns a predicate: true if one more job may join the admitted ones within the shares of its lane and
 * source.
 */
export function sharesBeside(
  admitted: Iterable<LaneJob>,
  limits: { readonly permits: number; readonly memory: number },
): (job: LaneJob) => boolean {
  const all = [...admitted];
  const together = (which: (job: LaneJob) => boolean) => {
    const jobs = all.filter(which);
    return { count: jobs.length, memory: memoryOf(jobs) };
  };
  const heavy = together(({ lane }) => lane === "heavy");
  const remote = together((job) => job.remote !== undefined);
  const sources = new Map<string, typeof remote>();
  const ofSource = (name: string) => {
    const known = sources.get(name) ?? together((job) => job.remote === name);
    sources.set(name, known);
    return known;
  };
  const joins = (others: typeof remote, bytes: number, part: number, max = Number.POSITIVE_INFINITY) =>
    others.count === 0 || (others.count < max && others.memory + bytes <= part * limits.memory);
  return ({ lane, memory, remote: source }) =>
    (lane === "cheap" || joins(heavy, memory, share.heavy)) &&
    (source === undefined ||
      (joins(remote, memory, share.remote, limits.permits + moreRemote.all) &&
        joins(ofSource(source), memory, share.oneSource, limits.permits + moreRemote.oneSource)));
}
