// The options that several stores have.

import { z } from "zod";
import { durationOption, parseDuration, parseSize, sizeForm, sizeOption } from "../../base/index.ts";

/** What a slot is if its options do not say; sizes and times as people write them. */
export interface StoreDefaults {
  readonly backend: "heap" | "filesystem";
  /** In files, and in a store that the service does not bound itself. */
  readonly maxBytes: string;
  /** In memory, on a machine that has enough of it. */
  readonly heapBytes: string;
  /** The part of the memory of a small machine that the slot takes instead: 1/8 for 8. */
  readonly heapPart: number;
  readonly ttl: string;
  /** Multiple of the usual deadlines over a network: entries of megabytes take long. */
  readonly deadlines: number;
  /** True if a store in memory may lend its bytes, since values only leave as bodies of responses. */
  readonly lends: boolean;
}

/**
 * The slots: one row each, in the order of `cache:`. The shares of memory stay below a quarter, in addition
 * to the quarter that renders may take.
 */
export const slotDefaults = {
  render: {
    backend: "heap",
    maxBytes: "256MiB",
    heapBytes: "256MiB",
    heapPart: 8,
    ttl: "24h",
    deadlines: 1,
    lends: true,
  },
  info: {
    backend: "heap",
    maxBytes: "64MiB",
    heapBytes: "64MiB",
    heapPart: 32,
    ttl: "24h",
    deadlines: 1,
    lends: false,
  },
  origin: {
    backend: "filesystem",
    maxBytes: "4GiB",
    heapBytes: "256MiB",
    heapPart: 16,
    ttl: "7d",
    deadlines: 8,
    lends: false,
  },
  text: {
    backend: "heap",
    maxBytes: "1GiB",
    heapBytes: "64MiB",
    heapPart: 64,
    ttl: "0s",
    deadlines: 1,
    lends: false,
  },
  changes: {
    backend: "heap",
    maxBytes: "512MiB",
    heapBytes: "64MiB",
    heapPart: 128,
    ttl: "0s",
    deadlines: 1,
    lends: false,
  },
} as const satisfies Readonly<Record<string, StoreDefaults>>;

export type SlotName = keyof typeof slotDefaults;

/** Names of the slots, in the order of `cache:`. */
export const slotNames = Object.keys(slotDefaults) as SlotName[];

/** Returns a value for each slot. */
export function eachSlot<T>(make: (name: SlotName) => T): Readonly<Record<SlotName, T>> {
  return Object.fromEntries(slotNames.map((name) => [name, make(name)])) as Record<SlotName, T>;
}

/**
 * Bytes that a slot in memory or in files may take: as its options say, else its default. `memory`: bytes
 * that the machine or container has.
 */
export function boundOf(
  slot: SlotName,
  { backend, max_bytes }: { readonly backend: "heap" | "filesystem"; readonly max_bytes: string | number },
  memory: number,
): number {
  if (max_bytes !== "") return parseSize(max_bytes);
  const { maxBytes, heapBytes, heapPart } = slotDefaults[slot];
  if (backend === "filesystem") return parseSize(maxBytes);
  return Math.min(parseSize(heapBytes), Math.floor(memory / heapPart));
}

/** `ttl` of every store that keeps anything. */
export const lifetimeOption = durationOption.meta({
  description: "How long the service uses an entry. 0s: until others need its space.",
  edit: "restart",
});

const timeoutForm = "expected a duration from 1ms to 60s, such as 250ms, or nothing for the default";

/** Longest that a timer waits is far above what follows from 60 s; 0 would fail every read. */
function isTimeout(text: string): boolean {
  if (text === "") return true;
  if (!durationOption.safeParse(text).success) return false;
  const ms = parseDuration(text);
  return ms >= 1 && ms <= 60_000;
}

/** `timeout` of every store that is asked over the network. */
export const timeoutOption = z
  .string({ error: timeoutForm })
  .refine(isTimeout, { error: timeoutForm })
  .default("")
  .meta({
    description:
      "How long a request waits for an entry before it continues without it. Empty: 250ms for Redis, 1s for Redis over REST, 2s for S3; in the slot origin, whose entries are large, eight times that.",
    edit: "restart",
    form: "duration",
  });

/** `max_bytes` and `ttl`, which every backend that we bound ourselves has. */
export const boundOptions = (defaults: StoreDefaults) => ({
  max_bytes: z
    .union([z.literal(""), sizeOption], { error: sizeForm })
    .default("")
    .meta({
      description: `Bytes that all entries together may take; the store removes the least recently used first. Empty: ${defaults.maxBytes} in files; in memory 1/${defaults.heapPart} of what the machine or container has, at most ${defaults.heapBytes}.`,
      edit: "restart",
    }),
  ttl: lifetimeOption.default(defaults.ttl),
});
