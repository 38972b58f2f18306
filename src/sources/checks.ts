// What sources contribute to the checks of the service.

import type { Check } from "../lib/checks.ts";
import type { Sources } from "./index.ts";
import { placeOf, type SourceOptions } from "./options.ts";

/** The option that says where a source's masters are. */
const placeKey = { filesystem: "root", http: "url", s3: "bucket" } as const satisfies Record<
  SourceOptions["type"],
  string
>;

/** A check for each source. `options`: what they were built from, in the same order; none for the bundled sample. */
export function sourceChecks(sources: Sources, options: readonly SourceOptions[]): Check[] {
  return sources.all.map((source, at) => {
    const own = options[at];
    return {
      part: "sources",
      name: source.name,
      backend: source.backend,
      key: own ? `sources.${at}.${placeKey[own.type]}` : "sources",
      ...(own && { place: placeOf(own) }),
      // A server that is away now may be back soon; a folder that is not there is a mistake.
      neededFor: own?.type === "filesystem" ? "start" : "answers",
      run: () => source.check(),
    };
  });
}
