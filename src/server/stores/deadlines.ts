// Deadlines of the stores outside of memory, in milliseconds.

import { parseDuration } from "../../base/index.ts";
import { type SlotName, slotDefaults } from "./bounds.ts";
import type { Deadlines } from "./guard.ts";
import type { StoreOptions } from "./options.ts";

/** Default deadlines of a read, and of a write, for which nobody waits. */
const usual = {
  // Each file call has a deadline of its own. A write may have to wait until all files of the folder are
  // counted.
  filesystem: { read: 5000, write: 300_000 },
  redis: { read: 250, write: 2000 },
  "redis over REST": { read: 1000, write: 8000 },
  s3: { read: 2000, write: 16_000 },
} as const;

/** Ratio of the deadline of a write to that of a read, if `timeout` sets the latter. */
const writeFactor = 8;
/** Deadline of a check: shorter than the 2 s that /ready waits. */
const check = 1800;

type InMemory = Extract<StoreOptions, { backend: "heap" | "none" }>;
type Outside = Exclude<StoreOptions, InMemory>;

const isInMemory = (options: StoreOptions): options is InMemory =>
  options.backend === "heap" || options.backend === "none";

/** Returns the deadlines of a store for a slot; undefined if it is in memory. */
export function deadlinesOf(options: Outside, use: SlotName): Deadlines;
export function deadlinesOf(options: StoreOptions, use: SlotName): Deadlines | undefined;
export function deadlinesOf(options: StoreOptions, use: SlotName): Deadlines | undefined {
  if (isInMemory(options)) return undefined;
  const row = usual[options.backend === "redis" && options.url ? "redis over REST" : options.backend];
  const timeoutMs = "timeout" in options && options.timeout ? parseDuration(options.timeout) : undefined;
  const factor = options.backend === "filesystem" ? 1 : slotDefaults[use].deadlines;
  const read = factor * (timeoutMs ?? row.read);
  const write = factor * (timeoutMs === undefined ? row.write : writeFactor * timeoutMs);
  return { read, write, purge: Math.max(30_000, write), check };
}
