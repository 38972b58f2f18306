// What the stream says of each manifest, as far as it has been read.

import type { Slot } from "../../stores/slot.ts";
import type { Chain, ChainEnd, ChangeEntry, NewEntry } from "./chain.ts";
import type { Observed } from "./observe.ts";

/** The last entry about a manifest. */
export interface SeenManifest {
  /** "" after its deletion. */
  readonly version: string;
  readonly time: number;
}

/**
 * Milliseconds for which deletions are remembered, so that a server that looked before one does not undo it.
 */
const deletionMs = 24 * 60 * 60_000;
/** Pages after which what is known is stored again. */
const storedEach = 20;

type Stored = readonly [id: string, version: string, time: number];

/** What one chain says; the same for all servers that have read it to the same end. */
export class Seen {
  readonly #slot: Pick<Slot, "get" | "put">;
  #manifests = new Map<string, SeenManifest>();
  #chain = "";
  /** Time of the refresh at the beginning of the chain; undefined in an empty one. */
  #begun: number | undefined;
  /** Page and entry from which it has to be read on. */
  #page = 0;
  #entry = 0;
  #storedPage = 0;

  constructor(slot: Pick<Slot, "get" | "put">) {
    this.#slot = slot;
  }

  /** Reads a chain up to its end. Returns false if a part of it is lost. */
  async follow(chain: Pick<Chain, "full">, end: ChainEnd): Promise<boolean> {
    if (this.#chain !== end.id) await this.#load(end);
    for (; this.#page < end.page; this.#page++, this.#entry = 0) {
      const entries = await chain.full(end.id, this.#page);
      if (entries === undefined) return false;
      this.#take(entries);
    }
    this.#take(end.entries);
    this.#entry = end.entries.length;
    return true;
  }

  /** Stores what is known, at times, so that a restart need not read all of the chain. */
  store(now: number): void {
    if (this.#page < this.#storedPage + storedEach) return;
    const manifests: Stored[] = [];
    for (const [id, { version, time }] of this.#manifests)
      if (version !== "" || now - time < deletionMs) manifests.push([id, version, time]);
      else this.#manifests.delete(id);
    this.#storedPage = this.#page;
    const { page, entry } = { page: this.#page, entry: this.#entry };
    const text = JSON.stringify({ page, entry, manifests });
    this.#slot.put("seen", this.#chain, new TextEncoder().encode(text));
  }

  /**
   * Returns what has changed according to what was observed from the time `since` on. Of a manifest about
   * which there is an entry of that time or later, another server knows more.
   */
  compare({ versions, mayExist }: Observed, since: number): readonly NewEntry[] {
    const changes: NewEntry[] = [];
    // After a refresh all that is there is listed again.
    const isFirst = this.#begun === undefined || this.#begun > since;
    for (const [id, version] of versions) {
      const known = this.#manifests.get(id);
      if (known?.version === version || (known && known.time > since)) continue;
      const isKnown = isFirst || (known !== undefined && known.version !== "");
      changes.push({ type: isKnown ? "Update" : "Create", id, version });
    }
    for (const [id, { version, time }] of this.#manifests)
      if (version !== "" && time <= since && !versions.has(id) && !mayExist(id))
        changes.push({ type: "Delete", id, version: "" });
    return changes;
  }

  /** Takes the entries of a page that have not been read. */
  #take(entries: readonly ChangeEntry[]): void {
    for (const { type, id, version, time } of entries.slice(this.#entry))
      if (type === "Refresh") this.#begun = time;
      else this.#manifests.set(id, { version, time });
  }

  async #load(end: ChainEnd): Promise<void> {
    const bytes = await this.#slot.get("seen", end.id);
    const stored = bytes && (JSON.parse(new TextDecoder().decode(bytes)) as StoredSeen);
    // What is stored may be ahead only if the chain was read before the last write.
    const usable = stored && stored.page <= end.page ? stored : undefined;
    this.#chain = end.id;
    this.#begun = usable && 0;
    this.#manifests = new Map(
      (usable?.manifests ?? []).map(([id, version, time]) => [id, { version, time }]),
    );
    this.#page = usable?.page ?? 0;
    this.#entry = usable?.entry ?? 0;
    this.#storedPage = this.#page;
  }
}

interface StoredSeen {
  readonly page: number;
  readonly entry: number;
  readonly manifests: readonly Stored[];
}
