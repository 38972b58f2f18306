// Requests to an origin. Responses are interpreted as states and blocks, which are stored.

import {
  type Counts,
  type Recorder,
  ServiceError,
  sourceChangedError,
  type TraceContext,
} from "../../../base/index.ts";
import type { Slot } from "../../stores/slot.ts";
import { hasValidator, originError, type Remote, type RemoteResponse, sameState } from "../remote.ts";
import { sourceCounts } from "../source.ts";
import { blockSize, type CachedBlocks } from "./cached-blocks.ts";
import type { KnownStates } from "./known-states.ts";
import type { State } from "./master-state.ts";
import { waitCounts } from "./waits.ts";
import { tooLarge, type WholeResponse, wholeBlocks } from "./whole-master.ts";

/** Counters of a remote source. `fetched`: bytes from its origin. */
export const remoteCounts = [...sourceCounts, "fetched", ...waitCounts] as const;

/** Counters and recorder of a remote source. */
export interface RemoteFigures {
  readonly counts: Counts<(typeof remoteCounts)[number]>;
  /** Seconds of each request to the origin. */
  readonly requests: Recorder;
}

/**
 * Length of the first request, which also returns size and state; it contains the headers of nearly all
 * files.
 */
export const firstLength = 2 * blockSize;
/** Maximum number of blocks in one request, so that memory stays bounded. */
export const atOnce = (8 * 2 ** 20) / blockSize;
/**
 * Usual maximum size of a master whose origin sends neither ETag nor date, or no length, so that it has to be
 * held as a whole.
 */
const usualHeld = 64 * 2 ** 20;
const tooManyHeld =
  "Too many images that have to be held as a whole are being fetched at once. Try again in a moment.";

/** A run of adjacent blocks. */
export interface Run {
  readonly first: number;
  readonly count: number;
}

export interface OriginRequestsOptions {
  readonly remote: Remote;
  readonly slot: Pick<Slot, "whenSettled">;
  readonly states: KnownStates;
  readonly cachedBlocks: CachedBlocks;
  readonly figures: RemoteFigures;
  /** Maximum size in bytes of a master that has to be held as a whole. */
  readonly maxHeld?: number | undefined;
}

/** The requests to the origin of a remote source. */
export class OriginRequests {
  readonly #parts: OriginRequestsOptions;
  readonly #maxHeld: number;
  /** Total bytes of all such masters of a source while they arrive. */
  readonly #maxHeldAtOnce: number;
  /** Bytes of the masters that are being held as a whole. */
  #held = 0;

  constructor(parts: OriginRequestsOptions) {
    this.#parts = parts;
    this.#maxHeld = parts.maxHeld ?? usualHeld;
    this.#maxHeldAtOnce = Math.max(4 * usualHeld, this.#maxHeld);
  }

  /**
   * Returns the error of a master whose state has changed. The next caller that opens the master asks its
   * origin again.
   */
  changedError(key: string): ServiceError {
    this.#parts.states.forget(key);
    return sourceChangedError();
  }

  async look(
    key: string,
    known: State | undefined,
    signal: AbortSignal,
    trace: TraceContext | undefined,
  ): Promise<State | undefined> {
    const { states, cachedBlocks } = this.#parts;
    const generation = states.generationOf(key);
    const first = { offset: 0, length: firstLength };
    // Without ETag and date, nothing shows whether another range has the same state, so all bytes have to
    // arrive in one response.
    const range = known && !hasValidator(known.facts) && known.facts.size > firstLength ? undefined : first;
    let response = await this.#ask(
      key,
      range,
      known && { facts: known.facts, purpose: "check" },
      signal,
      trace?.headers,
    );
    if (
      response.kind === "part" &&
      !hasValidator(response.facts) &&
      response.bytes.length < response.facts.size
    ) {
      if (response.facts.size > this.#maxHeld) throw tooLarge(response.facts.size, this.#maxHeld);
      response = await this.#ask(key, undefined, undefined, signal, trace?.headers);
    }
    if (response.kind === "absent") {
      states.noteAbsent(key, generation);
      return undefined;
    }
    if (response.kind === "unchanged" && known) return states.confirm(key, known);
    if (response.kind === "whole") {
      const facts = { ...response.facts, size: response.length ?? -1 };
      if (known && sameState(known.facts, facts)) {
        await response.body.cancel().catch(() => {});
        return states.confirm(key, known);
      }
      return states.keep(key, await this.#keepWhole(key, response, generation));
    }
    if (response.kind !== "part") throw originError("origin_bad_answer", response.kind);
    const state = await states.of(key, response.facts, generation, [response.bytes]);
    cachedBlocks.keepAll(key, state, 0, response.bytes);
    return states.keep(key, state);
  }

  /** Fetches and stores a run of blocks by one request. */
  async blocks(
    key: string,
    state: State,
    { first, count }: Run,
    signal: AbortSignal,
    trace: TraceContext | undefined,
  ): Promise<Uint8Array[]> {
    const offset = first * blockSize;
    const length = Math.min(count * blockSize, state.facts.size - offset);
    const named = hasValidator(state.facts);
    const range = named ? { offset, length } : undefined;
    const response = await this.#ask(
      key,
      range,
      { facts: state.facts, purpose: "read" },
      signal,
      trace?.headers,
    );
    const found: Uint8Array[] = [];
    if (response.kind === "whole") {
      const facts = { ...response.facts, size: response.length ?? state.facts.size };
      if ((named || hasValidator(facts)) && !sameState(facts, state.facts)) {
        await response.body.cancel().catch(() => {});
        throw this.changedError(key);
      }
      const read = await this.#keepWhole(key, response, state.generation, (seen, n, block) => {
        if (seen.id === state.id && n >= first && n < first + count) found[n - first] = block;
      });
      if (read.id !== state.id || found.length < count) throw this.changedError(key);
      return found;
    }
    if (response.kind !== "part" || !sameState(response.facts, state.facts)) throw this.changedError(key);
    if (response.bytes.length !== length)
      throw originError("origin_bad_answer", `${response.bytes.length} of ${length}`);
    for (let i = 0; i < count; i++) found.push(response.bytes.slice(i * blockSize, (i + 1) * blockSize));
    for (const [i, block] of found.entries()) this.#parts.cachedBlocks.keep(key, state, first + i, block);
    return found;
  }

  async #ask(...request: Parameters<Remote["get"]>): Promise<RemoteResponse> {
    const { remote, figures } = this.#parts;
    const began = performance.now();
    try {
      const response = await remote.get(...request);
      if (response.kind === "part") figures.counts.fetched.add(response.bytes.length);
      return response;
    } finally {
      figures.requests.record((performance.now() - began) / 1000);
    }
  }

  /**
   * Stores all blocks of a master that arrives in one response. Each is stored on arrival if the response
   * identifies its state; otherwise all are stored at the end, since their bytes identify it.
   */
  async #keepWhole(
    key: string,
    response: WholeResponse,
    generation: number,
    onBlock?: (state: State, n: number, block: Uint8Array) => void,
  ): Promise<State> {
    const { slot, states, cachedBlocks, figures } = this.#parts;
    const { facts, length } = response;
    let count = 0;
    const keep = async (state: State, block: Uint8Array) => {
      cachedBlocks.keep(key, state, count, block);
      onBlock?.(state, count, block);
      count++;
      if (count % atOnce === 0) await slot.whenSettled();
    };
    if (hasValidator(facts) && length !== undefined) {
      const state = await states.of(key, { ...facts, size: length }, generation);
      for await (const block of wholeBlocks(response, blockSize, length)) {
        figures.counts.fetched.add(block.length);
        await keep(state, block);
      }
      return state;
    }
    const all: Uint8Array[] = [];
    let size = 0;
    try {
      for await (const block of wholeBlocks(response, blockSize, this.#maxHeld)) {
        figures.counts.fetched.add(block.length);
        size += block.length;
        this.#held += block.length;
        if (this.#held > this.#maxHeldAtOnce) throw new ServiceError("busy", tooManyHeld);
        all.push(block);
      }
      const state = await states.of(key, { ...facts, size }, generation, all);
      for (const block of all) await keep(state, block);
      return state;
    } finally {
      this.#held -= size;
    }
  }
}
