// Maps identifiers of documents to places in the sources, and back.

import { isInUrlArchive, nameInUrl, urlPath } from "../sources/archive/archive-key.ts";
import type { Sources } from "../sources/index.ts";
import type { Source } from "../sources/source.ts";

/** A folder or file of a source, by its key; "" is its top. */
export interface FolderLocation {
  readonly source: Source;
  readonly key: string;
}

/**
 * The place of an identifier; "" is the top of the default source, and a prefix without its last / that of
 * another.
 */
export function locationOf(sources: Sources, identifier: string): FolderLocation {
  const whole = { source: sources.default, key: "" };
  if (identifier === "") return whole;
  const topped = sources.all.find(({ prefix }) => prefix !== "" && prefix === `${identifier}/`);
  return topped ? { source: topped, key: "" } : sources.resolve(identifier);
}

/** The identifier of a place, as collections name it. */
export function identifierOf({ source, key }: FolderLocation): string {
  return key === "" ? source.prefix.replace(/\/$/, "") : source.prefix + key;
}

/** Returns the place of a name within a folder. */
export function inside({ source, key }: FolderLocation, name: string): FolderLocation {
  const segment = isInUrlArchive(source, key) ? urlPath(name) : name;
  return { source, key: key === "" ? segment : `${key}/${segment}` };
}

/** Splits the place of a file into its folder and its name. */
export function splitLocation({ source, key }: FolderLocation): {
  readonly folder: FolderLocation;
  readonly name: string;
} {
  const split = key.lastIndexOf("/");
  const folder = { source, key: key.slice(0, Math.max(0, split)) };
  return { folder, name: lastNameOf({ source, key }, folder.key) };
}

/** Returns the last name of a key; `folder`: the key whose names are spelled as this one is. */
function lastNameOf({ source, key }: FolderLocation, folder: string): string {
  const segment = key.slice(key.lastIndexOf("/") + 1);
  return isInUrlArchive(source, folder) ? nameInUrl(segment) : segment;
}

/** True if requests for a place reach its source: the prefix of another one may begin alike. */
export function isReached(sources: Sources, location: FolderLocation, kind: "file" | "folder"): boolean {
  const identifier = identifierOf(location);
  return sources.resolve(kind === "folder" ? `${identifier}/` : identifier).source === location.source;
}

/** The identifier of the collection that lists a folder; undefined for the root. */
export function parentOf(sources: Sources, { source, key }: FolderLocation): string | undefined {
  if (key === "") return source === sources.default ? undefined : "";
  const above = splitLocation({ source, key }).folder.key;
  return above === "" && source === sources.default ? "" : identifierOf({ source, key: above });
}

/** Returns the display name of a folder: its own name, or that of its source. */
export function nameOf({ source, key }: FolderLocation): string {
  return key === "" ? source.name : lastNameOf({ source, key }, key);
}

/** The folders from the root to one of them, without the root. */
export type Trail = readonly { readonly identifier: string; readonly name: string }[];

/**
 * Folders of a trail: each repeats the identifiers of those above it, and a request may name thousands that
 * do not exist.
 */
const maxTrail = 20;

/** The way to a folder from the root; of a longer one its last 20 folders. */
export function trailOf(sources: Sources, location: FolderLocation): Trail {
  const trail: Trail[number][] = [];
  let here = location;
  while (trail.length < maxTrail) {
    const parent = parentOf(sources, here);
    if (parent === undefined) break;
    trail.unshift({ identifier: identifierOf(here), name: nameOf(here) });
    if (parent === "") break;
    here = locationOf(sources, parent);
  }
  return trail;
}
