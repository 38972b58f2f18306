// A store in memory: least recently used out first, gone when the process ends.

import { z } from "zod";
import { createLru } from "../../base/index.ts";
import { boundOptions, type StoreDefaults } from "./bounds.ts";
import { splitName } from "./names.ts";
import { type Store, tooLargeError } from "./store.ts";

/** Schema of `backend: heap`. */
export const heapOptions = (defaults: StoreDefaults) =>
  z.strictObject({
    backend: z.literal("heap").meta({ description: "In memory.", edit: "restart" }),
    ...boundOptions(defaults),
  });

/**
 * Cost of an entry in addition to its bytes and the UTF-16 units of its key: map entries, objects, the array
 * itself.
 */
const entryOverhead = 320;

interface HeapEntry {
  readonly name: string;
  readonly variant: string;
  readonly value: Uint8Array;
  /** Milliseconds since 1970; undefined: never. */
  readonly expires: number | undefined;
}

export interface HeapStoreOptions {
  /** Limit in bytes on values, keys and their overhead. An entry above the limit is not stored. */
  readonly maxBytes: number;
  /** True if `get` returns the stored bytes and no copy of them, for callers that do not modify them. */
  readonly lends?: boolean;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/**
 * Creates an empty store. Values are copied in and, unless it lends them, out, so that nobody can modify
 * stored ones.
 */
export function heapStore({ maxBytes, lends = false, now = Date.now }: HeapStoreOptions): Store {
  /** Entries by group. */
  const groups = new Map<string, Set<HeapEntry>>();
  const forget = (entry: HeapEntry) => {
    const { group } = splitName(entry.name);
    const known = groups.get(group);
    known?.delete(entry);
    if (known?.size === 0) groups.delete(group);
  };
  const entries = createLru<string, HeapEntry>(maxBytes, (_, entry) => forget(entry));
  const keyOf = (name: string, variant: string) => `${name}\0${variant}`;
  const weigh = (name: string, variant: string, value: Uint8Array) =>
    value.length + 2 * (2 * name.length + 2 * variant.length) + entryOverhead;

  const remove = (name: string, variant: string): number => {
    const key = keyOf(name, variant);
    const entry = entries.get(key);
    if (!entry) return 0;
    entries.delete(key);
    forget(entry);
    return 1;
  };

  const peek = (name: string, variant: string): Uint8Array | undefined => {
    const entry = entries.get(keyOf(name, variant));
    if (!entry) return undefined;
    if (entry.expires === undefined || entry.expires > now())
      return lends ? entry.value : entry.value.slice();
    remove(name, variant);
    return undefined;
  };

  /** Returns false if the entry is larger than the store. */
  const store = (name: string, variant: string, value: Uint8Array, expires: number | undefined): boolean => {
    remove(name, variant);
    const entry: HeapEntry = { name, variant, value: value.slice(), expires };
    if (!entries.set(keyOf(name, variant), entry, weigh(name, variant, value))) return false;
    const { group } = splitName(name);
    const known = groups.get(group);
    if (known) known.add(entry);
    else groups.set(group, new Set([entry]));
    return true;
  };

  return {
    maxBytes: () => maxBytes,
    peek,
    get: async (name, variant) => peek(name, variant),
    async set(name, variant, value, ttl = 0) {
      store(name, variant, value, ttl > 0 ? now() + ttl * 1000 : undefined);
    },
    async add(name, variant, value) {
      if (peek(name, variant)) return false;
      if (!store(name, variant, value, undefined)) throw tooLargeError();
      return true;
    },
    async delete(name, variant) {
      if (variant !== undefined) return remove(name, variant);
      const { group, rest } = splitName(name);
      const doomed = [...(groups.get(group) ?? [])].filter(
        (each) => rest === undefined || each.name === name,
      );
      return doomed.reduce((removed, each) => removed + remove(each.name, each.variant), 0);
    },
    async clear() {
      entries.clear();
      groups.clear();
    },
    usage: async () => ({ entries: entries.size, bytes: entries.weight }),
    largest(count) {
      const all = [...groups].map(([group, members]) => {
        let bytes = 0;
        for (const { name, variant, value } of members) bytes += weigh(name, variant, value);
        return { group, entries: members.size, bytes };
      });
      return all.sort((a, b) => b.bytes - a.bytes).slice(0, count);
    },
    async check() {},
  };
}
