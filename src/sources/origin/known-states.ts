// What is known of the masters of one origin: how they were last seen, for how long that counts, and which are not there.

import { ServiceError } from "../../errors.ts";
import { createLru } from "../../imaging/lib/lru.ts";
import { createGenerations } from "../../lib/caching/generations.ts";
import { createSingleFlight, type KeepAlive } from "../../lib/concurrency/single-flight.ts";
import type { TraceContext } from "../../lib/telemetry/trace-context.ts";
import type { Slot } from "../../stores/slot.ts";
import type { RemoteFacts } from "../remote.ts";
import { decodeState, encodeState, idOf, type State, stateVariant, validatorOf } from "./master-state.ts";
import type { Wait } from "./waits.ts";

/** Masters whose state stays in memory. */
const keptStates = 20_000;
/** An origin that did not answer is left alone for so long. */
const awayMs = 10_000;
/** A master that is not there is not asked for again for so long, or until `revalidate` is over. */
const mostAbsentMs = 10_000;

export interface KnownStatesOptions {
  readonly fingerprint: string;
  readonly slot: Pick<Slot, "get" | "put">;
  /** The slot's name for a master. */
  readonly entryName: (key: string) => string;
  /** How long a master counts as unchanged, in milliseconds; 0: it is asked for each time. */
  readonly revalidateMs: number;
  /** How long after that a master may still be served while its origin does not answer, in milliseconds. */
  readonly staleMs: number;
  readonly keepAlive?: KeepAlive | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Asks the origin for a master, unless it is as it was. */
export type Look = (
  key: string,
  known: State | undefined,
  signal: AbortSignal,
  trace: TraceContext | undefined,
) => Promise<State | undefined>;

export interface KnownStates {
  generationOf(key: string): number;
  /** Whether no purge has come since a state was known. */
  isCurrent(key: string, state: State): boolean;
  /** The state that an answer is of; `all`: its bytes, where nothing else says which state that is. */
  of(key: string, facts: RemoteFacts, generation: number, all?: readonly Uint8Array[]): Promise<State>;
  /** Keeps a state, unless a purge has come. */
  keep(key: string, state: State): State;
  /** The same state, seen now. */
  confirm(key: string, state: State): State;
  /** A master turned out not to be there, at a time of this generation. */
  noteAbsent(key: string, generation: number): void;
  /** The state of a master: as it is known where that still counts, else as `look` finds it, once for all who ask. */
  find(
    key: string,
    look: Look,
    wait: Wait,
    signal?: AbortSignal,
    trace?: TraceContext,
  ): Promise<State | undefined>;
  /** The origin is asked about a master before it is served again. */
  forget(key: string): void;
  /** Begins without what was known of one master, or of all. */
  purge(key?: string): void;
  /** Whether the origin is left alone, since it did not answer. */
  isAway(): boolean;
}

/** Nothing is known yet. */
export function createKnownStates({
  fingerprint,
  slot,
  entryName,
  revalidateMs,
  staleMs,
  keepAlive,
  now,
}: KnownStatesOptions): KnownStates {
  const states = createLru<string, State>(keptStates);
  /** Masters that were not there, and until when they are not asked for again: a page is first looked for by its whole name. */
  const absent = createLru<string, number>(keptStates);
  const absentMs = Math.min(revalidateMs, mostAbsentMs);
  const looks = createSingleFlight<State | undefined>(keepAlive);
  const generations = createGenerations();
  /** Until then an origin that did not answer is not asked again for what may be served without it. */
  let awayUntil = 0;

  const isCurrent = (key: string, state: State) => state.generation === generations.of(key);

  const keep = (key: string, state: State): State => {
    if (!isCurrent(key, state)) return state;
    states.set(key, state, 1);
    slot.put(entryName(key), stateVariant, encodeState(state));
    return state;
  };

  const stored = async (key: string): Promise<State | undefined> => {
    const generation = generations.of(key);
    const bytes = await slot.get(entryName(key), stateVariant);
    const state = bytes && decodeState(bytes, generation);
    // Another origin under this source's name has other states.
    return state && state.id === (await idOf(fingerprint, key, state.validator)) ? state : undefined;
  };

  const age = (state: State) => Math.abs(now() - state.checkedAt); // another server's clock may be ahead
  const isFresh = (state: State | undefined) => state !== undefined && age(state) < revalidateMs;
  /** Whether a state may be served while the origin does not answer. */
  const isSpare = (state: State | undefined) => state !== undefined && age(state) < revalidateMs + staleMs;
  /** Whether a state may be served without asking. */
  const counts = (state: State | undefined) => isFresh(state) || (now() < awayUntil && isSpare(state));

  return {
    generationOf: generations.of,
    isCurrent,
    async of(key, facts, generation, all) {
      const validator = await validatorOf(facts, all);
      return { facts, validator, id: await idOf(fingerprint, key, validator), checkedAt: now(), generation };
    },
    keep,
    confirm: (key, state) => keep(key, { ...state, checkedAt: now() }),
    noteAbsent(key, generation) {
      if (generations.of(key) !== generation) return;
      states.delete(key);
      if (absentMs > 0) absent.set(key, now() + absentMs, 1);
    },
    async find(key, look, wait, signal, trace) {
      const inMemory = states.get(key);
      if (counts(inMemory)) return inMemory;
      if (!inMemory && now() < (absent.get(key) ?? 0)) return undefined;
      const ask = async (work: AbortSignal) => {
        const known = states.get(key) ?? (await stored(key));
        if (known && isCurrent(key, known)) states.set(key, known, 1);
        if (counts(known)) return known;
        try {
          return await look(key, known, work, trace);
        } catch (error) {
          if (!(error instanceof ServiceError) || error.code !== "origin_unavailable" || !isSpare(known))
            throw error;
          awayUntil = now() + awayMs;
          return known;
        }
      };
      return wait((leaving) => looks.run(`${generations.of(key)} ${key}`, ask, leaving), signal);
    },
    forget(key) {
      absent.delete(key);
      const state = states.get(key);
      if (state) keep(key, { ...state, checkedAt: 0 });
    },
    purge(key) {
      generations.renew(key);
      for (const known of [states, absent]) {
        if (key === undefined) known.clear();
        else known.delete(key);
      }
    },
    isAway: () => now() < awayUntil,
  };
}
