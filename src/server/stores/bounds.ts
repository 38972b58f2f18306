// The options that several stores have.

import { z } from "zod";
import { durationOption, parseDuration, parseSize, sizeForm, sizeOption } from "../../base/index.ts";

/** Size and lifetime that a slot has when its options do not say; as people write them. */
export interface StoreDefaults {
  /** In files, and in a store that the service does not bound itself. */
  readonly maxBytes: string;
  /** In memory, on a machine that has enough of it. */
  readonly heapBytes: string;
  /** The part of the memory of a small machine that the slot takes instead: 1/8 for 8. */
  readonly heapPart: number;
  readonly ttl: string;
}

/**
 * The slots by name. The shares of memory add up to 7/32, in addition to the quarter that renders may take.
 */
export const slotDefaults = {
  render: { maxBytes: "256MiB", heapBytes: "256MiB", heapPart: 8, ttl: "24h" },
  info: { maxBytes: "64MiB", heapBytes: "64MiB", heapPart: 32, ttl: "24h" },
  origin: { maxBytes: "4GiB", heapBytes: "256MiB", heapPart: 16, ttl: "7d" },
} as const satisfies Readonly<Record<string, StoreDefaults>>;

/**
 * Bytes that a slot in memory or in files may take: as its options say, else its default. `memory`: bytes
 * that the machine or container has.
 */
export function boundOf(
  slot: keyof typeof slotDefaults,
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
