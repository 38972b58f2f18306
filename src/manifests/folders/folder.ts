// A folder of images, and what is known of them.

import type { Size } from "../../imaging/render/sampling.ts";
import type { Listing } from "./listing.ts";
import type { ManifestFile } from "./manifest-file.ts";

/** A folder as it was listed, with what has been found out of its images since. */
export interface Folder {
  /** Another one whenever a listing shows that something changed. */
  readonly serial: number;
  readonly listing: Listing;
  /** What its operator wrote about it. */
  readonly manifestFile?: ManifestFile;
  /** By the name of a file; what counts for one validator only has it beside it. */
  readonly facts: Map<string, KnownFacts>;
}

export interface KnownFacts {
  readonly validator: string;
  readonly facts: ImageFacts;
  /** Those of its pages, once somebody has looked. */
  readonly pages?: readonly ImageFacts[];
}

/** What manifests say of an image. */
export interface ImageFacts {
  /** Absent where no picture of it can be served. */
  readonly size?: Size;
  /** Why not, in words. */
  readonly problem?: string;
  /** Whether the problem may be over at the next look: the source did not answer, or too much was asked of it. */
  readonly passes?: true;
  /** At least 1; frames of animations count as well. */
  readonly pages: number;
  /** Whether they are sheets of a document, which folders show one after the other, and no animation. */
  readonly inFolders?: true;
}
