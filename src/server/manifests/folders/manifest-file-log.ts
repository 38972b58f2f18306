// Logs faults of manifest files for the operator, once for each state of a file.

import { findingLine, type Log, parseUrl, positionText } from "../../../base/index.ts";
import type { Resource } from "../../../iiif/index.ts";
import { type FolderLocation, identifierOf, inside } from "../locations.ts";
import type { ManifestFile } from "./manifest-file.ts";

/** A file that an operator wrote next to images. */
type FaultyFile = Pick<ManifestFile, "name" | "faults">;

export interface ManifestFileLog {
  /**
   * Logs faults of a file that have not been logged. Returns the file with the line of the first, for the
   * response header.
   */
  tell(location: FolderLocation, manifestFile: FaultyFile): string | undefined;
  /** Logs the origins of images in a whole document, except the service's own and allowed ones. */
  tellOrigins(location: FolderLocation, manifestFile: ManifestFile, document: Resource, base: string): void;
}

/** A log for manifest files; `allowed`: origins of other servers that they may name. */
export function createManifestFileLog(log: Pick<Log, "warn">, allowed: readonly string[]): ManifestFileLog {
  const logged = new WeakMap<FaultyFile, Set<string>>();
  const isNew = (manifestFile: FaultyFile, text: string) => {
    const known = logged.get(manifestFile) ?? new Set();
    logged.set(manifestFile, known);
    if (known.has(text)) return false;
    known.add(text);
    return true;
  };
  return {
    tell(location, manifestFile) {
      const faults = manifestFile.faults();
      const file = identifierOf(inside(location, manifestFile.name));
      for (const fault of faults.map(findingLine))
        if (isNew(manifestFile, fault))
          log.warn("a manifest file is only partly used", {
            source: location.source.name,
            file,
            fault,
          });
      const located = faults.find(({ position }) => position);
      if (faults.length === 0) return undefined;
      return located ? `${manifestFile.name}, ${positionText(located)}` : manifestFile.name;
    },
    tellOrigins(location, manifestFile, document, base) {
      const own = [new URL(base).origin, ...allowed.map((origin) => origin.toLowerCase())];
      for (const origin of originsIn(document).filter((each) => !own.includes(each)))
        if (isNew(manifestFile, origin))
          log.warn("a manifest file names pictures of a server that presentation.allowed_origins does not", {
            source: location.source.name,
            file: identifierOf(inside(location, manifestFile.name)),
            origin,
          });
    },
  };
}

/** Members of a document whose addresses viewers fetch. */
const fetched: ReadonlySet<string> = new Set(["body", "service", "thumbnail", "logo"]);

/** The origins of pictures and services in a document. */
function originsIn(document: Resource): readonly string[] {
  const origins = new Set<string>();
  const look = (value: unknown, isFetched: boolean): void => {
    if (Array.isArray(value)) for (const each of value) look(each, isFetched);
    else if (typeof value === "object" && value !== null)
      for (const [name, each] of Object.entries(value)) {
        if (
          isFetched &&
          (name === "id" || name === "@id") &&
          typeof each === "string" &&
          /^https?:/i.test(each)
        ) {
          const url = parseUrl(each);
          if (url) origins.add(url.origin);
        }
        look(each, isFetched || fetched.has(name));
      }
  };
  look(document, false);
  return [...origins];
}
