// The options of every store that we bound ourselves.

import { durationOption, sizeOption } from "../lib/option-types.ts";

/** Size and lifetime that a slot has when its options do not say; as people write them. */
export interface StoreDefaults {
  readonly maxBytes: string;
  readonly ttl: string;
}

/** `max_bytes` and `ttl`, which every backend that we bound ourselves has. */
export const boundOptions = (defaults: StoreDefaults) => ({
  max_bytes: sizeOption.default(defaults.maxBytes).meta({
    description: "Bytes that all entries together may take; the least recently used go first.",
    edit: "restart",
  }),
  ttl: durationOption.default(defaults.ttl).meta({
    description: "How long an entry is used. 0s: until it is pushed out.",
    edit: "restart",
  }),
});
