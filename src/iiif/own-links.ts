// What a link to this service names, in any form in which people copy it: an image or its information, a
// document of either version or a part of one, a page of a viewer, a content state.

import { parseUrl, ServiceError, trimSlashes } from "../base/index.ts";
import { stateParameter, statePaths } from "./content-state/mounts.ts";
import { parseRegion, type Region } from "./content-state/region.ts";
import { fragmentRegion } from "./content-state/selectors.ts";
import type { Formats } from "./image/formats.ts";
import { parseImageRequest } from "./image/grammar.ts";
import type { Mount } from "./image/mounts.ts";
import { encodeIdentifier, identifierOf, splitImagePath } from "./image/path.ts";
import { presentationRoot } from "./presentation/mounts.ts";
import { viewPath } from "./view-mounts.ts";

/** Parameter of the start page with the identifier of a folder. */
const folderParameter = "in";

/** Addresses of this service. */
export interface OwnAddresses {
  /** Public URLs without a trailing /: the canonical one and others by which it is reached. */
  readonly bases: readonly string[];
  /** Paths of the Image API, those with the longest prefixes first. */
  readonly mounts: readonly Mount[];
  readonly formats: Formats;
}

export type OwnLink =
  | { readonly names: "image"; readonly identifier: string; readonly region?: Region }
  /** `path`: raw, after the root of the Presentation API or of the viewer; "" is the root collection. */
  | { readonly names: "document"; readonly path: string; readonly region?: Region }
  /** `value`: that of the parameter `iiif-content`. */
  | { readonly names: "state"; readonly value: string }
  /** `id`: that of a stored state. */
  | { readonly names: "stored"; readonly id: string }
  | { readonly names: "nothing" };

/**
 * Returns what an http or https address names, whichever of the two it has; undefined for one of another
 * site, or for any other text.
 */
export function readOwnLink(address: string, addresses: OwnAddresses): OwnLink | undefined {
  const url = /^https?:\/\//i.test(address) ? parseUrl(address) : undefined;
  const path = url && ownPath(url, addresses.bases);
  if (!url || path === undefined) return undefined;
  try {
    return linkAt(url, path, addresses) ?? { names: "nothing" };
  } catch (error) {
    if (error instanceof ServiceError) return { names: "nothing" };
    throw error;
  }
}

/** Returns the path of a URL below the first of the bases that it is below. */
function ownPath({ host, pathname }: URL, bases: readonly string[]): string | undefined {
  for (const base of bases) {
    const own = parseUrl(base);
    const folder = `/${trimSlashes(own?.pathname ?? "")}`.replace(/^\/$/, "");
    if (own && host === own.host && `${pathname}/`.startsWith(`${folder}/`))
      return pathname.slice(folder.length);
  }
  return undefined;
}

function linkAt(url: URL, path: string, { mounts, formats }: OwnAddresses): OwnLink | undefined {
  const region = fragmentRegion(url.hash.slice(1));
  const part = region && { region };
  for (const root of Object.values(presentationRoot)) {
    const rest = pathBelow(path, root);
    if (rest !== undefined) return { names: "document", path: rest, ...part };
  }
  const viewed = pathBelow(path, viewPath);
  if (viewed !== undefined) {
    const value = url.searchParams.get(stateParameter);
    return value ? { names: "state", value } : { names: "document", path: viewed, ...part };
  }
  const stored = pathBelow(path, statePaths.stored.replace(/\/$/, ""));
  if (stored) return { names: "stored", id: trimSlashes(stored) };
  const mount = mounts.find(({ prefix }) => path.startsWith(prefix));
  if (mount)
    return { ...imageAt(trimSlashes(path.slice(mount.prefix.length)), mount.version, formats), ...part };
  if (trimSlashes(path) !== "") return undefined;
  const folder = url.searchParams.get(folderParameter) ?? "";
  return { names: "document", path: folder.split("/").map(encodeIdentifier).join("/") };
}

/** Returns the part of a path after a folder, with its leading /. */
function pathBelow(path: string, folder: string): string | undefined {
  return `${path}/`.startsWith(`${folder}/`) ? path.slice(folder.length) : undefined;
}

function imageAt(path: string, version: Mount["version"], formats: Formats): OwnLink {
  const named = splitImagePath(path);
  const { identifier } = named;
  if (named.kind !== "image") return { names: "image", identifier };
  try {
    parseImageRequest(version, named, formats);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    // A base URI whose slashes are not encoded has as many segments.
    return { names: "image", identifier: identifierOf(path) };
  }
  const region = parseRegion(named.region.replace(/^pct:/, "percent:"));
  return { names: "image", identifier, ...(region && { region }) };
}
