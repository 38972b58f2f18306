// Merges an operator's description of a folder over the document that is derived from it.

import type { LanguageMap } from "../../../base/index.ts";
import { makeAbsolute, type Origin } from "../addresses.ts";
import { addContexts } from "../context.ts";
import { labelOfPage } from "../derive.ts";
import { extensionContexts } from "../extensions.ts";
import { type MapSource, mapLink, mapsPage, outsideImage } from "../georeference.ts";
import { objectsOf } from "../json.ts";
import type { CanvasFacts, Resource } from "../model.ts";
import { pieceAddress } from "../mounts.ts";
import type { Description, Named, PartDescription } from "./description.ts";
import { type Fault, fault, quote } from "./faults.ts";
import type { GeoreferencedMap } from "./georeference.ts";
import { canvasNamesOf, type Names, namesOf, sortByNames } from "./names.ts";
import { structuresOf } from "./ranges.ts";

/** A document, and the unresolved names in its description. */
export interface Merged<T = Resource> {
  readonly document: T;
  readonly faults: readonly Fault[];
}

/**
 * Returns a derived manifest with its description applied. `canvases`: the facts that it was derived from.
 * Canvases keep their ids in any order. If all are hidden, all are shown, and a fault says so.
 */
export function describeManifest(
  derived: Resource,
  description: Description,
  canvases: readonly CanvasFacts[],
  base: string,
): Merged {
  const faults: Fault[] = [];
  const origin = originOf(derived, base);
  const findIndexes = canvasNamesOf(canvases);
  const parts = partsOfCanvases(description.parts, canvases, (named) => findIndexes(named, faults));
  const indexes = shownIndexesOf(
    sortByNames(canvases.length, description.order, findIndexes, faults),
    parts,
    faults,
  );
  const all = objectsOf(derived.items);
  const items = indexes.map((index) => {
    const canvas = describeCanvas(all[index] as Resource, parts.get(index), origin);
    return withMaps(canvas, parts.get(index), { document: origin.document, number: index + 1, faults });
  });

  const ids = items.map(({ id }) => id as string);
  const shown = new Set(ids);
  const find = (named: Named): readonly string[] => {
    const meant = (findIndexes(named, faults) ?? []).map((index) => all[index]?.id as string);
    const found = meant.filter((id) => shown.has(id));
    if (meant.length > 0 && found.length === 0)
      fault({ path: named.path, faults }, `${quote(named.name)} is hidden`);
    return found;
  };
  const [start] = description.start ? find(description.start) : [];
  const structures = structuresOf(description.structures, { origin, canvases: ids, find, faults });
  const chosen = description.thumbnail && findIndexes(description.thumbnail, faults)?.[0];
  const thumbnail =
    chosen === undefined ? items.find((item) => item.thumbnail)?.thumbnail : all[chosen]?.thumbnail;
  const { thumbnail: _, items: _items, ...head } = derived;
  const document = {
    ...head,
    ...(thumbnail !== undefined && { thumbnail }),
    ...withLogins(makeAbsolute(description.members, origin), derived),
    ...(start !== undefined && { start: { id: start, type: "Canvas" } }),
    items,
    ...(structures.length > 0 && { structures }),
  };
  const extended = addContexts(document, extensionContexts([document, ...items, ...structures]));
  return { document: withExtra(extended, description.extra, origin), faults };
}

/**
 * Returns a manifest without its canvases, with its description applied; undefined if that concerns canvases,
 * which must then all be present.
 */
export function describeHead(
  derived: Resource,
  { members, extra, order, parts, structures, thumbnail, start }: Description,
  base: string,
): Resource | undefined {
  const ofCanvases = order.length + parts.length + structures.length + Object.keys(extra).length;
  if (ofCanvases > 0 || thumbnail !== undefined || start !== undefined) return undefined;
  const { items, ...head } = derived;
  const described = {
    ...head,
    ...withLogins(makeAbsolute(members, originOf(derived, base)), derived),
    items,
  };
  return addContexts(described, extensionContexts([members]));
}

/** Returns members with the services to log in of a derived manifest in addition to their own. */
function withLogins(members: Resource, { services }: Resource): Resource {
  if (members.services === undefined || services === undefined) return members;
  return { ...members, services: [...objectsOf(members.services), ...objectsOf(services)] };
}

/**
 * Returns the index of the image that represents a manifest in lists: the one that its description names, or
 * else the first visible one. `files`: at least one, in natural order.
 */
export function frontIndex(files: readonly { readonly name: string }[], description: Description): number {
  const { thumbnail, order, parts: described } = description;
  if (thumbnail === undefined && order.length + described.length === 0) return 0;
  const faults: Fault[] = [];
  const names = namesOf(
    files.map(({ name }) => [name]),
    "image",
  );
  const chosen = description.thumbnail && names.find(description.thumbnail, faults);
  if (chosen !== undefined) return chosen;
  const parts = partsAt(description.parts, (named) => names.find(named, faults));
  const indexes = sortByNames(files.length, order, indexesBy(names), faults);
  return shownIndexesOf(indexes, parts, faults)[0] ?? 0;
}

/** Applies a description to a derived collection; its members are arranged before it is derived. */
export function describeCollection(derived: Resource, description: Description, base: string): Merged {
  const faults: Fault[] = [];
  const origin = originOf(derived, base);
  if (description.thumbnail)
    fault(
      { path: description.thumbnail.path, faults },
      "expected the address of a picture: a collection has no images of its own",
    );
  const { items, ...head } = derived;
  const described = { ...head, ...makeAbsolute(description.members, origin), items };
  const document = addContexts(described, extensionContexts([description.members]));
  return { document: withExtra(document, description.extra, origin), faults };
}

/** Member of a collection, by the last part of its identifier. */
interface Member {
  readonly id: string;
  readonly label: string | LanguageMap;
  readonly navDate?: string;
}

/** Returns the members of a collection as its description orders, hides and labels them. */
export function arrangeMembers<T extends Member>(
  members: readonly T[],
  description: Description,
): Merged<readonly (T & Member)[]> {
  const faults: Fault[] = [];
  const names = namesOf(
    members.map(({ id }) => [id.slice(id.lastIndexOf("/") + 1)]),
    "folder",
  );
  const parts = partsAt(description.parts, (named) => names.find(named, faults));
  const document = sortByNames(members.length, description.order, indexesBy(names), faults)
    .filter((index) => !parts.get(index)?.hidden)
    .map((index) => ({ ...(members[index] as T), ...(parts.get(index)?.members as Partial<Member>) }));
  return { document, faults };
}

/** The part of a description about one of its images or folders. */
export interface Arranged {
  /** Index of its name. */
  readonly index: number;
  readonly isHidden: boolean;
  readonly members: Resource;
}

/**
 * Returns names of images or folders in the order of a description, including hidden ones. If all images are
 * hidden, all are shown, as in their manifest. Unresolved names in the description are ignored here: the
 * document reports them.
 */
export function arrangeNames(
  all: readonly string[],
  { order, parts }: Description,
  what: "image" | "folder",
): readonly Arranged[] {
  if (order.length + parts.length === 0)
    return all.map((_, index) => ({ index, isHidden: false, members: {} }));
  const faults: Fault[] = [];
  const names = namesOf(
    all.map((name) => [name]),
    what,
  );
  const described = partsAt(parts, (named) => names.find(named, faults));
  const isHidden = (index: number) => described.get(index)?.hidden === true;
  const indices = sortByNames(all.length, order, indexesBy(names), faults);
  const showsAll = what === "image" && indices.every(isHidden);
  return indices.map((index) => ({
    index,
    isHidden: !showsAll && isHidden(index),
    members: described.get(index)?.members ?? {},
  }));
}

function originOf(derived: Resource, base: string): Origin {
  return { base, document: derived.id as string };
}

function partsAt(parts: readonly PartDescription[], find: (named: Named) => number | undefined) {
  const indexes = new Map<number, PartDescription>();
  for (const part of parts) {
    const index = find(part.named);
    if (index !== undefined) indexes.set(index, part);
  }
  return indexes;
}

const indexesBy = (names: Names) => (named: Named, faults: Fault[]) => {
  const index = names.find(named, faults);
  return index === undefined ? undefined : [index];
};

/**
 * Returns what differs for canvases: statements about a file apply to all of its pages, and those about a
 * page override them.
 */
function partsOfCanvases(
  parts: readonly PartDescription[],
  canvases: readonly CanvasFacts[],
  find: (named: Named) => readonly number[] | undefined,
): ReadonlyMap<number, PartDescription> {
  const ofFiles = new Map<number, PartDescription>();
  const ofPages = new Map<number, PartDescription>();
  for (const part of parts) {
    const indexes = find(part.named) ?? [];
    for (const index of indexes) {
      const { page, identifier = "" } = canvases[index] ?? {};
      const name = identifier.slice(identifier.lastIndexOf("/") + 1);
      const isPage = page !== undefined && name === String(part.named.name);
      if (isPage) ofPages.set(index, part);
      else ofFiles.set(index, joinParts(ofFiles.get(index), page === undefined ? part : ofPage(part, page)));
    }
  }
  for (const [index, part] of ofPages) ofFiles.set(index, joinParts(ofFiles.get(index), part));
  return ofFiles;
}

/** Returns both descriptions of one canvas; the second counts where they differ. */
const joinParts = (first: PartDescription | undefined, second: PartDescription): PartDescription =>
  first
    ? {
        ...second,
        hidden: second.hidden || first.hidden,
        members: { ...first.members, ...second.members },
        extra: { ...first.extra, ...second.extra },
      }
    : second;

/** Converts statements about a file to statements about one of its pages. */
function ofPage(part: PartDescription, page: number): PartDescription {
  const { label } = part.members;
  if (label === undefined) return part;
  const paged = Object.entries(label as LanguageMap).map(([language, texts]) => [
    language,
    texts.map((text) => labelOfPage(text, page)),
  ]);
  return { ...part, members: { ...part.members, label: Object.fromEntries(paged) } };
}

function shownIndexesOf(
  indexes: readonly number[],
  parts: ReadonlyMap<number, PartDescription>,
  faults: Fault[],
) {
  const shown = indexes.filter((index) => !parts.get(index)?.hidden);
  if (shown.length > 0) return shown;
  // A manifest has at least one canvas (Presentation API 3.0, section 5.2).
  for (const { hidden, named } of parts.values())
    if (hidden)
      fault(
        { path: [...named.path, "hide"], faults },
        "all images are hidden; expected at least one that is shown",
      );
  return indexes;
}

function describeCanvas(canvas: Resource, part: PartDescription | undefined, origin: Origin): Resource {
  if (part === undefined) return canvas;
  const { items, annotations, ...head } = canvas;
  const { georeference: _, ...members } = part.members;
  const described: Resource = {
    ...head,
    ...makeAbsolute(members, origin),
    ...makeAbsolute(part.extra, origin),
    items,
  };
  // Pages that are attached to it stay.
  if (annotations === undefined) return described;
  return { ...described, annotations: [...objectsOf(described.annotations), ...objectsOf(annotations)] };
}

/** Returns a canvas with the maps on its image; those that are not on it are left out. */
function withMaps(
  canvas: Resource,
  part: PartDescription | undefined,
  { document, number, faults }: { document: string; number: number; faults: Fault[] },
): Resource {
  const { id, type, width, height } = canvas as unknown as MapSource;
  const maps = ((part?.members.georeference ?? []) as readonly GeoreferencedMap[]).filter((map) => {
    const wrong = outsideImage(map, { width, height });
    if (wrong !== undefined) fault({ path: map.path, faults }, wrong);
    return wrong === undefined;
  });
  if (maps.length === 0) return canvas;
  const addressAt = (kind: "georeference" | "map") => pieceAddress(document, { kind, number });
  const page = mapsPage(maps, { id, type, width, height }, addressAt("georeference"));
  return {
    ...canvas,
    seeAlso: [...objectsOf(canvas.seeAlso), mapLink(addressAt("map"))],
    annotations: [...objectsOf(canvas.annotations), page],
  };
}

function withExtra(document: Resource, extra: Resource, origin: Origin): Resource {
  const { "@context": contexts, ...members } = makeAbsolute(extra, origin);
  return addContexts({ ...document, ...members }, contexts);
}
