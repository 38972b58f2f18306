// Finds the canvases of a manifest that annotations are about, by their addresses.

import { idOf, objectsOf, ownNames, pieceAddress, type Resource } from "../../../iiif/index.ts";
import type { Sources } from "../../sources/index.ts";
import { type FolderLocation, locationOf } from "../locations.ts";

/** What annotations of a manifest are about. */
export interface Target {
  /** Number of a canvas from 1; 0 for the manifest itself. */
  readonly number: number;
  readonly id: string;
}

/** Returns the canvas that an address names, or the manifest; undefined for others. */
export type FindTarget = (address: string) => Target | undefined;

/**
 * Returns a function that finds the canvases of a derived manifest, and itself: by their addresses in any
 * spelling, in any version, and on any host, since the public URL of a service may change.
 */
export function findDerived(sources: Sources, location: FolderLocation, address: string): FindTarget {
  return (target) => {
    const own = ownNames(target, []).documents.find((reading) => {
      const { source, key } = locationOf(sources, reading.of);
      const isPart = reading.piece === undefined || reading.piece.kind === "canvas";
      return (
        isPart && typeof reading.extent === "string" && source === location.source && key === location.key
      );
    });
    if (!own) return undefined;
    const number = own.piece?.number ?? 0;
    return { number, id: number === 0 ? address : pieceAddress(address, { kind: "canvas", number }) };
  };
}

/** Returns a function that finds the canvases of a stored manifest as {@link findDerived} does. */
export function findStored(sources: Sources, document: Resource): FindTarget {
  const keysOf = (address: string) => [
    address,
    ...ownNames(address, []).documents.map(({ of, extent, piece }) => {
      const { source, key } = locationOf(sources, of);
      return JSON.stringify([source.name, key, extent, piece]);
    }),
  ];
  let targets: Map<string, Target> | undefined;
  const all = () => {
    const found = new Map<string, Target>();
    for (const [number, each] of [document, ...objectsOf(document.items)].entries()) {
      const id = idOf(each);
      if (id === undefined) continue;
      for (const key of keysOf(id)) if (!found.has(key)) found.set(key, { number, id });
    }
    return found;
  };
  return (target) => {
    targets ??= all();
    for (const key of keysOf(target)) {
      const found = targets.get(key);
      if (found) return found;
    }
    return undefined;
  };
}
