// The options that several stores have.

import { z } from "zod";
import { durationOption, sizeOption } from "../lib/options/option-types.ts";
import { parseDuration } from "../lib/options/quantity.ts";

/** Size and lifetime that a slot has when its options do not say; as people write them. */
export interface StoreDefaults {
  readonly maxBytes: string;
  readonly ttl: string;
}

/** `ttl` of every store that keeps anything. */
export const lifetimeOption = durationOption.meta({
  description: "How long the service uses an entry. 0s: until others need its room.",
  edit: "restart",
});

const timeoutForm = "expected a duration from 1ms to 60s, such as 250ms, or nothing for the usual one";

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
      "How long a request waits for an entry before it goes on without it. Empty: 250ms for Redis, 1s for Redis over REST, 2s for S3; in the slot origin, whose entries are large, eight times that.",
    edit: "restart",
    form: "duration",
  });

/** `max_bytes` and `ttl`, which every backend that we bound ourselves has. */
export const boundOptions = (defaults: StoreDefaults) => ({
  max_bytes: sizeOption.default(defaults.maxBytes).meta({
    description: "Bytes that all entries together may take; the store removes the least recently used first.",
    edit: "restart",
  }),
  ttl: lifetimeOption.default(defaults.ttl),
});
