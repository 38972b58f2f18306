// What manifests and collections are made from. A document of Presentation API 3.0 is the model of all: derived, stored and those of
// hooks; 2.1 is written from it.

import type { LanguageMap } from "../auth.ts";
import type { Limits } from "../image/size.ts";

/** A document of Presentation API 3.0 as JSON, or a part of it. */
export interface Resource {
  readonly [member: string]: unknown;
}

/** An image as a canvas shows it. */
export interface CanvasFacts {
  /** Identifier of the image, with its page suffix where it has one. */
  readonly identifier: string;
  /** What people call it: the name of the file, the number of a page, or both. */
  readonly label: string;
  /** The number from 1 of a page in a manifest that shows other files beside it. */
  readonly page?: number;
  /** Upright pixels, as answers have them; absent where the picture cannot be read. */
  readonly size?: { readonly width: number; readonly height: number };
  /** Why it cannot be shown, in words; instead of a size. */
  readonly problem?: string;
  /** Authorization services, those of 2.0 first, as its image information advertises them; absent for public images. */
  readonly auth?: readonly object[];
  /** Whether this caller may see it as it is; those who may not are given no thumbnail. */
  readonly visible: boolean;
}

/** What a manifest to derive is called, and where it belongs. */
interface ManifestIdentity {
  /** Identifier of the document: that of the directory, of a single image, or of its images (`imagesId` in mounts.ts). */
  readonly id: string;
  readonly label: string;
  /** Identifier of the collection that lists it. */
  readonly parent?: string;
}

/** A manifest to derive with all of its canvases. */
export interface ManifestFacts extends ManifestIdentity {
  /**
   * In their natural order, at least one: a canvas is numbered by its place here, whatever a manifest file
   * moves or hides.
   */
  readonly canvases: readonly CanvasFacts[];
}

/** A manifest to derive without its canvases. */
export interface ManifestHead extends ManifestIdentity {
  /** The first that the caller may see. */
  readonly front?: CanvasFacts;
  /** Whether one of them names authorization services. */
  readonly gated: boolean;
}

/** What a collection lists. */
export interface MemberFacts {
  /** `annotations`: one that no collection lists, though it has its place among the others. */
  readonly kind: "manifest" | "collection" | "annotations";
  readonly id: string;
  /** A name, or what its own description calls it. */
  readonly label: string | LanguageMap;
  /** The moment by which clients place it in time, with its zone. */
  readonly navDate?: string;
  /** The image that stands for it, where the caller may see it. */
  readonly thumbnail?: CanvasFacts;
  /** The `thumbnail` of its whole document, in place of an image. */
  readonly pictures?: readonly Resource[];
}

/** A collection to derive. */
export interface CollectionFacts {
  /** Identifier of the directory; "" for the root. */
  readonly id: string;
  readonly label: string;
  /** In their order. */
  readonly members: readonly MemberFacts[];
  readonly parent?: string;
}

/** What a document needs to know of the service. */
export interface DocumentContext {
  /** Public URL of the service, without a / at its end. */
  readonly base: string;
  /** Prefixes under which image services are offered, by version; each begins and ends with `/`. */
  readonly imagePrefixes: Readonly<Record<2 | 3, string>>;
  /** The largest answers for images. */
  readonly limits: Limits;
  /** Address of the page that shows a document, by the document's identifier; absent: there is none. */
  readonly viewer?: (id: string) => string;
}

/** Texts of a document. */
export type Texts = LanguageMap;
