// Fetches blocks from the slot or the origin: each once for all waiting requests, and only as long as one of
// them waits.

import { onAbort, type TraceContext } from "../../../base/index.ts";
import type { CachedBlocks } from "./cached-blocks.ts";
import type { State } from "./master-state.ts";
import { atOnce, type OriginRequests, type Run } from "./requests.ts";
import type { Wait } from "./waits.ts";

/** The master, its state, and the signal and trace of the reader. */
export interface Reading {
  readonly key: string;
  readonly state: State;
  readonly signal?: AbortSignal | undefined;
  readonly trace?: TraceContext | undefined;
}

export interface Deliveries {
  /** Returns blocks; waits for those that are not in memory. */
  blocks(reading: Reading, numbers: readonly number[], wait: Wait): Promise<readonly Uint8Array[]>;
  /**
   * Fetches blocks that are likely to be needed next, until the signal of `reading` aborts. The functions
   * that are added to `held` end that earlier.
   */
  ahead(reading: Reading, numbers: readonly number[], held: Set<() => void>): void;
}

/** Creates deliveries: blocks that are not in `cachedBlocks` are fetched by `requests`. */
export function createDeliveries(
  cachedBlocks: CachedBlocks,
  requests: Pick<OriginRequests, "blocks">,
): Deliveries {
  /** Blocks being fetched, by name. */
  const coming = new Map<string, Coming>();

  /**
   * Begins to fetch the blocks of a list that are neither in memory nor being fetched; one request fetches
   * adjacent blocks. Returns undefined if there are none.
   */
  const bring = ({ key, state, trace }: Reading, wanted: readonly number[]): Delivery | undefined => {
    const claimed = wanted.filter(
      (n) => cachedBlocks.get(state, n) === undefined && !coming.has(cachedBlocks.nameOf(state, n)),
    );
    if (claimed.length === 0) return undefined;
    const stopping = new AbortController();
    const run = (async () => {
      const stored = await Promise.all(claimed.map((n) => cachedBlocks.load(key, state, n)));
      const missing = claimed.filter((_, i) => stored[i] === undefined);
      return {
        stored,
        runs: runsOf(missing).map((each) => ({
          ...each,
          found: requests.blocks(key, state, each, stopping.signal, trace),
        })),
      };
    })();
    let left = claimed.length;
    const forget = (n: number) => {
      const name = cachedBlocks.nameOf(state, n);
      if (coming.get(name)?.delivery === delivery) coming.delete(name);
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
      ended: Promise.allSettled(arriving), // errors are thrown to those who wait for a block
      stop() {
        if (left === 0) return;
        // later requests for these blocks begin again
        claimed.forEach(forget);
        stopping.abort();
      },
    };
    for (const [i, n] of claimed.entries())
      coming.set(cachedBlocks.nameOf(state, n), { delivery, block: arriving[i] as Promise<Uint8Array> });
    return delivery;
  };

  return {
    async blocks(reading, numbers, wait) {
      const { state, signal } = reading;
      bring(reading, numbers);
      const found = numbers.map(
        (n) => cachedBlocks.get(state, n) ?? (coming.get(cachedBlocks.nameOf(state, n)) as Coming),
      );
      const isThere = (one: Uint8Array | Coming) => one instanceof Uint8Array;
      if (found.every(isThere)) return found;
      return wait((leaving) => {
        const deliveries = new Set(found.flatMap((one) => (isThere(one) ? [] : one.delivery)));
        for (const delivery of deliveries) hold(delivery, leaving);
        return Promise.all(found.map((one) => (isThere(one) ? one : one.block)));
      }, signal);
    },
    ahead(reading, numbers, held) {
      const delivery = bring(reading, numbers);
      if (!delivery) return;
      const release = hold(delivery, reading.signal);
      held.add(release);
      void delivery.ended.then(() => {
        held.delete(release);
        release();
      });
    },
  };
}

/** Groups ascending numbers into runs of adjacent ones, none longer than one request may fetch. */
export function runsOf(numbers: readonly number[]): readonly Run[] {
  const runs: { first: number; count: number }[] = [];
  for (const n of numbers) {
    const last = runs.at(-1);
    if (last && last.first + last.count === n && last.count < atOnce) last.count++;
    else runs.push({ first: n, count: 1 });
  }
  return runs;
}

/** The blocks that one read fetches. Ends early when no reader holds it any more. */
interface Delivery {
  holders: number;
  readonly ended: Promise<unknown>;
  stop(): void;
}

/** One block of a delivery. */
interface Coming {
  readonly delivery: Delivery;
  readonly block: Promise<Uint8Array>;
}

/** Keeps a delivery going until the signal aborts or the returned function is called. */
function hold(delivery: Delivery, signal?: AbortSignal): () => void {
  delivery.holders++;
  let holds = true;
  let unhear = () => {};
  const release = () => {
    if (!holds) return;
    holds = false;
    unhear();
    if (--delivery.holders === 0) delivery.stop();
  };
  if (signal?.aborted) release();
  else if (signal) unhear = onAbort(signal, release);
  return release;
}
