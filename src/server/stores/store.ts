// A store keeps bytes under two-part keys. The slots of the cache (slot.ts) are made of stores.

import type { VolumeSpace } from "../../base/index.ts";

/** What the entries of one group take together. */
export interface GroupUsage extends Usage {
  readonly group: string;
}

export interface Usage {
  readonly entries: number;
  readonly bytes: number;
}

/**
 * Keys have two parts: a name (what people see and purge) and a variant (what else the bytes depend on; may
 * be ""). A name is a group, or a group and a rest (`names.ts`). Group, rest and variant are any text without
 * NUL. An optional method is an optional capability; throwing is "broken".
 */
export interface Store {
  /** Returns its capacity in bytes; missing if the store has no limit of its own. */
  maxBytes?(): number;
  /** Returns what `get` resolves to, immediately; missing if the store is not in memory. */
  peek?(name: string, variant: string): Uint8Array | undefined;
  /** undefined: not there, expired, or it did not verify. */
  get(name: string, variant: string): Promise<Uint8Array | undefined>;
  /** Appears whole or not at all. `ttl` in seconds; 0 or undefined: until pushed out. */
  set(name: string, variant: string, value: Uint8Array, ttl?: number): Promise<void>;
  /**
   * Stores a value that never expires, unless there is one, and returns whether it did. Of several servers
   * that add the same entry simultaneously, one does. Throws if it cannot be stored as a whole.
   */
  add(name: string, variant: string, value: Uint8Array): Promise<boolean>;
  /** Removes one variant, or all of a name, which for a group is all that is in it; the number removed. */
  delete(name: string, variant?: string): Promise<number>;
  /** Removes everything that this store wrote. */
  clear?(): Promise<void>;
  usage?(): Promise<Usage>;
  /** Returns the groups that take most bytes, the largest first: at most `count`. */
  largest?(count: number): readonly GroupUsage[];
  /**
   * Room of the volume that holds its folder; undefined if nothing is known of it. Absent without a folder.
   */
  volume?(): Promise<VolumeSpace | undefined>;
  /** Returns which operations currently fail immediately, because of recent failures. */
  circuits?(): { readonly read: boolean; readonly write: boolean };
  /** Throws if the store cannot be used. */
  check(): Promise<void>;
  close?(): Promise<void>;
}

/** The error for an entry that cannot be added, since it is larger than the store. */
export const tooLargeError = () =>
  new Error("An entry is larger than its store. Raise max_bytes or max_memory of its slot.");
