// Which images somebody looks at closely: those of which the same scale was asked for twice within a while.

import { createLru } from "../../../base/index.ts";

/** Milliseconds within which a second read of a scale counts. */
const withinMs = 600_000;
/** Maximum number of layers whose first read is remembered. */
const max = 4096;

export type Zooms = ReturnType<typeof createZooms>;

/** Creates a memory of reads. `now`: the time in milliseconds. */
export function createZooms(now: () => number) {
  const first = createLru<string, number>(max);
  return {
    /** Notes a read of the layer with this id; returns true if it is not the first one within a while. */
    isSecond(id: string): boolean {
      const before = first.get(id);
      first.set(id, now(), 1);
      return before !== undefined && now() - before <= withinMs;
    },
  };
}
