// Requests to an origin, and what becomes of their answers: states and blocks that are kept.

import { ServiceError, sourceChanged } from "../../errors.ts";
import type { Counts, Recorder } from "../../lib/telemetry/count.ts";
import type { TraceContext } from "../../lib/telemetry/trace-context.ts";
import type { Slot } from "../../stores/slot.ts";
import { hasValidator, originError, type Remote, type RemoteAnswer, sameState } from "../remote.ts";
import { sourceCounts } from "../source.ts";
import { blockSize, type KeptBlocks } from "./kept-blocks.ts";
import type { KnownStates, Look } from "./known-states.ts";
import type { State } from "./master-state.ts";
import { waitCounts } from "./waits.ts";
import { tooLarge, type Whole, wholeBlocks } from "./whole-master.ts";

/** What a remote source counts. `fetched`: bytes that came from its origin. */
export const remoteCounts = [...sourceCounts, "fetched", ...waitCounts] as const;

/** What a remote source reports to. */
export interface RemoteFigures {
  readonly counts: Counts<(typeof remoteCounts)[number]>;
  /** How long each request to the origin took, in seconds. */
  readonly requests: Recorder;
}

/** The first request, which also returns size and state: the headers of nearly all files lie in it. */
export const firstLength = 2 * blockSize;
/** Blocks fetched by one request at most, so that memory stays bounded. */
export const atOnce = (8 * 2 ** 20) / blockSize;
/** A master whose origin sends neither ETag nor date, or no length, may be as large as this: it is held as a whole. */
const mostHeld = 64 * 2 ** 20;
/** Bytes that all of those of a source may take while they come. */
const mostHeldAtOnce = 4 * mostHeld;
const tooManyHeld =
  "Too many images that have to be held as a whole are being fetched at once. Try again in a moment.";

/** Blocks that lie side by side. */
export interface Run {
  readonly first: number;
  readonly count: number;
}

export interface OriginRequests {
  readonly look: Look;
  /** Blocks that lie side by side, by one request. */
  blocks(
    key: string,
    state: State,
    run: Run,
    signal: AbortSignal,
    trace: TraceContext | undefined,
  ): Promise<Uint8Array[]>;
  /** The error of a master that is no longer as it was known; it is looked for again by the next who opens it. */
  changed(key: string): ServiceError;
}

export interface OriginRequestsOptions {
  readonly remote: Remote;
  readonly slot: Pick<Slot, "settled">;
  readonly states: KnownStates;
  readonly kept: KeptBlocks;
  readonly figures: RemoteFigures;
}

/** Requests to the origin of `remote`. */
export function createOriginRequests({
  remote,
  slot,
  states,
  kept,
  figures: { counts, requests },
}: OriginRequestsOptions): OriginRequests {
  const ask = async (...request: Parameters<Remote["get"]>): Promise<RemoteAnswer> => {
    const began = performance.now();
    try {
      const answer = await remote.get(...request);
      if (answer.kind === "part") counts.fetched.add(answer.bytes.length);
      return answer;
    } finally {
      requests.record((performance.now() - began) / 1000);
    }
  };

  /** Bytes of masters that are being held as a whole. */
  let held = 0;

  /**
   * Keeps all blocks of a master that comes in one answer: each as it comes where its state is known before, else all of them
   * at its end, so that they are of one state.
   */
  const keepWhole = async (
    key: string,
    answer: Whole,
    generation: number,
    onBlock?: (state: State, n: number, block: Uint8Array) => void,
  ): Promise<State> => {
    const { facts, length } = answer;
    let count = 0;
    const keep = async (state: State, block: Uint8Array) => {
      kept.keep(key, state, count, block);
      onBlock?.(state, count, block);
      count++;
      if (count % atOnce === 0) await slot.settled();
    };
    if (hasValidator(facts) && length !== undefined) {
      const state = await states.of(key, { ...facts, size: length }, generation);
      for await (const block of wholeBlocks(answer, blockSize, length)) {
        counts.fetched.add(block.length);
        await keep(state, block);
      }
      return state;
    }
    const all: Uint8Array[] = [];
    let size = 0;
    try {
      for await (const block of wholeBlocks(answer, blockSize, mostHeld)) {
        counts.fetched.add(block.length);
        size += block.length;
        held += block.length;
        if (held > mostHeldAtOnce) throw new ServiceError("busy", tooManyHeld);
        all.push(block);
      }
      const state = await states.of(key, { ...facts, size }, generation, all);
      for (const block of all) await keep(state, block);
      return state;
    } finally {
      held -= size;
    }
  };

  const changed = (key: string): ServiceError => {
    states.forget(key);
    return sourceChanged();
  };

  return {
    changed,

    async look(key, known, signal, trace) {
      const generation = states.generationOf(key);
      const first = { offset: 0, length: firstLength };
      // Without ETag and date nothing says whether another range would be of the same state: all bytes have to come at once.
      const range = known && !hasValidator(known.facts) && known.facts.size > firstLength ? undefined : first;
      let answer = await ask(
        key,
        range,
        known && { facts: known.facts, purpose: "check" },
        signal,
        trace?.headers,
      );
      if (answer.kind === "part" && !hasValidator(answer.facts) && answer.bytes.length < answer.facts.size) {
        if (answer.facts.size > mostHeld) throw tooLarge(answer.facts.size);
        answer = await ask(key, undefined, undefined, signal, trace?.headers);
      }
      if (answer.kind === "absent") {
        states.noteAbsent(key, generation);
        return undefined;
      }
      if (answer.kind === "unchanged" && known) return states.confirm(key, known);
      if (answer.kind === "whole") {
        const facts = { ...answer.facts, size: answer.length ?? -1 };
        if (known && sameState(known.facts, facts)) {
          await answer.body.cancel().catch(() => {});
          return states.confirm(key, known);
        }
        return states.keep(key, await keepWhole(key, answer, generation));
      }
      if (answer.kind !== "part") throw originError("origin_bad_answer", answer.kind);
      const state = await states.of(key, answer.facts, generation, [answer.bytes]);
      kept.keepAll(key, state, 0, answer.bytes);
      return states.keep(key, state);
    },

    async blocks(key, state, { first, count }, signal, trace) {
      const offset = first * blockSize;
      const length = Math.min(count * blockSize, state.facts.size - offset);
      const named = hasValidator(state.facts);
      const range = named ? { offset, length } : undefined;
      const answer = await ask(key, range, { facts: state.facts, purpose: "read" }, signal, trace?.headers);
      const found: Uint8Array[] = [];
      if (answer.kind === "whole") {
        const facts = { ...answer.facts, size: answer.length ?? state.facts.size };
        if ((named || hasValidator(facts)) && !sameState(facts, state.facts)) {
          await answer.body.cancel().catch(() => {});
          throw changed(key);
        }
        const read = await keepWhole(key, answer, state.generation, (seen, n, block) => {
          if (seen.id === state.id && n >= first && n < first + count) found[n - first] = block;
        });
        if (read.id !== state.id || found.length < count) throw changed(key);
        return found;
      }
      if (answer.kind !== "part" || !sameState(answer.facts, state.facts)) throw changed(key);
      if (answer.bytes.length !== length)
        throw originError("origin_bad_answer", `${answer.bytes.length} of ${length}`);
      for (let i = 0; i < count; i++) found.push(answer.bytes.slice(i * blockSize, (i + 1) * blockSize));
      for (const [i, block] of found.entries()) kept.keep(key, state, first + i, block);
      return found;
    },
  };
}
