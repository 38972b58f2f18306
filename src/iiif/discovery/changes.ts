// The stream of changes to manifests and collections at level 2 (Change Discovery 1.0, sections 2 and 3), in
// pages of which only the last one grows.

import type { LanguageMap } from "../../base/index.ts";
import { present } from "../presentation/json.ts";
import type { Resource } from "../presentation/model.ts";
import { type ChangesPageName, changesAddress, changesPageAddress } from "./mounts.ts";

/** JSON-LD context of the stream. */
const discoveryContext = "http://iiif.io/api/discovery/1/context.json";

/** Media type of the stream and its pages. */
export const changesType = `application/ld+json;profile="${discoveryContext}"`;

/** A document about a manifest or about the whole stream, for machines (section 3.1, `seeAlso`). */
export interface Dataset {
  readonly id: string;
  readonly label?: LanguageMap;
  readonly format?: string;
  readonly profile?: string;
}

/** A manifest or collection of 3.0 that has changed. */
export interface ChangedResource {
  readonly id: string;
  readonly type: "Manifest" | "Collection";
  readonly canonical?: string;
  readonly seeAlso?: readonly Dataset[];
}

/** What happened to a resource. */
interface ResourceChange {
  readonly type: "Create" | "Update" | "Delete" | "Add" | "Remove";
  readonly object: ChangedResource;
}

/** A change of an address, not of contents: from `object` to `target`. */
interface Move {
  readonly type: "Move";
  readonly object: ChangedResource;
  readonly target: ChangedResource;
}

/** All resources are listed again after this, so that new harvesters need nothing before it. */
interface Refresh {
  readonly type: "Refresh";
}

/** An entry of the stream. */
export type Change = (ResourceChange | Move | Refresh) & {
  /**
   * Milliseconds since 1970 at which the entry was written to the stream, at least those of the entry before:
   * harvesters stop at the first entry before their last visit, so that the time of a file would hide what
   * was added later.
   */
  readonly time: number;
  /** For people who look at the stream. */
  readonly summary?: string;
};

/** The stream as a whole. */
export interface ChangeStream {
  /** Public URL of the service, without a trailing /. */
  readonly base: string;
  /** Its id, which is part of the addresses of its pages. */
  readonly id: string;
  /** Entries on all pages. */
  readonly total: number;
  /** Pages, of which each has an entry at least. */
  readonly pages: number;
  /** License or rights statement of the stream. */
  readonly rights?: string;
  readonly seeAlso?: readonly Dataset[];
  /** Address of a larger stream that this one is part of. */
  readonly partOf?: string;
}

/**
 * Returns the entry point of a stream; undefined for an empty one, since a collection must have a last page,
 * and a page an entry (sections 3.1 and 3.2).
 */
export function changesCollection(stream: ChangeStream): Resource | undefined {
  const { base, id, total, pages, rights, seeAlso, partOf } = stream;
  if (pages < 1 || total < 1) return undefined;
  return present({
    "@context": discoveryContext,
    id: changesAddress(base),
    type: "OrderedCollection",
    totalItems: total,
    rights,
    seeAlso: seeAlso?.map(datasetOf),
    partOf: partOf === undefined ? undefined : [{ id: partOf, type: "OrderedCollection" }],
    first: pageReference(base, { stream: id, number: 0 }),
    last: pageReference(base, { stream: id, number: pages - 1 }),
  });
}

/** A page of a stream with its entries, the oldest first. */
export interface ChangePage {
  /** From 0, the oldest. */
  readonly number: number;
  /** Entries on the pages before. */
  readonly start: number;
  /** Time of the last entry of the page before; absent for the first page. */
  readonly after?: number;
  readonly changes: readonly Change[];
}

/**
 * Returns a page of a stream; undefined if it has no entries. Its times never decrease: an entry that is
 * earlier than the one before, as a second server with a slow clock writes it, has the time of that one.
 */
export function changesPage(
  { number, start, after = 0, changes }: ChangePage,
  { base, id, pages }: Pick<ChangeStream, "base" | "id" | "pages">,
): Resource | undefined {
  if (changes.length === 0) return undefined;
  let latest = after;
  const orderedItems = changes.map((change) => {
    latest = Math.max(latest, change.time);
    return activityOf(change, latest, base);
  });
  const referTo = (number: number) => pageReference(base, { stream: id, number });
  return {
    "@context": discoveryContext,
    id: referTo(number).id,
    type: "OrderedCollectionPage",
    startIndex: start,
    partOf: { id: changesAddress(base), type: "OrderedCollection" },
    ...(number > 0 && { prev: referTo(number - 1) }),
    ...(number < pages - 1 && { next: referTo(number + 1) }),
    orderedItems,
  };
}

const pageReference = (base: string, page: ChangesPageName) => ({
  id: changesPageAddress(base, page),
  type: "OrderedCollectionPage",
});

/** Returns an activity (section 3.3). The time of a refresh is that of its start (section 2.1.5). */
function activityOf(change: Change, time: number, base: string): Resource {
  const { type, summary } = change;
  const moment = new Date(time).toISOString();
  if (type === "Refresh") return present({ type, summary, startTime: moment });
  const stream = { id: changesAddress(base), type: "OrderedCollection" };
  return present({
    type,
    summary,
    object: objectOf(change.object),
    target: type === "Move" ? objectOf(change.target) : type === "Add" ? stream : undefined,
    origin: type === "Remove" ? stream : undefined,
    endTime: moment,
  });
}

const objectOf = ({ id, type, canonical, seeAlso }: ChangedResource): Resource =>
  present({ id, type, canonical, seeAlso: seeAlso?.map(datasetOf) });

const datasetOf = ({ id, label, format, profile }: Dataset): Resource =>
  present({ id, type: "Dataset", label, format, profile });
