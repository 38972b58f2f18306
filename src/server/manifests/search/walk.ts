// Lists folders during a search, within bounds, if there is no index of them.

import { ServiceError, withDeadline } from "../../../base/index.ts";
import type { Sources } from "../../sources/index.ts";
import type { Folders } from "../folders/folders.ts";
import { type FolderLocation, identifierOf } from "../locations.ts";
import type { LookInto } from "./find.ts";
import { searchedFolder } from "./searched-folder.ts";

export interface WalkBounds {
  /** Most folders to read. */
  readonly folders: number;
  /** Milliseconds after which no further folder is. */
  readonly ms: number;
}

export interface FolderWalk {
  readonly lookInto: LookInto;
  /** Identifier of the first folder that was not looked into, for whatever reason; undefined if all were. */
  stoppedAt(): string | undefined;
}

/** Reads folders as they are listed now. */
export function walkFolders(
  { sources, folders }: { readonly sources: Sources; readonly folders: Pick<Folders, "find"> },
  { folders: max, ms }: WalkBounds,
  signal?: AbortSignal,
): FolderWalk {
  const end = performance.now() + ms;
  let stoppedAt: string | undefined;
  let seen = 0;
  const stop = (location: FolderLocation): undefined => {
    stoppedAt ??= identifierOf(location);
  };
  return {
    async lookInto(location) {
      const { source, key } = location;
      if (!source.list) return undefined;
      const left = end - performance.now();
      if (seen++ >= max || left <= 0) return stop(location);
      try {
        const folder = await withDeadline(left, () => folders.find(source, key));
        return folder && searchedFolder(sources, location, folder);
      } catch (error) {
        if (signal?.aborted) throw error;
        if (error instanceof ServiceError && error.kind === "cancelled") throw error;
        return stop(location);
      }
    },
    stoppedAt: () => stoppedAt,
  };
}
