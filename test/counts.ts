// Counts of a part as plain data.

import type { Counter, Counts } from "../src/base/telemetry/count.ts";

/** The counts so far. */
export function readCounts<Name extends string>(counts: Counts<Name>): Readonly<Record<Name, number>> {
  const values = Object.entries<Counter>(counts).map(([name, { value }]) => [name, value]);
  return Object.fromEntries(values) as Record<Name, number>;
}
