// Health checks of the sources.

import type { Check } from "../../base/index.ts";
import type { Sources } from "./index.ts";
import { locationOf, type SourceOptions } from "./options.ts";

/** Option that holds the location of a source's masters, by type. */
const locationKey = { filesystem: "root", http: "url", s3: "bucket" } as const satisfies Record<
  SourceOptions["type"],
  string
>;

/**
 * Returns a check for each source. `options`: their options in the same order; empty for the bundled sample.
 */
export function sourceChecks(sources: Sources, options: readonly SourceOptions[]): Check[] {
  return sources.all.map((source, at) => {
    const own = options[at];
    return {
      part: "sources",
      name: source.name,
      backend: source.backend,
      key: own ? `sources.${at}.${locationKey[own.type]}` : "sources",
      ...(own && { location: locationOf(own) }),
      // A server that is unavailable now may recover soon; a missing folder is a mistake.
      neededFor: own?.type === "filesystem" ? "start" : "answers",
      run: () => source.check(),
    };
  });
}
