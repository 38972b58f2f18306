// Facts that manifests and collections are made from. A document of Presentation API 3.0 is the model of all:
// derived, stored and returned by hooks; 2.1 is converted from it.

import type { LanguageMap } from "../../base/index.ts";
import type { Limits } from "../image/size.ts";

/** A document of Presentation API 3.0 as JSON, or a part of it. */
export interface Resource {
  readonly [member: string]: unknown;
}

/** The facts of an image on a canvas. */
export interface CanvasFacts {
  /** Identifier of the image, with its page suffix, if any. */
  readonly identifier: string;
  /** Label for people: the name of the file, the number of a page, or both. */
  readonly label: string;
  /** Number of a page, from 1, in a manifest that also shows other files. */
  readonly page?: number;
  /** Upright pixels, as in responses; absent if the image cannot be read. */
  readonly size?: { readonly width: number; readonly height: number };
  /** EXIF orientation by which responses turn it; absent if they do not. */
  readonly orientation?: number;
  /** Reason why it cannot be shown, instead of a size. */
  readonly problem?: string;
  /** Authorization services, those of 2.0 first, as in its image information; absent for public images. */
  readonly auth?: readonly object[];
  /** True if this caller may see it; others get no thumbnail. */
  readonly visible: boolean;
}

/** Identity and context of a derived manifest. */
interface ManifestIdentity {
  /**
   * Identifier of the document: that of the directory, of a single image, or of its images (`imagesId` in
   * mounts.ts).
   */
  readonly id: string;
  readonly label: string;
  /** Identifier of the parent collection. */
  readonly parent?: string;
  /** Sentences about the manifest, for people. */
  readonly note?: string;
}

/** A manifest to derive with all of its canvases. */
export interface ManifestFacts extends ManifestIdentity {
  /**
   * In natural order, at least one: a canvas is numbered by its index here, whatever a manifest file moves or
   * hides.
   */
  readonly canvases: readonly CanvasFacts[];
}

/** A manifest to derive without its canvases. */
export interface ManifestHead extends ManifestIdentity {
  /** First image that the caller may see. */
  readonly front?: CanvasFacts;
  /** True if one of them names authorization services. */
  readonly gated: boolean;
  /** Services to log in to them, each once. */
  readonly services: readonly Resource[];
}

/** Member of a collection. */
export interface MemberFacts {
  /** `annotations`: a document that no collection lists, though it has an index among the others. */
  readonly kind: "manifest" | "collection" | "annotations";
  readonly id: string;
  /** Its name, or the label of its own description. */
  readonly label: string | LanguageMap;
  /** Date that clients navigate by, with its time zone. */
  readonly navDate?: string;
  /** The image that represents it, if the caller may see it. */
  readonly thumbnail?: CanvasFacts;
  /** The `thumbnail` of its whole document, instead of an image. */
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

/** Facts about the service that a document depends on. */
export interface DocumentContext {
  /** Public URL of the service, without a trailing /. */
  readonly base: string;
  /** Prefixes of the image services, by version; each begins and ends with `/`. */
  readonly imagePrefixes: Readonly<Record<2 | 3, string>>;
  /** Largest image derivatives. */
  readonly limits: Limits;
  /**
   * Returns the address of the page that shows a document, by the document's identifier; absent if there is
   * none.
   */
  readonly viewer?: (id: string) => string;
  /** Each gated image has its services to log in whole; absent if the manifest names them once. */
  readonly loginsAtImages?: true;
}

/** Texts of a document. */
export type Texts = LanguageMap;
