// Manifests that come, change and go, servers that write their changes to one stream, and its documents.

import { createCounts } from "../../../../src/base/telemetry/count.ts";
import { type Change, changesCollection, changesPage } from "../../../../src/iiif/discovery/changes.ts";
import { changesAddress, changesPageAddress } from "../../../../src/iiif/discovery/mounts.ts";
import type { ChangeEntry } from "../../../../src/server/manifests/changes/chain.ts";
import { Changes } from "../../../../src/server/manifests/changes/changes.ts";
import type { Observed } from "../../../../src/server/manifests/changes/observe.ts";
import { createSlot, slotCounts } from "../../../../src/server/stores/slot.ts";
import type { Store } from "../../../../src/server/stores/store.ts";

export const base = "https://example.org";
export const streamAddress = changesAddress(base);

/** Returns the address of a manifest. */
export const addressOf = (id: string): string => `${base}/iiif/presentation/3/${id}`;

/** The manifests that there are at one time. */
export interface World {
  time: number;
  readonly versions: Map<string, string>;
}

export const newWorld = (): World => ({ time: Date.UTC(2030, 0, 1), versions: new Map() });

/** Returns what a look sees. */
export const observed = ({ versions }: World, mayExist = (_: string) => false): Observed => ({
  versions: new Map(versions),
  mayExist,
  isCut: false,
});

export interface ServerOptions {
  readonly observe?: (signal: AbortSignal) => Promise<Observed>;
  readonly logged?: string[];
  /** Milliseconds by which its clock is behind. */
  readonly behind?: number;
}

/** A server with a store of its own, which may share its entries with others. */
export function serverOver(store: Store, world: World, options: ServerOptions = {}): Changes {
  const { observe = async () => observed(world), logged = [], behind = 0 } = options;
  const log = { warn: (message: string) => void logged.push(message), info: () => {} };
  const slot = createSlot({ name: "changes", store, counts: createCounts(...slotCounts), ttl: 0, log });
  return new Changes({ slot, observe, intervalMs: 60_000, log, now: () => world.time - behind });
}

/** All documents of a stream at one time, by their addresses. */
export interface Documents {
  readonly byAddress: ReadonlyMap<string, unknown>;
  /** All entries, the oldest first. */
  readonly entries: readonly ChangeEntry[];
  /** Documents of pages that have one after them, as text. */
  readonly full: ReadonlyMap<string, string>;
}

const changeOf = ({ type, id, time }: ChangeEntry): Change =>
  type === "Refresh" ? { type, time } : { type, time, object: { id: addressOf(id), type: "Manifest" } };

/** Reads a whole stream from one server. */
export async function documentsOf(changes: Changes): Promise<Documents> {
  const byAddress = new Map<string, unknown>();
  const full = new Map<string, string>();
  const entries: ChangeEntry[] = [];
  const stream = await changes.stream();
  if (!stream) return { byAddress, full, entries };
  byAddress.set(streamAddress, changesCollection({ base, ...stream }));
  for (let number = 0; number < stream.pages; number++) {
    const page = await changes.page(stream.id, number);
    if (!page) throw new Error(`page ${number} is missing`);
    const document = changesPage(
      { number, start: page.start, changes: page.entries.map(changeOf) },
      { base, id: stream.id, pages: stream.pages },
    );
    const address = changesPageAddress(base, { stream: stream.id, number });
    byAddress.set(address, document);
    if (number < stream.pages - 1) full.set(address, JSON.stringify(document));
    entries.push(...page.entries);
  }
  return { byAddress, full, entries };
}

/** Returns what the entries of a stream say is there. */
export function replayed(entries: readonly ChangeEntry[]): Map<string, string> {
  const versions = new Map<string, string>();
  for (const { type, id, version } of entries)
    if (type === "Delete") versions.delete(id);
    else if (type !== "Refresh") versions.set(id, version);
  return versions;
}
