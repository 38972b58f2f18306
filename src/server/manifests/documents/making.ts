// Context and result of making one document.

import type { ServiceError } from "../../../base/index.ts";
import { type CanvasFacts, type DocumentContext, objectsOf, type Resource } from "../../../iiif/index.ts";
import type { Caller, RefusedDecision } from "../../access/access.ts";
import type { LookParts } from "../../images/look.ts";
import type { Sources } from "../../sources/index.ts";
import type { AnnotationFiles } from "../folders/annotation-files.ts";
import type { Folder } from "../folders/folder.ts";
import type { Folders } from "../folders/folders.ts";
import type { ManifestFileLog } from "../folders/manifest-file-log.ts";
import type { Gate, GateParts } from "../gate.ts";
import type { PresentationOptions } from "../options.ts";
import type { TextCanvas } from "../texts/found-matches.ts";
import type { PageTexts } from "../texts/page-texts.ts";
import type { TextFile } from "../texts/text-files.ts";

export interface ManifestsParts extends GateParts {
  readonly images: LookParts;
  readonly sources: Sources;
  readonly folders: Folders;
  readonly options: Pick<
    PresentationOptions,
    "derive" | "pages" | "texts" | "title" | "provider" | "download"
  >;
  readonly manifestFiles: ManifestFileLog;
  readonly texts: PageTexts;
  readonly annotationFiles: AnnotationFiles;
  /** Further paths of the Image API, which documents may use for images. */
  readonly aliases: readonly string[];
}

/** One document for one caller. */
export interface Making {
  readonly parts: ManifestsParts;
  readonly caller: Caller;
  readonly context: DocumentContext;
  readonly gate: Gate;
  /** True if only some of its canvases are needed. */
  readonly partly: boolean;
  /** Records why an existing file cannot be read as an image; the error says so if nothing else is found. */
  noteUnread(error: ServiceError): void;
}

/** A document, or a piece of one. */
export interface Made {
  /** Version 3.0, with its context. */
  readonly document: Resource;
  /** The document in 2.1, if its operator wrote it so; otherwise 2.1 is converted from 3.0. */
  readonly document2?: Resource;
  /** The `services` of the manifest of a piece, which the piece refers to. */
  readonly services?: unknown;
  /** Annotations that are attached to the canvases of a manifest. */
  readonly attached?: Attached;
  /** The texts of the canvases of a manifest. */
  readonly texts?: CanvasTexts;
  /** Canvases of a manifest whose items are left out of the document, which has an empty list instead. */
  readonly canvases?: Canvases;
}

/** The texts of the canvases of a manifest. */
export interface CanvasTexts {
  /** Returns those of a canvas, by its number from 1; undefined if it has none. */
  at(number: number): Promise<SheetTexts | undefined>;
  /** The canvases with a text that the caller may read, in the order of their numbers, some at a time. */
  readable(): AsyncIterable<readonly ReadableText[]>;
}

/** A canvas whose text a caller may read. */
export interface ReadableText {
  /** From 1. */
  readonly number: number;
  /** Id of the canvas, if that is not its address in the manifest. */
  readonly id?: string;
  /** Identifier of the image of the canvas. */
  readonly identifier: string;
  /** Equal for images that the same callers may see, as far as known (`Gate.accessClass`). */
  readonly accessClass: string;
  readonly files: readonly TextFile[];
}

/** A canvas with the files of its text. */
export interface SheetTexts {
  /** Identifier of the image of the canvas. */
  readonly identifier: string;
  readonly files: readonly TextFile[];
  readonly canvas: TextCanvas["canvas"];
}

/** Bytes that are no document in JSON. */
export interface RawText {
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Annotations by canvas. */
export interface Attached {
  /** Value of the member `annotations` of the manifest: what is about no canvas. */
  readonly left: readonly Resource[];
  /** References to the pages about a canvas, by its number from 1 and the name of its file in the folder. */
  of(number: number, file: string | undefined): readonly Resource[];
  /**
   * Returns such a page as a document of its own; undefined if there is none. Throws `decode`
   * (unusable_annotations) if its file cannot be used, and what sources throw.
   */
  page(number: number, nth: number): Promise<AttachedPage | undefined>;
}

/** The annotations of one page about one canvas. */
export interface AttachedPage {
  /** With all that they target, on which it depends who may read them. */
  readonly document: Resource;
  /** Returns the page, or a part of it, with that canvas as the only target. */
  narrow(page: Resource): Resource;
  /** Why the caller may not read it; then it is empty. */
  readonly refused?: RefusedDecision;
}

/**
 * The canvases of a manifest in their order, made when they are asked for. Throws what sources, hooks and
 * codecs throw.
 */
export interface Canvases {
  count(): Promise<number>;
  /** The canvas at an index from 0; undefined if there is none. */
  at(index: number): Promise<Resource | undefined>;
  /** The index from 0 of the canvas with an id; undefined if none has it. */
  indexOf(id: string): Promise<number | undefined>;
  /** All of them, some at a time. */
  batches(): AsyncIterable<readonly Resource[]>;
}

/** The canvases of a manifest; its document may have them as items. */
export function canvasesOf({ document, canvases }: Made): Canvases {
  return canvases ?? listedCanvases(objectsOf(document.items));
}

function listedCanvases(items: readonly Resource[]): Canvases {
  let indexes: ReadonlyMap<unknown, number> | undefined;
  return {
    count: async () => items.length,
    at: async (index) => items[index],
    async indexOf(id) {
      // The first of several with one id counts.
      indexes ??= new Map(items.map((item, index) => [item.id, index] as const).reverse());
      return indexes.get(id);
    },
    async *batches() {
      yield items;
    },
  };
}

/** A document that is still to be made. */
export interface PlannedDocument {
  /** Throws what sources, hooks and codecs throw, and `not-found` if nothing remains of it. */
  make(): Promise<Made>;
  /** Returns the bytes at an address that has no document. Throws what sources throw, and `not-found`. */
  raw?(): Promise<RawText>;
  /** The folder, if the document depends on no other, except for what `beyond` says. */
  readonly folder?: Folder;
  /** What the document depends on in other folders, in brief. */
  readonly beyond?: string;
  /**
   * Returns the access decisions, for a document that otherwise depends only on its folder. Undefined if
   * unknown.
   */
  outcome?(): string | undefined;
  /** False while images still have to be opened for it, whose sources may fail. */
  isKnown?(): boolean;
  /** Returns the facts that its canvases are derived from; absent if none are. */
  facts?(): Promise<readonly CanvasFacts[]>;
  /**
   * Manifest files that are not used, or not wholly, and from which line on; known when the document is made.
   */
  ignoredFile?(): string | undefined;
  /** Identifier of the folder whose contents it lists, if no operator wrote it as a whole. */
  readonly lists?: string;
  /** True for identifiers from a listing if a hook maps identifiers: they count only with its consent. */
  readonly needsConsent?: boolean;
}
