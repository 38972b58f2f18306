// A collection that its operator wrote, for one caller: the way to it, and its items by the rules that lists
// of folders follow.

import { objectsOf, presentationPaths, presentationRoot, type Resource } from "../../../iiif/index.ts";
import type { Caller, Sharing } from "../../access/access.ts";
import { combineSharing } from "../../access/access.ts";
import type { Sources } from "../../sources/index.ts";
import type { Folders } from "../folders/folders.ts";
import { locationOf, trailOf } from "../locations.ts";
import { type LabelledTrail, withLabels } from "./labels.ts";
import type { FolderLock } from "./lock.ts";
import { openSight, type SightParts } from "./sight.ts";

export interface DocumentAround {
  /** The folders above it, from the root down. */
  readonly trail: LabelledTrail;
  /** Items that the caller may know of; those that need a login have a lock. */
  readonly items: readonly { readonly item: Resource; readonly lock?: FolderLock | undefined }[];
  readonly sharing: Sharing;
}

export interface AroundRequest {
  readonly document: Resource;
  /** Identifier of the folder above it; undefined for the root. */
  readonly above: string | undefined;
  readonly callerOf: (identifier: string) => Caller;
  /** Public URL of the service without trailing slash. */
  readonly base: string;
}

/** Returns it. */
export async function lookAround(
  parts: SightParts & { readonly sources: Sources; readonly folders: Folders },
  { document, above, callerOf, base }: AroundRequest,
): Promise<DocumentAround> {
  const { sources } = parts;
  const sight = openSight(parts, callerOf, above ?? "");
  const items: DocumentAround["items"][number][] = [];
  for (const item of objectsOf(document.items)) {
    const own = ownIdentifier(base, String(item.id));
    const lock = own === undefined ? undefined : await sight.lockOf(own);
    if (own === undefined || lock || (await sight.mayLookInto(own))) items.push({ item, lock });
  }
  const way = above === undefined ? [] : trailOf(sources, locationOf(sources, above));
  return {
    trail: await withLabels(parts, way, sight.mayLookInto),
    items,
    sharing: combineSharing([sight.sharing()]),
  };
}

/** Returns the identifier of a folder or an image by the address of its document; undefined for others. */
function ownIdentifier(base: string, address: string): string | undefined {
  const root = base + presentationRoot[3];
  if (!address.startsWith(`${root}/`)) return undefined;
  try {
    const [reading] = presentationPaths(address.slice(root.length));
    return reading?.of || undefined;
  } catch {
    return undefined;
  }
}
