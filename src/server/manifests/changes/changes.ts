// The stream of changes to the manifests of this service: what has been written to it, and the looks at the
// sources that write to it.

import { cancelledError, type Log } from "../../../base/index.ts";
import type { Slot } from "../../stores/slot.ts";
import { Chain, type ChainEnd, type ChangeEntry, type NewEntry, pageLength } from "./chain.ts";
import type { Observed } from "./observe.ts";
import { Seen } from "./seen.ts";

export interface ChangesParts {
  readonly slot: Pick<Slot, "lasting" | "get" | "put" | "delete">;
  /** Returns the manifests that anyone may read. */
  readonly observe: (signal: AbortSignal) => Promise<Observed>;
  /** Milliseconds between the end of a look and the next one. */
  readonly intervalMs: number;
  readonly log: Pick<Log, "warn" | "info">;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** A page of the stream. */
export interface StreamPage {
  /** Entries on the pages before. */
  readonly start: number;
  readonly entries: readonly ChangeEntry[];
  /** Pages of the stream. */
  readonly pages: number;
}

/** The stream as a whole. */
export interface StreamState {
  readonly id: string;
  readonly total: number;
  readonly pages: number;
}

/** The stream of a service. */
export class Changes {
  readonly #parts: ChangesParts;
  readonly #now: () => number;
  readonly #chain: Chain;
  readonly #seen: Seen;
  readonly #closing = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #looking: Promise<void> = Promise.resolve();
  /** The chain of which a part is lost. */
  #lost: string | undefined;
  #isCut = false;

  constructor(parts: ChangesParts) {
    this.#parts = parts;
    this.#now = parts.now ?? Date.now;
    this.#chain = new Chain({ slot: parts.slot, now: this.#now });
    this.#seen = new Seen(parts.slot);
  }

  /** Returns the stream; undefined before its first entry. Throws `busy` if the slot fails. */
  async stream(): Promise<StreamState | undefined> {
    const end = await this.#chain.read();
    const state = end && stateOf(end);
    return state && state.total > 0 ? state : undefined;
  }

  /** Returns a page, by its number from 0; undefined if there is none. Throws `busy` if the slot fails. */
  async page(id: string, number: number): Promise<StreamPage | undefined> {
    const end = await this.#chain.read();
    if (end?.id !== id) return undefined;
    const { pages } = stateOf(end);
    if (number >= pages) return undefined;
    const entries = number === end.page ? end.entries : await this.#chain.full(id, number);
    if (entries === undefined) this.#lost = id;
    return entries && { start: number * pageLength, entries, pages };
  }

  /** Looks now, and from then on at each interval, until it is closed. */
  start(): void {
    const look = () => {
      this.#looking = this.look()
        .catch((error: unknown) => {
          if (this.#closing.signal.aborted) return;
          this.#parts.log.warn("changes to manifests cannot be written; the next look will try again", {
            cause: error instanceof Error ? error.message : String(error),
          });
        })
        .finally(() => {
          if (this.#closing.signal.aborted) return;
          this.#timer = setTimeout(look, this.#parts.intervalMs);
          (this.#timer as { unref?(): void }).unref?.();
        });
    };
    look();
  }

  /**
   * Looks at the manifests once, and writes what has changed since the last entries about them. Throws `busy`
   * if the slot fails, and `cancelled` if it is closed meanwhile.
   */
  async look(): Promise<void> {
    const { signal } = this.#closing;
    // What is observed is true from now on.
    const since = this.#now();
    let end = await this.#follow(await this.#chain.begin());
    const observed = await this.#parts.observe(signal);
    if (observed.isCut && !this.#isCut)
      this.#parts.log.warn(
        "there are more manifests than the stream of changes can follow; some are left out",
      );
    this.#isCut = observed.isCut;
    for (;;) {
      if (signal.aborted) throw cancelledError(signal);
      end = await this.#follow((await this.#chain.read()) ?? (await this.#chain.begin()));
      const first: readonly NewEntry[] = isEmpty(end) ? [{ type: "Refresh", id: "", version: "" }] : [];
      const changes = [...first, ...this.#seen.compare(observed, since)];
      if (changes.length === 0) break;
      await this.#write(changes, end);
    }
    this.#seen.store(this.#now());
  }

  /** Stops looking; resolves when a look that was under way has ended. */
  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#timer);
    await this.#looking;
  }

  /** Writes changes, until another server writes: then they have to be compared again. */
  async #write(changes: readonly NewEntry[], from: ChainEnd): Promise<void> {
    for (let [at, end] = [0, from]; at < changes.length; ) {
      if (this.#closing.signal.aborted) throw cancelledError(this.#closing.signal);
      const added = await this.#chain.add(changes.slice(at, at + pageLength), end);
      if (added === undefined) return;
      at += added.count;
      end = added.end;
    }
  }

  /** Reads a chain up to its end; if a part of it is lost, begins another one. */
  async #follow(end: ChainEnd): Promise<ChainEnd> {
    if (this.#lost !== end.id && (await this.#seen.follow(this.#chain, end))) return end;
    this.#parts.log.warn("a part of the stream of changes is lost from its slot; it begins again");
    await this.#chain.abandon(end.id);
    return this.#follow(await this.#chain.begin());
  }
}

const stateOf = ({ id, page, entries }: ChainEnd): StreamState => ({
  id,
  total: page * pageLength + entries.length,
  pages: page + (entries.length > 0 ? 1 : 0),
});

const isEmpty = (end: ChainEnd): boolean => stateOf(end).total === 0;
