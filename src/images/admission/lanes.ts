// Lanes, and the shares of places and memory that the jobs of a lane and of remote sources may take.

/** Of all work, cheap is what is estimated to take a bounded time; the rest is heavy. */
export type Lane = "cheap" | "heavy";

/** Estimated milliseconds that a cheap job takes at most. */
export const mostCheapMs = 50;

/** The lane of a job that is estimated to take so many milliseconds. */
export const laneOf = (ms: number): Lane => (ms <= mostCheapMs ? "cheap" : "heavy");

/** Places that a lane may take: with more than one, a cheap job never has to wait until a heavy one ends. */
export const mostPlaces: Readonly<Record<Lane, (places: number) => number>> = {
  cheap: (places) => places,
  heavy: (places) => Math.max(1, places - Math.ceil(places / 4)),
};

/** Shares of the memory. One job alone may exceed them. */
const share = { heavy: 3 / 4, remote: 3 / 4, oneSource: 1 / 2 } as const;
/** Jobs with bytes from other machines beyond the places, since each of them holds a worker while it waits. */
const moreRemote = { all: 48, oneSource: 16 } as const;

/** A job as its share sees it. */
export interface Load {
  readonly lane: Lane;
  /** Estimated peak bytes. */
  readonly memory: number;
  /** Name of the source, where its bytes come from another machine. */
  readonly remote?: string | undefined;
}

/** Estimated peak bytes of several jobs together. */
export function memoryOf(loads: Iterable<Load>): number {
  let total = 0;
  for (const { memory } of loads) total += memory;
  return total;
}

/** Tells whether one more job may join those of its lane and source that were admitted, within their shares of places and memory. */
export function sharesBeside(
  admitted: Iterable<Load>,
  limits: { readonly places: number; readonly memory: number },
): (load: Load) => boolean {
  const all = [...admitted];
  const together = (which: (load: Load) => boolean) => {
    const loads = all.filter(which);
    return { jobs: loads.length, memory: memoryOf(loads) };
  };
  const heavy = together(({ lane }) => lane === "heavy");
  const remote = together((load) => load.remote !== undefined);
  const sources = new Map<string, typeof remote>();
  const ofSource = (name: string) => {
    const known = sources.get(name) ?? together((load) => load.remote === name);
    sources.set(name, known);
    return known;
  };
  const joins = (others: typeof remote, bytes: number, part: number, most = Number.POSITIVE_INFINITY) =>
    others.jobs === 0 || (others.jobs < most && others.memory + bytes <= part * limits.memory);
  return ({ lane, memory, remote: source }) =>
    (lane === "cheap" || joins(heavy, memory, share.heavy)) &&
    (source === undefined ||
      (joins(remote, memory, share.remote, limits.places + moreRemote.all) &&
        joins(ofSource(source), memory, share.oneSource, limits.places + moreRemote.oneSource)));
}
