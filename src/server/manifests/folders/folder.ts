// A folder of images, and the facts known of them.

import type { Size } from "../../../base/index.ts";
import type { Listing } from "./listing.ts";
import type { ManifestFile } from "./manifest-file.ts";
import type { MetsOrder } from "./mets-file.ts";

/** A listed folder, with the facts found about its images since. */
export interface Folder {
  /** Changes whenever a listing shows that something changed. */
  readonly serial: number;
  readonly listing: Listing;
  /** Its operator's description. */
  readonly manifestFile?: ManifestFile;
  /** The METS file next to its images. */
  readonly mets?: MetsOrder;
  /** Facts by file name; those that apply to one validator only include it. */
  readonly facts: Map<string, KnownFacts>;
}

export interface KnownFacts {
  readonly validator: string;
  readonly facts: ImageFacts;
  /** Facts of its pages, once they have been read. */
  readonly pages?: readonly ImageFacts[];
}

/** Facts about an image for manifests. */
export interface ImageFacts {
  /** Absent if no derivative can be served. */
  readonly size?: Size;
  /** EXIF orientation by which responses turn it; absent if they do not. */
  readonly orientation?: number;
  /** Why not, in words. */
  readonly problem?: string;
  /** True if the problem may be temporary: the source did not respond, or was overloaded. */
  readonly passes?: true;
  /** At least 1; frames of animations count as well. */
  readonly pages: number;
  /** True if they are sheets of a document, which folders show one by one, and no animation. */
  readonly inFolders?: true;
  /** Label of the page according to its file, such as "iv". */
  readonly pageLabel?: string;
  /** Reason why not all pages of the file are shown. */
  readonly cut?: "limit" | "damage";
}
