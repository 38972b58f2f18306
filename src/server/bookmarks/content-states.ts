// The parts that links to views need, built from `content_state:`.

import { callsOf, type Platform, ServiceError, secretOf } from "../../base/index.ts";
import { type Bookmarks, openBookmarks } from "./bookmarks.ts";
import type { ContentStateOptions } from "./options.ts";

export interface ContentStates {
  /** Absent if states are not stored. */
  readonly bookmarks?: Bookmarks;
  /** Absent if no states may be added. */
  readonly writeToken?: string;
}

/**
 * Returns undefined if links to views are disabled. `presentation`: true if manifests are served, which is
 * the default of links. `folders`: number of parts that share the file threads. Throws if states are to be
 * stored and the runtime has no files, or if the variable of the token is not set.
 */
export function buildContentStates(
  { enabled, store }: ContentStateOptions,
  {
    platform,
    folders,
    presentation,
  }: { readonly platform: Platform; readonly folders: number; readonly presentation: boolean },
): ContentStates | undefined {
  if (!(enabled ?? presentation)) return undefined;
  if (!store.enabled) return {};
  const { files, fileThreads, env } = platform;
  if (!files)
    throw new ServiceError(
      "unsupported",
      "content_state.store needs files, to which this runtime has no access. Switch it off, or use another runtime.",
      { code: "no_files" },
    );
  const token = store.write_token_env === "" ? store.write_token : secretOf(store.write_token_env, env);
  return {
    bookmarks: openBookmarks(files, store.dir, callsOf(fileThreads, folders)),
    ...(token !== "" && { writeToken: token }),
  };
}
