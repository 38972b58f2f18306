// The origin cache: a source of remote masters. Bytes that were read are cached as aligned blocks in the
// origin slot, so that nothing is fetched twice, and a master that is cached and fresh costs no request.

import {
  type ByteSource,
  cancelledError,
  createCounts,
  type KeepAlive,
  noRecorder,
  ServiceError,
  type TraceContext,
} from "../../../base/index.ts";
import type { Slot } from "../../stores/slot.ts";
import type { Remote } from "../remote.ts";
import type { Source } from "../source.ts";
import { blockSize, createCachedBlocks } from "./cached-blocks.ts";
import { createDeliveries } from "./deliveries.ts";
import { createKnownStates } from "./known-states.ts";
import type { State } from "./master-state.ts";
import { createReadAhead, upTo } from "./read-ahead.ts";
import { atOnce, OriginRequests, type RemoteFigures, remoteCounts } from "./requests.ts";
import { createWaits, type Wait } from "./waits.ts";

export { blockSize } from "./cached-blocks.ts";
export type { RemoteFigures } from "./requests.ts";

export interface OriginCacheOptions extends Pick<Source, "name" | "prefix" | "fingerprint" | "keyOf"> {
  readonly backend: "http" | "s3";
  readonly remote: Remote;
  /** The origin slot. */
  readonly slot: Pick<Slot, "get" | "put" | "whenSettled">;
  /** Milliseconds for which a master counts as unchanged; 0: it is checked each time. */
  readonly revalidateMs: number;
  /**
   * Milliseconds after `revalidateMs` during which a master may still be served while its origin does not
   * respond.
   */
  readonly staleMs: number;
  /** Total milliseconds that one request may wait for this source; 0: no limit. */
  readonly timeoutMs: number;
  /** Maximum size in bytes of a master that has to be held as a whole; 64 MiB if absent. */
  readonly maxHeld?: number;
  readonly list?: Source["list"];
  readonly keepAlive?: KeepAlive;
  readonly figures?: RemoteFigures | undefined;
  /** Returns the time in milliseconds since 1970. */
  readonly now?: () => number;
}

/** A master that a request has opened. */
interface Opened {
  readonly key: string;
  readonly state: State;
  readonly wait: Wait;
  readonly trace: TraceContext | undefined;
}

/** Bytes between two ranges up to which one request for both is cheaper than two requests. */
const gap = 2 * blockSize;

/** Milliseconds after which a health check of an origin ends. */
const checkMs = 5_000;

/** Creates a source of remote masters. Throws what {@link Source.open} and {@link Remote.get} throw. */
export function originCached(options: OriginCacheOptions): Source {
  const {
    name,
    prefix,
    fingerprint,
    backend,
    remote,
    slot,
    timeoutMs,
    keyOf,
    list,
    now = Date.now,
    figures = { counts: createCounts(...remoteCounts), requests: noRecorder },
  } = options;
  const { counts } = figures;
  const entryName = (key: string) => `${name}:${key}`;
  const states = createKnownStates({ ...options, entryName, now });
  const cachedBlocks = createCachedBlocks({ slot, entryName, isCurrent: states.isCurrent });
  const requests = new OriginRequests({ ...options, states, cachedBlocks, figures });
  const deliveries = createDeliveries(cachedBlocks, requests);

  const countError = (error: unknown): unknown => {
    if (error instanceof ServiceError && error.kind === "source") counts.errors.add();
    return error;
  };

  /** Returns the bytes `from` to `to` of a master. */
  const reader = (opened: Opened, from: number, to: number): ByteSource => {
    const { key, state, wait, trace } = opened;
    const size = to - from;
    const pattern = createReadAhead(from, to);
    /** Functions that stop fetching blocks in advance. */
    const aheads = new Set<() => void>();
    return {
      size,
      gap,
      section: (offset, length) => reader(opened, from + offset, Math.min(to, from + offset + length)),
      async read(offset, length, signal) {
        if (signal?.aborted) throw cancelledError(signal);
        const wanted = Math.max(0, Math.min(length, size - offset));
        if (wanted === 0) return new Uint8Array();
        if (!states.isCurrent(key, state)) throw requests.changedError(key);
        const reading = { key, state, signal, trace };
        const begin = from + offset;
        const end = begin + wanted;
        const first = Math.floor(begin / blockSize);
        const last = Math.floor((end - 1) / blockSize);
        deliveries.ahead(reading, pattern.read(first, last), aheads);
        const out = new Uint8Array(wanted);
        for (let at = first; at <= last; at += atOnce) {
          const numbers = upTo(at, Math.min(at + atOnce, last + 1));
          const arriving = deliveries.blocks(reading, numbers, wait);
          deliveries.ahead(reading, pattern.next(), aheads);
          const there = await arriving.catch((error: unknown) => {
            // The job ends here, so nothing will be read in advance any more.
            for (const release of aheads) release();
            throw countError(error);
          });
          for (const [i, block] of there.entries()) {
            const start = (at + i) * blockSize;
            const skipped = Math.max(0, begin - start);
            out.set(block.subarray(skipped, Math.min(block.length, end - start)), start + skipped - begin);
          }
        }
        counts.reads.add();
        counts.bytes.add(wanted);
        return out;
      },
    };
  };

  return {
    name,
    backend,
    prefix,
    fingerprint,
    counts,
    ...(keyOf && { keyOf }),
    async open(key, signal, trace) {
      remote.checkKey(key);
      try {
        const wait = createWaits(timeoutMs, counts);
        const state = await states.find(key, (...asked) => requests.look(...asked), wait, signal, trace);
        (state ? counts.opens : counts.notFound).add();
        if (!state) return undefined;
        const { facts, validator } = state;
        return {
          bytes: reader({ key, state, wait, trace }, 0, facts.size),
          remote: true,
          validator,
          ...(facts.modified === undefined ? {} : { modified: new Date(facts.modified) }),
          async close() {},
        };
      } catch (error) {
        throw countError(error);
      }
    },
    forget: states.forget,
    purge: states.purge,
    ...(list ? { list } : {}),
    isAway: states.isAway,
    check: () => remote.check(AbortSignal.timeout(checkMs)),
  };
}
