// A chain of records that is only ever added to, over a slot that several servers may share.
//
//   root                    the id of the chain
//   <id> <page>, <part>     the entries that one write has added to a page
//   <id> <page>, whole      a full page, which can be made again from its parts
//   end                     where the chain ends, about: a hint
//
// Each part is added only if there is none, so of several servers that write after the same part, one does,
// and the others read what it wrote before they try again. Pages are filled exactly, so that all servers see
// the same pages. Nothing is changed or removed. A chain of which a part is lost is over: the next one has
// another id.

import { createLru, ServiceError } from "../../../base/index.ts";
import { nameIn } from "../../stores/names.ts";
import type { Slot } from "../../stores/slot.ts";

/** An entry of the stream. A refresh has no id. */
export interface ChangeEntry {
  readonly type: "Create" | "Update" | "Delete" | "Refresh";
  /** Identifier of a manifest. */
  readonly id: string;
  /** Equal as long as what the manifest is made of; "" for what is gone. */
  readonly version: string;
  /** Milliseconds since 1970, never less than those of the entry before. */
  readonly time: number;
}

/** A new entry, which has no time yet. */
export type NewEntry = Omit<ChangeEntry, "time">;

/** Entries of a full page. */
export const pageLength = 100;

/** Milliseconds after its beginning at which a write counts as done; see {@link Chain.add}. */
const writeMs = 5000;

/** Bytes of full pages in memory. */
const pagesBytes = 8 * 2 ** 20;

export interface ChainParts {
  readonly slot: Pick<Slot, "lasting" | "get" | "put" | "delete">;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** How far a chain has come. */
export interface ChainEnd {
  readonly id: string;
  /** Number of the page that is written, from 0; the pages before it are full. */
  readonly page: number;
  /** The entries of that page, the oldest first. */
  readonly entries: readonly ChangeEntry[];
}

/** What one write has added. */
export interface Added {
  readonly count: number;
  readonly end: ChainEnd;
}

/** Where the chain is known to be sound to; each reader starts from it. */
interface Hint {
  readonly id: string;
  readonly page: number;
}

/** The chain as one server knows it. Methods throw `busy` (code changes_unavailable) if the slot fails. */
export class Chain {
  readonly #parts: ChainParts;
  readonly #pages = createLru<string, readonly ChangeEntry[]>(pagesBytes);
  #end: ChainEnd | undefined;
  /** Parts of the page that is written. */
  #read = 0;
  #lastTime = 0;
  /** The last read or write of this server: they run one at a time, in order. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(parts: ChainParts) {
    this.#parts = parts;
  }

  /** Reads what others have added, and returns the end of the chain; undefined if there is no chain. */
  read(): Promise<ChainEnd | undefined> {
    return this.#inTurn(() => this.#readOn());
  }

  /** Begins a chain, unless there is one; returns its end. */
  begin(): Promise<ChainEnd> {
    return this.#inTurn(async () => {
      const there = await this.#readOn();
      if (there) return there;
      const id = `${this.#parts.now().toString(36)}${crypto.randomUUID().slice(0, 4)}`;
      await this.#lasting.add("root", "", encode(id));
      const begun = await this.#readOn();
      if (!begun) throw unavailableError(new Error("The chain that was begun is lost."));
      return begun;
    });
  }

  /** Ends a chain, of which something is lost. Another server may have done so. */
  abandon(id: string): Promise<void> {
    return this.#inTurn(async () => {
      if ((await this.#rootId()) === id) await this.#parts.slot.delete("root", "");
      this.#end = undefined;
    });
  }

  /**
   * Adds the first of some entries, as many as their page has room for. Returns undefined if another server
   * was faster, whose entries have to be read first. Their time is some seconds from now: a harvester that
   * visits during the write has to find them at its next visit, which ends at the first entry before this
   * one.
   */
  add(entries: readonly NewEntry[], after: ChainEnd): Promise<Added | undefined> {
    return this.#inTurn(async () => {
      const end = this.#end;
      if (end !== after) return undefined;
      const time = Math.max(this.#parts.now() + writeMs, this.#lastTime);
      const some = entries.slice(0, pageLength - end.entries.length).map((entry) => ({ ...entry, time }));
      const name = pageName(end.id, end.page);
      if (!(await this.#lasting.add(name, String(this.#read), encodeEntries(some)))) return undefined;
      return { count: some.length, end: this.#append(end, some) };
    });
  }

  /** Returns the entries of a full page; undefined if parts of it are lost. */
  async full(id: string, page: number): Promise<readonly ChangeEntry[] | undefined> {
    const name = pageName(id, page);
    const known = this.#pages.get(name);
    if (known) return known;
    const found = (await this.#whole(name)) ?? (await this.#join(name));
    if (found) this.#pages.set(name, found, bytesOf(found));
    return found;
  }

  get #lasting(): NonNullable<Slot["lasting"]> {
    const { lasting } = this.#parts.slot;
    if (!lasting) throw unavailableError(new Error("The slot of changes is switched off."));
    return lasting;
  }

  #inTurn<T>(act: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(act, act);
    this.#turn = turn;
    return orBusy(turn);
  }

  async #rootId(): Promise<string | undefined> {
    const bytes = await this.#lasting.get("root", "");
    return bytes && decode(bytes);
  }

  async #readOn(): Promise<ChainEnd | undefined> {
    const id = await this.#rootId();
    if (id === undefined) {
      this.#end = undefined;
      return undefined;
    }
    if (this.#end?.id !== id) {
      const hint = readHint(await this.#parts.slot.get("end", ""));
      this.#end = { id, page: hint?.id === id ? hint.page : 0, entries: [] };
      this.#read = 0;
      const before = this.#end.page > 0 ? await this.full(id, this.#end.page - 1) : undefined;
      this.#lastTime = before?.at(-1)?.time ?? 0;
    }
    for (let end = this.#end; ; ) {
      const bytes = await this.#lasting.get(pageName(id, end.page), String(this.#read));
      if (!bytes) return end;
      end = this.#append(end, decodeEntries(bytes));
    }
  }

  #append(end: ChainEnd, some: readonly ChangeEntry[]): ChainEnd {
    const entries = [...end.entries, ...some];
    this.#lastTime = some.at(-1)?.time ?? this.#lastTime;
    this.#read++;
    if (entries.length < pageLength) {
      this.#end = { ...end, entries };
      return this.#end;
    }
    const name = pageName(end.id, end.page);
    this.#pages.set(name, entries, bytesOf(entries));
    if (this.#read > 1) this.#parts.slot.put(name, "whole", encodeEntries(entries));
    this.#parts.slot.put("end", "", encode(JSON.stringify({ id: end.id, page: end.page + 1 })));
    this.#end = { ...end, page: end.page + 1, entries: [] };
    this.#read = 0;
    return this.#end;
  }

  /** Returns the entries of a page that one write has filled, or that was joined before. */
  async #whole(name: string): Promise<readonly ChangeEntry[] | undefined> {
    for (const variant of ["0", "whole"]) {
      const bytes = await orBusy(this.#lasting.get(name, variant));
      const entries = bytes ? decodeEntries(bytes) : [];
      if (entries.length === pageLength) return entries;
    }
    return undefined;
  }

  async #join(name: string): Promise<readonly ChangeEntry[] | undefined> {
    const entries: ChangeEntry[] = [];
    for (let part = 0; entries.length < pageLength; part++) {
      const bytes = await orBusy(this.#lasting.get(name, String(part)));
      if (!bytes) return undefined;
      entries.push(...decodeEntries(bytes));
    }
    this.#parts.slot.put(name, "whole", encodeEntries(entries));
    return entries;
  }
}

/** A page is a group: stores in files have a folder for each. */
const pageName = (id: string, page: number): string => nameIn(`${id} ${page}`, "");

const bytesOf = (entries: readonly ChangeEntry[]): number =>
  entries.reduce((sum, { id }) => sum + 2 * id.length + 160, 0);

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** Types of entries, by their letters in the slot. */
const types = { c: "Create", u: "Update", d: "Delete", r: "Refresh" } as const;
const letterOf = { Create: "c", Update: "u", Delete: "d", Refresh: "r" } as const;

type StoredEntry = readonly [letter: keyof typeof types, id: string, version: string, time: number];

const encodeEntries = (entries: readonly ChangeEntry[]): Uint8Array =>
  encode(
    JSON.stringify(
      entries.map(({ type, id, version, time }): StoredEntry => [letterOf[type], id, version, time]),
    ),
  );

const decodeEntries = (bytes: Uint8Array): readonly ChangeEntry[] =>
  (JSON.parse(decode(bytes)) as readonly StoredEntry[]).map(([letter, id, version, time]) => ({
    type: types[letter],
    id,
    version,
    time,
  }));

const readHint = (bytes: Uint8Array | undefined): Hint | undefined =>
  bytes && (JSON.parse(decode(bytes)) as Hint);

/** Passes errors of the service on, and wraps those of the slot. */
const orBusy = <T>(act: Promise<T>): Promise<T> =>
  act.catch((cause: unknown) => {
    throw cause instanceof ServiceError ? cause : unavailableError(cause);
  });

const unavailableError = (cause: unknown) =>
  new ServiceError("busy", "The stream of changes cannot be reached at the moment. Try again later.", {
    code: "changes_unavailable",
    cause,
  });
