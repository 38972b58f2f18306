// Contents of a folder for manifests and collections: its images, texts and folders in natural order, and its
// manifest file.

import { compareNaturally } from "../../../base/index.ts";
import type { SourceEntry } from "../../sources/source.ts";
import { readAnnotationsName } from "./annotation-names.ts";
import { readTextName } from "./text-names.ts";

/** Manifest files, the first of which counts. */
export const manifestFileNames = ["manifest.yaml", "manifest.yml", "manifest.json"] as const;
export type ManifestFileName = (typeof manifestFileNames)[number];

export interface ListedFile {
  readonly name: string;
  /** Unchanged as long as the file is, if the source has one. */
  readonly validator?: string;
}

export interface Listing {
  readonly images: readonly ListedFile[];
  readonly directories: readonly string[];
  /** Files that may hold the text of its images. */
  readonly texts: readonly ListedFile[];
  /** Files of annotations of its images. */
  readonly annotations: readonly ListedFile[];
  /** Folders that hold only annotations or texts, as far as known: they are no directories for readers. */
  readonly notes: readonly string[];
  /** The manifest files that are there, in their order. */
  readonly manifestFiles: readonly ListedFile[];
}

/** The listing of the entries of a folder. */
export function listingOf(entries: readonly SourceEntry[]): Listing {
  const files = (kind: SourceEntry["kind"]) => entries.filter((entry) => entry.kind === kind);
  const sortByName = (kind: SourceEntry["kind"]) =>
    files(kind).sort((one, other) => compareNaturally(one.name, other.name));
  const named = new Map(files("other").map((entry) => [entry.name, entry]));
  return {
    images: sortByName("image").map(withoutKind),
    texts: sortByName("other")
      .filter(({ name }) => readTextName(name))
      .map(withoutKind),
    annotations: sortByName("other")
      .filter(({ name }) => readAnnotationsName(name))
      .map(withoutKind),
    directories: sortByName("directory").map(({ name }) => name),
    notes: [],
    manifestFiles: manifestFileNames.flatMap((name) => named.get(name) ?? []).map(withoutKind),
  };
}

const withoutKind = ({ name, validator }: SourceEntry): ListedFile => ({
  name,
  ...(validator !== undefined && { validator }),
});

/** About how many bytes of memory a listing takes. */
export function weightOf({ images, texts, annotations, directories, notes, manifestFiles }: Listing): number {
  const files = [...images, ...texts, ...annotations, ...manifestFiles];
  return (
    files.reduce((sum, { name, validator = "" }) => sum + 2 * (name.length + validator.length) + 64, 256) +
    [...directories, ...notes].reduce((sum, name) => sum + 2 * name.length + 32, 0)
  );
}
