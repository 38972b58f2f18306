// Known states of the masters of an origin: their latest state, how long it is valid, and which masters do
// not exist.

import {
  createGenerations,
  createLru,
  createSingleFlight,
  type KeepAlive,
  ServiceError,
  type TraceContext,
} from "../../../base/index.ts";
import type { Slot } from "../../stores/slot.ts";
import type { RemoteFacts } from "../remote.ts";
import { decodeState, encodeState, idOf, type State, stateVariant, validatorOf } from "./master-state.ts";
import type { Wait } from "./waits.ts";

/** Maximum number of masters whose state stays in memory. */
const maxStates = 20_000;
/** Milliseconds during which an origin that did not respond is not asked again. */
const awayMs = 10_000;
/** Milliseconds during which a missing master is not requested again; less if `revalidate` is shorter. */
const maxAbsentMs = 10_000;

export interface KnownStatesOptions {
  readonly fingerprint: string;
  readonly slot: Pick<Slot, "get" | "put">;
  /** Returns the name of a master in the slot. */
  readonly entryName: (key: string) => string;
  /** Milliseconds for which a master counts as unchanged; 0: it is checked each time. */
  readonly revalidateMs: number;
  /**
   * Milliseconds after `revalidateMs` during which a master may still be served while its origin does not
   * respond.
   */
  readonly staleMs: number;
  readonly keepAlive?: KeepAlive | undefined;
  /** Returns the time in milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Requests the state of a master from the origin; the known state is confirmed if it has not changed. Returns
 * undefined if the master does not exist.
 */
export type LookUpState = (
  key: string,
  known: State | undefined,
  signal: AbortSignal,
  trace: TraceContext | undefined,
) => Promise<State | undefined>;

export interface KnownStates {
  generationOf(key: string): number;
  /** True if no purge has occurred since a state became known. */
  isCurrent(key: string, state: State): boolean;
  /**
   * Returns the state that a response describes. `all`: the bytes of the master, if nothing else identifies
   * its state.
   */
  of(key: string, facts: RemoteFacts, generation: number, all?: readonly Uint8Array[]): Promise<State>;
  /** Stores a state, unless a purge has occurred since it became known, and returns it. */
  keep(key: string, state: State): State;
  /** Records that a state was seen again now, and returns the updated state. */
  confirm(key: string, state: State): State;
  /** Records that a master does not exist, unless a purge has occurred since `generation`. */
  noteAbsent(key: string, generation: number): void;
  /**
   * Returns the state of a master: the known one if it is still valid, or else the result of `look`, called
   * once for all simultaneous callers. Returns undefined if the master does not exist.
   */
  find(
    key: string,
    look: LookUpState,
    wait: Wait,
    signal?: AbortSignal,
    trace?: TraceContext,
  ): Promise<State | undefined>;
  /** Requires that the origin is asked about a master before it is served again. */
  forget(key: string): void;
  /** Drops the states of one master, or of all. */
  purge(key?: string): void;
  /** True while the origin is not asked because it did not respond. */
  isAway(): boolean;
}

/** Creates an empty list of states. */
export function createKnownStates({
  fingerprint,
  slot,
  entryName,
  revalidateMs,
  staleMs,
  keepAlive,
  now,
}: KnownStatesOptions): KnownStates {
  const states = createLru<string, State>(maxStates);
  /**
   * Missing masters, and the time before which they are not requested again: a page is first looked up by its
   * whole name.
   */
  const absent = createLru<string, number>(maxStates);
  const absentMs = Math.min(revalidateMs, maxAbsentMs);
  const looks = createSingleFlight<State | undefined>(keepAlive);
  const generations = createGenerations();
  /**
   * Time before which an origin that did not respond is not asked about masters that can be served without
   * it.
   */
  let awayUntil = 0;

  const isCurrent = (key: string, state: State) => state.generation === generations.of(key);

  const keep = (key: string, state: State): State => {
    if (!isCurrent(key, state)) return state;
    states.set(key, state, 1);
    slot.put(entryName(key), stateVariant, encodeState(state));
    return state;
  };

  const readStored = async (key: string): Promise<State | undefined> => {
    const generation = generations.of(key);
    const bytes = await slot.get(entryName(key), stateVariant);
    const state = bytes && decodeState(bytes, generation);
    // A state of another origin, stored under the name of this source, is ignored.
    return state && state.id === (await idOf(fingerprint, key, state.validator)) ? state : undefined;
  };

  const age = (state: State) => Math.abs(now() - state.checkedAt); // the clock of another server may be ahead
  const isFresh = (state: State | undefined) => state !== undefined && age(state) < revalidateMs;
  /** True if a state may be served while the origin does not respond. */
  const isSpare = (state: State | undefined) => state !== undefined && age(state) < revalidateMs + staleMs;
  /** True if a state may be served without asking the origin. */
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
        const known = states.get(key) ?? (await readStored(key));
        if (known && isCurrent(key, known)) states.set(key, known, 1);
        if (counts(known)) return known;
        try {
          return await look(key, known, work, trace);
        } catch (error) {
          if (!(error instanceof ServiceError) || error.code !== "origin_unavailable" || !isSpare(known))
            throw error;
          awayUntil = now() + Math.max(awayMs, (error.retryAfter ?? 0) * 1000);
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
