// The origin cache: a source over masters that lie elsewhere. What was read of them is kept as aligned blocks in the origin
// slot, so that nothing is fetched twice and a fresh master that is kept costs no request at all.

import { cancelled, ServiceError, sourceChanged } from "../errors.ts";
import type { ByteSource } from "../lib/byte-source.ts";
import { type Counts, createCounts, noRecorder, type Recorder } from "../lib/count.ts";
import { createGenerations } from "../lib/generations.ts";
import { createLru } from "../lib/lru.ts";
import { createSingleFlight, type KeepAlive } from "../lib/single-flight.ts";
import type { TraceHeaders } from "../lib/trace-context.ts";
import type { Slot } from "../stores/slot.ts";
import { type Coming, type Delivery, hold } from "./delivery.ts";
import { decodeState, encodeState, idOf, type State, stateVariant, validatorOf } from "./master-state.ts";
import {
  hasValidator,
  originError,
  type Remote,
  type RemoteAnswer,
  type RemoteFacts,
  sameState,
} from "./remote.ts";
import { type Source, sourceCounts } from "./source.ts";
import { createWaits, type Wait, waitCounts } from "./waits.ts";
import { tooLarge, type Whole, wholeBlocks } from "./whole-master.ts";

export interface OriginCacheOptions extends Pick<Source, "name" | "prefix" | "fingerprint"> {
  readonly backend: "http" | "s3";
  readonly remote: Remote;
  /** The origin slot. */
  readonly slot: Pick<Slot, "get" | "put" | "settled">;
  /** How long a master counts as unchanged, in milliseconds; 0: it is asked for each time. */
  readonly revalidateMs: number;
  /** How long after that a master may still be served while its origin does not answer, in milliseconds. */
  readonly staleMs: number;
  /** How long one request may wait for this source in all, in milliseconds; 0: no limit. */
  readonly timeoutMs: number;
  readonly list?: Source["list"];
  readonly keepAlive?: KeepAlive;
  readonly figures?: RemoteFigures | undefined;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** What a remote source counts. `fetched`: bytes that came from its origin. */
const remoteCounts = [...sourceCounts, "fetched", ...waitCounts] as const;

/** What a remote source reports to. */
export interface RemoteFigures {
  readonly counts: Counts<(typeof remoteCounts)[number]>;
  /** How long each request to the origin took, in seconds. */
  readonly requests: Recorder;
}

/** Bytes of a block. A tile's rows span some 0.5 to 1 MB: few blocks, and little beside them. */
export const blockSize = 128 * 1024;
/** The first request, which also tells size and state: the headers of nearly all files lie in it. */
const firstLength = 2 * blockSize;
/** A master of up to this size is fetched whole once more than its beginning is wanted. */
const smallFile = 2 * 2 ** 20;
/** Bytes fetched by one request at most, so that memory stays bounded. */
const mostAtOnce = 8 * 2 ** 20;
const atOnce = mostAtOnce / blockSize;
/** What is read in sequence is read ahead, at first so much, then twice as much each time. */
const leastAhead = 2 ** 20;
const mostAhead = 4 * 2 ** 20;
/** Bytes between two ranges that are sooner fetched along than asked for apart. */
const gap = 2 * blockSize;
/** Bytes of blocks that stay in memory, whichever the slot. */
const keptBytes = 32 * 2 ** 20;
/** Masters whose state stays in memory. */
const keptStates = 20_000;
/** A master whose origin sends neither ETag nor date, or no length, may be as large as this: it is held as a whole. */
const mostHeld = 64 * 2 ** 20;
/** Bytes that all of those of a source may take while they come. */
const mostHeldAtOnce = 4 * mostHeld;
const tooManyHeld =
  "Too many images that have to be held as a whole are being fetched at once. Try again in a moment.";

/** A source over a remote. Throws what {@link Source.open} and {@link Remote.get} throw. */
export function originCached(options: OriginCacheOptions): Source {
  const {
    name,
    prefix,
    fingerprint,
    backend,
    remote,
    slot,
    revalidateMs,
    staleMs,
    timeoutMs,
    list,
    now = Date.now,
    figures: { counts, requests } = { counts: createCounts(...remoteCounts), requests: noRecorder },
  } = options;
  const states = createLru<string, State>(keptStates);
  /** Masters that were not there, and until when they are not asked for again: a page is first looked for by its whole name. */
  const absent = createLru<string, number>(keptStates);
  const absentMs = Math.min(revalidateMs, mostAbsentMs);
  const blocks = createLru<string, Uint8Array>(keptBytes);
  const looks = createSingleFlight<State | undefined>(options.keepAlive);
  /** Blocks on their way: one flight for all who read them. */
  const coming = new Map<string, Coming>();

  const generations = createGenerations();
  const isCurrent = (key: string, state: State) => state.generation === generations.of(key);

  const entryName = (key: string) => `${name}:${key}`;
  const blockVariant = (state: State, n: number) => `block.${state.id}.${n}`;
  /** A block's key in memory. */
  const blockKey = (state: State, n: number) => `${state.generation} ${blockVariant(state, n)}`;
  const blockCount = (state: State) => Math.ceil(state.facts.size / blockSize);
  const lengthOf = (state: State, n: number) => Math.min(blockSize, state.facts.size - n * blockSize);

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

  const keepState = (key: string, state: State): State => {
    if (!isCurrent(key, state)) return state;
    states.set(key, state, 1);
    slot.put(entryName(key), stateVariant, encodeState(state));
    return state;
  };

  const storedState = async (key: string): Promise<State | undefined> => {
    const generation = generations.of(key);
    const stored = await slot.get(entryName(key), stateVariant);
    const state = stored && decodeState(stored, generation);
    // Another origin under this source's name has other states.
    return state && state.id === (await idOf(fingerprint, key, state.validator)) ? state : undefined;
  };

  const keepBlock = (key: string, state: State, n: number, bytes: Uint8Array): void => {
    if (!isCurrent(key, state)) return;
    blocks.set(blockKey(state, n), bytes, bytes.length + 128);
    slot.put(entryName(key), blockVariant(state, n), bytes);
  };

  /** Keeps the whole blocks of bytes that begin on the grid. */
  const keepBlocks = (key: string, state: State, offset: number, bytes: Uint8Array): void => {
    for (let at = 0; at < bytes.length; at += blockSize) {
      const n = (offset + at) / blockSize;
      const block = bytes.slice(at, at + blockSize);
      if (block.length === lengthOf(state, n)) keepBlock(key, state, n, block);
    }
  };

  const newState = async (
    key: string,
    facts: RemoteFacts,
    generation: number,
    all?: readonly Uint8Array[],
  ): Promise<State> => {
    const validator = await validatorOf(facts, all);
    return { facts, validator, id: await idOf(fingerprint, key, validator), checkedAt: now(), generation };
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
      keepBlock(key, state, count, block);
      onBlock?.(state, count, block);
      count++;
      if (count % atOnce === 0) await slot.settled();
    };
    if (hasValidator(facts) && length !== undefined) {
      const state = await newState(key, { ...facts, size: length }, generation);
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
      const state = await newState(key, { ...facts, size }, generation, all);
      for (const block of all) await keep(state, block);
      return state;
    } finally {
      held -= size;
    }
  };

  /** Asks the origin for the beginning of a master, unless it is as it was. */
  const look = async (
    key: string,
    known: State | undefined,
    signal: AbortSignal,
    trace: TraceHeaders | undefined,
  ): Promise<State | undefined> => {
    const generation = generations.of(key);
    const first = { offset: 0, length: firstLength };
    // Without ETag and date nothing says whether another range would be of the same state: all bytes have to come at once.
    const range = known && !hasValidator(known.facts) && known.facts.size > firstLength ? undefined : first;
    let answer = await ask(key, range, known && { facts: known.facts, purpose: "check" }, signal, trace);
    if (answer.kind === "part" && !hasValidator(answer.facts) && answer.bytes.length < answer.facts.size) {
      if (answer.facts.size > mostHeld) throw tooLarge(answer.facts.size);
      answer = await ask(key, undefined, undefined, signal, trace);
    }
    if (answer.kind === "absent") {
      if (generations.of(key) === generation) {
        states.delete(key);
        if (absentMs > 0) absent.set(key, now() + absentMs, 1);
      }
      return undefined;
    }
    if (answer.kind === "unchanged" && known) return keepState(key, { ...known, checkedAt: now() });
    if (answer.kind === "whole") {
      const facts = { ...answer.facts, size: answer.length ?? -1 };
      if (known && sameState(known.facts, facts)) {
        await answer.body.cancel().catch(() => {});
        return keepState(key, { ...known, checkedAt: now() });
      }
      return keepState(key, await keepWhole(key, answer, generation));
    }
    if (answer.kind !== "part") throw originError("origin_bad_answer", answer.kind);
    const state = await newState(key, answer.facts, generation, [answer.bytes]);
    keepBlocks(key, state, 0, answer.bytes);
    return keepState(key, state);
  };

  /** Until then an origin that did not answer is not asked again for what may be served without it. */
  let awayUntil = 0;

  const stateOf = async (
    key: string,
    wait: Wait,
    signal?: AbortSignal,
    trace?: TraceHeaders,
  ): Promise<State | undefined> => {
    const age = (state: State) => Math.abs(now() - state.checkedAt); // another server's clock may be ahead
    const fresh = (state: State | undefined) =>
      state !== undefined && age(state) < revalidateMs ? state : undefined;
    const spare = (state: State | undefined) =>
      state !== undefined && age(state) < revalidateMs + staleMs ? state : undefined;
    const inMemory = states.get(key);
    if (fresh(inMemory) || (now() < awayUntil && spare(inMemory))) return inMemory;
    if (!inMemory && now() < (absent.get(key) ?? 0)) return undefined;
    const find = async (work: AbortSignal) => {
      const known = states.get(key) ?? (await storedState(key));
      if (known && isCurrent(key, known)) states.set(key, known, 1);
      if (fresh(known) || (now() < awayUntil && spare(known))) return known;
      try {
        return await look(key, known, work, trace);
      } catch (error) {
        if (!(error instanceof ServiceError) || error.code !== "origin_unavailable" || !spare(known))
          throw error;
        awayUntil = now() + awayMs;
        return known;
      }
    };
    return wait((leaving) => looks.run(`${generations.of(key)} ${key}`, find, leaving), signal);
  };

  const changed = (key: string): ServiceError => {
    source.forget?.(key);
    return sourceChanged();
  };

  /** One request for blocks that lie side by side. */
  const fetchRun = async (
    key: string,
    state: State,
    { first, count }: { readonly first: number; readonly count: number },
    signal: AbortSignal,
    trace: TraceHeaders | undefined,
  ): Promise<Uint8Array[]> => {
    const offset = first * blockSize;
    const length = Math.min(count * blockSize, state.facts.size - offset);
    const named = hasValidator(state.facts);
    const range = named ? { offset, length } : undefined;
    const answer = await ask(key, range, { facts: state.facts, purpose: "read" }, signal, trace);
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
    for (const [i, block] of found.entries()) keepBlock(key, state, first + i, block);
    return found;
  };

  /**
   * Begins to bring the blocks of a list that are neither in memory nor on their way; neighbours come with one request.
   * undefined: there are none.
   */
  const bring = (
    key: string,
    state: State,
    wanted: readonly number[],
    trace: TraceHeaders | undefined,
  ): Delivery | undefined => {
    const claimed = wanted.filter((n) => {
      const kept = blockKey(state, n);
      return blocks.get(kept) === undefined && !coming.has(kept);
    });
    if (claimed.length === 0) return undefined;
    const stopping = new AbortController();
    const run = (async () => {
      const stored = await Promise.all(
        claimed.map(async (n) => {
          const block = await slot.get(entryName(key), blockVariant(state, n));
          if (block?.length !== lengthOf(state, n)) return undefined;
          blocks.set(blockKey(state, n), block, block.length + 128);
          return block;
        }),
      );
      const missing = claimed.filter((_, i) => stored[i] === undefined);
      return {
        stored,
        runs: runsOf(missing).map((each) => ({
          ...each,
          found: fetchRun(key, state, each, stopping.signal, trace),
        })),
      };
    })();
    let left = claimed.length;
    const forget = (n: number) => {
      if (coming.get(blockKey(state, n))?.delivery === delivery) coming.delete(blockKey(state, n));
    };
    const arriving = claimed.map((n, i) =>
      run
        .then(async ({ stored, runs }) => {
          const mine = runs.find(({ first, count }) => n >= first && n < first + count);
          return stored[i] ?? ((await mine?.found)?.[n - (mine?.first ?? 0)] as Uint8Array);
        })
        .finally(() => {
          left--;
          forget(n);
        }),
    );
    const delivery: Delivery = {
      holders: 0,
      ended: Promise.allSettled(arriving), // those who wait for a block hear of its error
      stop() {
        if (left === 0) return;
        // whoever asks for these blocks from now on begins again
        claimed.forEach(forget);
        stopping.abort();
      },
    };
    for (const [i, n] of claimed.entries())
      coming.set(blockKey(state, n), { delivery, block: arriving[i] as Promise<Uint8Array> });
    return delivery;
  };

  /**
   * Brings blocks that are likely to be wanted next, as long as somebody waits for the signal's work. Who ceases to want them calls what is
   * in `held`.
   */
  const bringAhead = (
    key: string,
    state: State,
    wanted: readonly number[],
    held: Set<() => void>,
    signal?: AbortSignal,
    trace?: TraceHeaders,
  ): void => {
    const delivery = bring(key, state, wanted, trace);
    if (!delivery) return;
    const release = hold(delivery, signal);
    held.add(release);
    void delivery.ended.then(() => {
      held.delete(release);
      release();
    });
  };

  /** Blocks from memory; those that are not there are waited for. */
  const blocksOf = async (
    key: string,
    state: State,
    numbers: readonly number[],
    wait: Wait,
    signal?: AbortSignal,
    trace?: TraceHeaders,
  ): Promise<readonly Uint8Array[]> => {
    bring(key, state, numbers, trace);
    const found = numbers.map(
      (n) => blocks.get(blockKey(state, n)) ?? (coming.get(blockKey(state, n)) as Coming),
    );
    const isThere = (one: Uint8Array | Coming) => one instanceof Uint8Array;
    if (found.every(isThere)) return found;
    return wait((leaving) => {
      const deliveries = new Set(found.flatMap((one) => (isThere(one) ? [] : one.delivery)));
      for (const delivery of deliveries) hold(delivery, leaving);
      return Promise.all(found.map((one) => (isThere(one) ? one : one.block)));
    }, signal);
  };

  const counted = (error: unknown): unknown => {
    if (error instanceof ServiceError && error.kind === "source") counts.errors.add();
    return error;
  };

  const reader = (key: string, state: State, wait: Wait, trace?: TraceHeaders): ByteSource => {
    const { size } = state.facts;
    let lastBlock = -1;
    let ahead = 0;
    let aheadEnd = 0;
    const aheads = new Set<() => void>();
    return {
      size,
      gap,
      async read(offset, length, signal) {
        if (signal?.aborted) throw cancelled(signal);
        const wanted = Math.max(0, Math.min(length, size - offset));
        if (wanted === 0) return new Uint8Array();
        if (!isCurrent(key, state)) throw changed(key);
        const end = offset + wanted;
        const first = Math.floor(offset / blockSize);
        const last = Math.floor((end - 1) / blockSize);
        // What goes on where the last read ended, and has left the header behind, is likely to go on further.
        const goesOn = first <= lastBlock + 1 && first >= lastBlock && last > lastBlock && lastBlock > 0;
        if (goesOn) ahead = Math.min(Math.max(2 * ahead, leastAhead), mostAhead);
        else if (first !== lastBlock || last !== lastBlock) ahead = aheadEnd = 0;
        lastBlock = last;
        const all = blockCount(state);
        const small = size <= smallFile && last >= firstLength / blockSize;
        if (small) bringAhead(key, state, upTo(0, all), aheads, signal, trace);
        const out = new Uint8Array(wanted);
        for (let at = first; at <= last; at += atOnce) {
          const numbers = upTo(at, Math.min(at + atOnce, last + 1));
          const arriving = blocksOf(key, state, numbers, wait, signal, trace);
          // Half of the window is used up before the next is fetched, so that requests stay few.
          const window = ahead / blockSize;
          if (window > 0 && aheadEnd - last <= window / 2) {
            aheadEnd = Math.min(all, last + 1 + window);
            bringAhead(key, state, upTo(last + 1, aheadEnd), aheads, signal, trace);
          }
          const there = await arriving.catch((error: unknown) => {
            // The work ends here: nobody comes for what was to follow.
            for (const release of aheads) release();
            throw counted(error);
          });
          for (const [i, block] of there.entries()) {
            const start = (at + i) * blockSize;
            const from = Math.max(0, offset - start);
            out.set(block.subarray(from, Math.min(block.length, end - start)), start + from - offset);
          }
        }
        counts.reads.add();
        counts.bytes.add(wanted);
        return out;
      },
    };
  };

  const source: Source = {
    name,
    backend,
    prefix,
    fingerprint,
    counts,
    async open(key, signal, trace) {
      remote.checkKey(key);
      try {
        const wait = createWaits(timeoutMs, counts);
        const state = await stateOf(key, wait, signal, trace);
        (state ? counts.opens : counts.notFound).add();
        if (!state) return undefined;
        const { facts, validator } = state;
        return {
          bytes: reader(key, state, wait, trace),
          remote: true,
          validator,
          ...(facts.modified === undefined ? {} : { modified: new Date(facts.modified) }),
          async close() {},
        };
      } catch (error) {
        throw counted(error);
      }
    },
    forget(key) {
      absent.delete(key);
      const state = states.get(key);
      if (state) keepState(key, { ...state, checkedAt: 0 });
    },
    purge(key) {
      generations.renew(key);
      for (const known of [states, absent]) {
        if (key === undefined) known.clear();
        else known.delete(key);
      }
    },
    ...(list ? { list } : {}),
    isAway: () => now() < awayUntil,
    check: () => remote.check(AbortSignal.timeout(checkMs)),
  };
  return source;
}

/** An origin that did not answer is left alone for so long. */
const awayMs = 10_000;

/** A master that is not there is not asked for again for so long, or until `revalidate` is over. */
const mostAbsentMs = 10_000;

/** A check of an origin ends after this. */
const checkMs = 5_000;

const upTo = (first: number, end: number): number[] =>
  Array.from({ length: Math.max(0, end - first) }, (_, i) => first + i);

/** Numbers in ascending order as runs of neighbours, none longer than one request may bring. */
function runsOf(numbers: readonly number[]): { readonly first: number; readonly count: number }[] {
  const runs: { first: number; count: number }[] = [];
  for (const n of numbers) {
    const last = runs.at(-1);
    if (last && last.first + last.count === n && last.count < atOnce) last.count++;
    else runs.push({ first: n, count: 1 });
  }
  return runs;
}
