// A slot is the policy over a store: single flight, counting, and that a broken store only costs time.

import {
  type CacheOutcome,
  type Counts,
  createGenerations,
  createSingleFlight,
  type KeepAlive,
  type Log,
} from "../../base/index.ts";
import { splitName } from "./names.ts";
import { withStandIn } from "./stand-in.ts";
import type { Store, Usage } from "./store.ts";

/**
 * Counters of a slot. `waits`: callers that received a value being made for another; `dropped`: values that
 * were not stored, since too many were waiting for the store; `failedWrites`: writes among `errors`;
 * `bytesRead`, `bytesWritten`: of values that were found or stored.
 */
export const slotCounts = [
  "hits",
  "misses",
  "waits",
  "errors",
  "writes",
  "dropped",
  "failedWrites",
  "bytesRead",
  "bytesWritten",
] as const;

export type SlotCounts = Counts<(typeof slotCounts)[number]>;

/**
 * Optional methods are missing if the store lacks them. Returned bytes are shared: neither modify nor
 * transfer them.
 */
export interface Slot {
  readonly name: string;
  readonly counts: SlotCounts;
  /**
   * Returns the capacity of its store in bytes; 0 if it is disabled, Infinity if the store has no limit of
   * its own.
   */
  maxBytes(): number;
  /** undefined: not there, or the store is broken. */
  get(name: string, variant: string): Promise<Uint8Array | undefined>;
  /**
   * Stores a value that was made outside of {@link getOrMake}; returns immediately, see {@link whenSettled}.
   */
  put(name: string, variant: string, value: Uint8Array): void;
  /**
   * Returns the stored value, or else that of `make`, which runs once for all simultaneous callers and is
   * stored afterwards, unless `keeps` returns false for it. When `signal` aborts, this caller leaves with
   * ServiceError `cancelled`; the signal given to `make` aborts when all have left. Errors of `make` reach
   * all who wait, and are not stored.
   */
  getOrMake(
    name: string,
    variant: string,
    make: (signal: AbortSignal) => Promise<Uint8Array>,
    options?: MakeOptions,
  ): Promise<Uint8Array>;
  /**
   * Its store itself, for entries that are written once and on which others depend: both throw if it fails,
   * and no memory stands in for it. Missing if it is switched off.
   */
  readonly lasting?: Pick<Store, "get" | "add">;
  /**
   * Removes one variant, or all of a name, which for a group is everything in it; returns the number removed.
   * Values that are being made or written are not stored. Throws if the store does.
   */
  delete(name: string, variant?: string): Promise<number>;
  clear?(): Promise<void>;
  usage?(): Promise<Usage>;
  /**
   * Returns the groups that take most bytes, the largest first; missing if the store cannot say that cheaply.
   */
  largest?: Store["largest"];
  /** Room of the volume that holds its folder; absent without one. */
  volume?: Store["volume"];
  /**
   * Returns whether its store is unused after failures, for each kind of operation; missing if it never is.
   */
  circuits?: Store["circuits"];
  /** The memory that stands in for its store, while it does; missing if there is none. */
  standIn?(): Pick<Store, "maxBytes" | "usage"> | undefined;
  /** Throws if the store cannot be used. */
  check(): Promise<void>;
  /** Resolves when all that was to be stored until now is, or has failed. */
  whenSettled(): Promise<void>;
  close(): Promise<void>;
}

export interface MakeOptions {
  readonly signal?: AbortSignal | undefined;
  readonly keeps?: (value: Uint8Array) => boolean;
  readonly watch?: SlotWatch | undefined;
}

/** Observes how a value was obtained. */
export interface SlotWatch {
  noteCache(outcome: CacheOutcome): void;
  /** The value that this call made is in the store, which took `ms` milliseconds. */
  wrote(ms: number): void;
}

export interface SlotOptions {
  readonly name: string;
  /** undefined: the slot is switched off (`backend: none`); single flight stays. */
  readonly store: Store | undefined;
  /** Memory for values that the store cannot take at the moment. */
  readonly standIn?: Store | undefined;
  readonly counts: SlotCounts;
  /** Seconds; 0: until pushed out. */
  readonly ttl: number;
  readonly log: Pick<Log, "warn">;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** Bytes that may wait for a slow store; further values are not stored. */
  readonly maxPending?: number;
  readonly keepAlive?: KeepAlive;
}

interface Pending {
  readonly value: Uint8Array;
  readonly done: Promise<void>;
}

const logInterval = 60_000;

/** A slot over a store. */
export function createSlot(options: SlotOptions): Slot {
  const { name: slotName, standIn, counts, ttl, log, now = Date.now, maxPending = 64 * 2 ** 20 } = options;
  const flights = createSingleFlight<{ readonly value: Uint8Array; readonly isStored: boolean }>(
    options.keepAlive,
  );
  /** Values on their way to the store, readable meanwhile. */
  const pending = new Map<string, Pending>();
  let pendingBytes = 0;
  // Renewed when a purge begins and when it ends, so that work begun before its end is neither joined nor
  // stored after it. By group: the purge of a folder takes long, and keeps nothing else from being stored.
  const generations = createGenerations();
  let loggedAt = Number.NEGATIVE_INFINITY;

  const logFailure = (what: string, error: unknown) => {
    counts.errors.add();
    if (what === "set") counts.failedWrites.add();
    if (now() - loggedAt < logInterval) return;
    loggedAt = now();
    log.warn(`a cache slot cannot use its store and goes on without it${standIn ? ", in memory" : ""}`, {
      slot: slotName,
      what,
      error: String(error),
      ...(error instanceof Error && error.cause !== undefined ? { cause: String(error.cause) } : {}),
    });
  };

  const withMemory =
    options.store && standIn
      ? withStandIn(options.store, standIn, (error) => logFailure("get", error))
      : undefined;
  const store = withMemory ?? options.store;

  const countLookup = (value: Uint8Array | undefined) => {
    if (!value) return counts.misses.add();
    counts.hits.add();
    counts.bytesRead.add(value.length);
  };

  const find = async (name: string, variant: string): Promise<Uint8Array | undefined> => {
    const waiting = pending.get(keyOf(name, variant));
    if (waiting) return waiting.value;
    try {
      return await store?.get(name, variant);
    } catch (error) {
      logFailure("get", error);
      return undefined;
    }
  };

  const put = (name: string, variant: string, value: Uint8Array, watch?: SlotWatch) => {
    if (!store) return;
    if (pendingBytes + value.length > maxPending) {
      counts.dropped.add();
      return;
    }
    const key = keyOf(name, variant);
    const earlier = pending.get(key)?.done;
    const write = async () => {
      await earlier;
      try {
        const began = performance.now();
        await store.set(name, variant, value, ttl);
        watch?.wrote(performance.now() - began);
        counts.writes.add();
        counts.bytesWritten.add(value.length);
      } catch (error) {
        logFailure("set", error);
      }
      pendingBytes -= value.length;
      if (pending.get(key) === entry) pending.delete(key);
    };
    pendingBytes += value.length;
    const entry: Pending = { value, done: Promise.resolve().then(write) };
    pending.set(key, entry);
  };

  const whenSettled = async () => {
    await Promise.all([...pending.values()].map((each) => each.done));
  };

  /** Runs a purge after pending writes, and again hides values begun before it. */
  const purge = async <T>(run: () => Promise<T>, group?: string): Promise<T> => {
    generations.renew(group);
    await whenSettled();
    try {
      return await run();
    } finally {
      generations.renew(group);
    }
  };

  const lasting = (inner: Store): NonNullable<Slot["lasting"]> => ({
    async get(name, variant) {
      const value = await orFailure("get", inner.get(name, variant));
      countLookup(value);
      return value;
    },
    async add(name, variant, value) {
      const isNew = await orFailure("set", inner.add(name, variant, value));
      if (isNew) counts.writes.add();
      if (isNew) counts.bytesWritten.add(value.length);
      return isNew;
    },
  });
  const orFailure = <T>(what: string, result: Promise<T>): Promise<T> =>
    result.catch((error: unknown) => {
      logFailure(what, error);
      throw error;
    });

  return {
    name: slotName,
    counts,
    ...(options.store && { lasting: lasting(options.store) }),
    maxBytes: () => (store ? (store.maxBytes?.() ?? Number.POSITIVE_INFINITY) : 0),
    async get(name, variant) {
      const value = await find(name, variant);
      countLookup(value);
      return value;
    },
    put: (name, variant, value) => put(name, variant, value),
    async getOrMake(name, variant, make, { signal, keeps = () => true, watch } = {}) {
      const inMemory = () => pending.get(keyOf(name, variant))?.value ?? store?.peek?.(name, variant);
      const held = store?.peek && !signal?.aborted ? inMemory() : undefined;
      if (held) {
        countLookup(held);
        watch?.noteCache("hit");
        return held;
      }
      const { group } = splitName(name);
      const begun = generations.of(group);
      const key = `${begun}\0${keyOf(name, variant)}`;
      const joins = flights.has(key);
      const fly = async (work: AbortSignal) => {
        const isStored = store && (await find(name, variant));
        if (isStored) return { value: isStored, isStored: true };
        counts.misses.add();
        const value = await make(work);
        if (generations.of(group) === begun && keeps(value)) put(name, variant, value, watch);
        return { value, isStored: false };
      };
      const { value, isStored } = await flights.run(key, fly, signal);
      if (isStored) countLookup(value);
      else if (joins) counts.waits.add();
      watch?.noteCache(isStored ? "hit" : joins ? "shared" : "miss");
      return value;
    },
    delete: (name, variant) => purge(async () => store?.delete(name, variant) ?? 0, splitName(name).group),
    ...(store && !store.clear ? {} : { clear: () => purge(async () => store?.clear?.()) }),
    ...(store && !store.usage
      ? {}
      : { usage: async () => (await store?.usage?.()) ?? { entries: 0, bytes: 0 } }),
    ...(store?.largest ? { largest: store.largest } : {}),
    ...(store?.volume ? { volume: store.volume } : {}),
    ...(store?.circuits ? { circuits: store.circuits } : {}),
    ...(withMemory ? { standIn: withMemory.standIn } : {}),
    async check() {
      try {
        await store?.check();
      } catch (error) {
        logFailure("check", error);
        throw error;
      }
    },
    whenSettled: whenSettled,
    async close() {
      await whenSettled();
      await store?.close?.();
    },
  };
}

const keyOf = (name: string, variant: string) => `${name}\0${variant}`;
