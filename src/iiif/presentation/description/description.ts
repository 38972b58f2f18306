// An operator's description of a folder: the members of Presentation API 3.0 in short or full form, and by
// name what differs for single images, their order, and ranges of them. Reading it needs no knowledge of the
// folder; merge.ts applies it.

import { objectOf } from "../json.ts";
import type { Resource } from "../model.ts";
import { behaviorsOf, type DescribedType } from "./behaviors.ts";
import { type Fault, type FaultPath, fault, inside, noteUnexpected, type Reader } from "./faults.ts";
import { navPlace } from "./geojson.ts";
import { georeferencedMaps } from "./georeference.ts";
import {
  annotationPages,
  asWritten,
  homepages,
  isAddress,
  keys,
  many,
  pictures,
  providers,
  renderings,
  seeAlsos,
} from "./links.ts";
import { moment, pairs, rights, statement, texts } from "./texts.ts";

/** An image or folder by its name, with or without its extension, or by its index from 1. */
export interface Named {
  readonly name: string | number;
  /** Path within the description. */
  readonly path: Fault["path"];
}

/** A range of images or of nested ranges. */
export interface RangeDescription {
  readonly members: Resource;
  readonly items: readonly (Named | RangeDescription | Resource)[];
  /** First and last image of a run, inclusive. */
  readonly run?: readonly [from: Named, to: Named];
  readonly start?: Named;
  readonly path: Fault["path"];
}

/** What differs for one image or folder. */
export interface PartDescription {
  readonly named: Named;
  readonly hidden: boolean;
  readonly members: Resource;
  readonly extra: Resource;
}

export interface Description {
  /** Members of 3.0 that replace derived ones. */
  readonly members: Resource;
  /** Members that are used as written, after all others. */
  readonly extra: Resource;
  /** Names that come first, in order; all others follow. */
  readonly order: readonly Named[];
  readonly parts: readonly PartDescription[];
  /** The image that represents it. */
  readonly thumbnail?: Named;
  readonly start?: Named;
  readonly structures: readonly RangeDescription[];
  /** Describes the manifest of the images next to the folders of a collection. */
  readonly images?: Description;
}

/** An empty description. */
export const emptyDescription: Description = { members: {}, extra: {}, order: [], parts: [], structures: [] };

/**
 * Reads an operator's description of a folder that is a manifest or a collection. Invalid parts are left out,
 * and a fault says where and why.
 */
export function readDescription(
  value: unknown,
  kind: "manifest" | "collection",
): { readonly description: Description; readonly faults: readonly Fault[] } {
  const at: FaultPath = { path: [], faults: [] };
  // A file that is empty or only has comments is an empty description.
  const description = value === null || value === undefined ? emptyDescription : describe(value, kind, at);
  return { description, faults: at.faults };
}

const isName = (value: unknown): value is string | number =>
  (typeof value === "string" && value !== "") || (typeof value === "number" && Number.isInteger(value));

const name: Reader<Named> = (value, at) =>
  isName(value) ? { name: value, path: at.path } : noteUnexpected(at, "the name of an image", value);

const direction: Reader<string> = (value, at) =>
  directions.includes(value as string)
    ? (value as string)
    : noteUnexpected(
        at,
        directions
          .slice(0, -1)
          .join(", ")
          .concat(` or ${directions.at(-1)}`),
        value,
      );
const directions = ["left-to-right", "right-to-left", "top-to-bottom", "bottom-to-top"];

const flag: Reader<boolean> = (value, at) =>
  typeof value === "boolean" ? value : noteUnexpected(at, "true or false", value);

/** An image of the folder by its name, or external images. */
const thumbnail: Reader<Named | readonly Resource[]> = (value, at) =>
  isName(value) && !isAddress(value) ? name(value, at) : pictures(value, at);

const start: Reader<Named | Resource> = (value, at) =>
  isName(value) ? name(value, at) : asWritten(value, at);

/** Keys that cannot be removed from a document. */
const own = ["id", "type", "items", "@id", "@type"];

const extra: Reader<Resource> = (value, at) => {
  const object = objectOf(value);
  if (object === undefined) return noteUnexpected(at, "members of the document in their final form", value);
  for (const key of own) if (key in object) fault(inside(at, key), "the service writes this member itself");
  return Object.fromEntries(Object.entries(object).filter(([key]) => !own.includes(key)));
};

const commonReaders = (type: DescribedType) =>
  ({
    label: texts,
    summary: texts,
    metadata: pairs,
    requiredStatement: statement,
    rights,
    provider: providers,
    behavior: behaviorsOf(type),
    navDate: moment,
    navPlace,
    homepage: homepages,
    rendering: renderings,
    seeAlso: seeAlsos,
    thumbnail,
    service: many(asWritten),
    partOf: many(asWritten),
    annotations: annotationPages,
    placeholderCanvas: asWritten,
    accompanyingCanvas: asWritten,
  }) as const satisfies Readonly<Record<string, Reader>>;

const whole = { services: many(asWritten), viewingDirection: direction, order: many(name), extra };

const manifestKeys: Readonly<Record<string, Reader>> = {
  ...commonReaders("Manifest"),
  ...whole,
  start,
  structures: many(range),
  canvases: partsBy({ ...commonReaders("Canvas"), georeference: georeferencedMaps, extra }, indexOrName),
};
const collectionKeys: Readonly<Record<string, Reader>> = {
  ...commonReaders("Collection"),
  ...whole,
  items: partsBy({ label: texts, navDate: moment }),
  images: (value, at) => describe(value, "manifest", at),
};
const rangeKeys: Readonly<Record<string, Reader>> = {
  ...commonReaders("Range"),
  viewingDirection: direction,
  start,
  from: name,
  to: name,
  items: many(rangeItem),
};

function describe(value: unknown, kind: "manifest" | "collection", at: FaultPath): Description {
  const read = keys(kind === "manifest" ? manifestKeys : collectionKeys, value, at) ?? {};
  const { order, canvases, items, structures, images, extra: more, ...members } = read;
  const picked = picksOf(members);
  return {
    ...picked,
    extra: (more ?? {}) as Resource,
    order: (order ?? []) as readonly Named[],
    parts: (canvases ?? items ?? []) as readonly PartDescription[],
    structures: (structures ?? []) as readonly RangeDescription[],
    ...(images !== undefined && { images: images as Description }),
  };
}

/** Returns the members except those that name images, which are resolved later with the folder. */
function picksOf({ thumbnail, start, ...members }: Resource) {
  const isNamed = (value: unknown): value is Named => "path" in (objectOf(value) ?? {});
  return {
    members: {
      ...members,
      ...(Array.isArray(thumbnail) && { thumbnail }),
      ...(start !== undefined && !isNamed(start) && { start }),
    } as Resource,
    ...(isNamed(thumbnail) && { thumbnail }),
    ...(isNamed(start) && { start }),
  };
}

/** Returns the index that a key is, since keys of objects are always text; else the key. */
function indexOrName(key: string): Named["name"] {
  return /^[1-9]\d{0,8}$/.test(key) ? Number(key) : key;
}

/** Reads images or folders by their names; a text alone is a label. `nameOf`: makes a name of a key. */
function partsBy(
  readers: Readonly<Record<string, Reader>>,
  nameOf: (key: string) => Named["name"] = (key) => key,
): Reader<readonly PartDescription[]> {
  const known = { ...readers, hide: flag };
  return (value, at) => {
    const object = objectOf(value);
    if (object === undefined) return noteUnexpected(at, "names with the changes to each", value);
    return Object.entries(object).flatMap(([key, inner]) => {
      const path = inside(at, key);
      const isLabel = typeof inner === "string" || typeof inner === "number";
      const {
        hide = false,
        extra: more = {},
        ...members
      } = keys(known, isLabel ? { label: inner } : inner, path) ?? {};
      const named = { name: nameOf(key), path: path.path };
      // Canvases show their own image; only another one needs to be named.
      if (members.thumbnail && !Array.isArray(members.thumbnail)) {
        noteUnexpected(inside(path, "thumbnail"), "the address of a picture", objectOf(inner)?.thumbnail);
        delete (members as Record<string, unknown>).thumbnail;
      }
      return [{ named, hidden: hide === true, members, extra: more as Resource }];
    });
  };
}

function range(value: unknown, at: FaultPath): RangeDescription | undefined {
  const read = keys(rangeKeys, value, at);
  if (read === undefined) return undefined;
  const { from, to, items, ...rest } = read;
  const { members, start } = picksOf(rest);
  if (rest.label === undefined) return fault(at, "expected a label");
  if ((from === undefined) !== (to === undefined))
    return fault(at, "expected both from: and to:, received one of them");
  if (from === undefined && items === undefined)
    return fault(at, "expected items: names of images, or from: and to:");
  return {
    members,
    items: (items ?? []) as RangeDescription["items"],
    ...(from !== undefined && { run: [from as Named, to as Named] as const }),
    ...(start !== undefined && { start }),
    path: at.path,
  };
}

function rangeItem(value: unknown, at: FaultPath): Named | RangeDescription | Resource | undefined {
  if (isName(value)) return name(value, at);
  const object = objectOf(value);
  if (object === undefined)
    return noteUnexpected(at, "the name of an image, or a range with label and items", value);
  return "id" in object && "type" in object ? object : range(value, at);
}
