// A harvester by the processing algorithm of Change Discovery 1.0 (sections 3.5.1 and 3.5.2), which knows
// nothing of the code that writes the stream. It follows the text, except for moves.

// biome-ignore lint/suspicious/noExplicitAny: documents of others are read as they come
type Json = any;

/** What a harvester remembers between its visits. */
export interface Harvest {
  /** Resources that it has. */
  readonly known: Set<string>;
  /** Resources that it was told of at the last visit, to fetch or to remove. */
  readonly told: Set<string>;
  lastCrawl: number | undefined;
}

export const newHarvest = (): Harvest => ({ known: new Set(), told: new Set(), lastCrawl: undefined });

/** Reads what is new in a stream. `fetchJson`: returns a document by its address, undefined for 404. */
export function visit(
  harvest: Harvest,
  stream: string,
  now: number,
  fetchJson: (address: string) => Json | undefined,
): void {
  harvest.told.clear();
  const collection = fetchJson(stream);
  if (collection) {
    if (collection.type !== "OrderedCollection" || !collection.last?.id) throw new Error("no collection");
    readPages(harvest, stream, collection.last.id, fetchJson);
  }
  harvest.lastCrawl = now;
}

function readPages(
  { known, told, lastCrawl }: Harvest,
  stream: string,
  last: string,
  fetchJson: (address: string) => Json | undefined,
): void {
  const processed = new Set<string>();
  let onlyDelete = false;
  let address: string | undefined = last;
  while (address) {
    const page: Json = fetchJson(address);
    if (page?.type !== "OrderedCollectionPage" || !(page.orderedItems?.length > 0))
      throw new Error("no page");
    for (const activity of page.orderedItems.toReversed()) {
      const { type, object, target, origin, endTime } = activity;
      if (endTime && lastCrawl !== undefined && Date.parse(endTime) < lastCrawl) return;
      if (type === "Refresh") {
        if (lastCrawl === undefined) return;
        onlyDelete = true;
        continue;
      }
      if (object.type !== "Manifest" && object.type !== "Collection") continue;
      if (type === "Move") {
        // The text looks at the old address alone, and at nothing before a refresh: it would lose the new
        // address of what was moved if the old one is used again, and keep one that is deleted later.
        if (!processed.has(object.id)) known.delete(object.id);
        if (!processed.has(target.id) && !onlyDelete) known.add(target.id);
        processed.add(target.id);
      }
      if (processed.has(object.id)) continue;
      const isOurs = (where: Json) => where?.id === stream;
      if (type === "Delete" || (type === "Remove" && isOurs(origin))) known.delete(object.id);
      else if (onlyDelete) continue;
      else if (type === "Update" || type === "Create" || (type === "Add" && isOurs(target)))
        known.add(object.id);
      processed.add(object.id);
      told.add(object.id);
    }
    address = page.prev?.id;
  }
}
