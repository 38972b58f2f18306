// What is known while one document is made, and what comes of it.

import type { Caller } from "../../access/access.ts";
import type { CanvasFacts, DocumentContext, Resource } from "../../iiif/presentation/model.ts";
import type { Sources } from "../../sources/index.ts";
import type { Folder } from "../folders/folder.ts";
import type { Folders } from "../folders/folders.ts";
import type { FactsParts } from "../folders/image-facts.ts";
import type { ManifestFileLog } from "../folders/manifest-file-log.ts";
import type { Gate, GateParts } from "../gate.ts";
import type { PresentationOptions } from "../options.ts";

export interface ManifestsParts extends GateParts {
  readonly images: FactsParts;
  readonly sources: Sources;
  readonly folders: Folders;
  readonly options: Pick<PresentationOptions, "derive">;
  readonly manifestFiles: ManifestFileLog;
}

/** One document for one caller. */
export interface Making {
  readonly parts: ManifestsParts;
  readonly caller: Caller;
  readonly context: DocumentContext;
  readonly gate: Gate;
}

/** A document, or a piece of one. */
export interface Made {
  /** Of version 3.0, with its context. */
  readonly document: Resource;
  /** The same in 2.1, where its operator wrote it so; else 2.1 is written from 3.0. */
  readonly document2?: Resource;
  /** The canvases of a manifest that is too long to be held as a whole; the items of the document are empty then. */
  readonly long?: LongManifest;
}

export interface LongManifest {
  canvases(): Iterable<Resource>;
  /** What all of them are made of, as text: it changes when one of them does. */
  identity(): string;
}

/** A document that is still to be made; all that may fail has been done. */
export interface Found {
  make(): Made;
  /** The one folder that it is made of, and nothing else. */
  readonly folder?: Folder;
  /** What its canvases are derived from; absent where none are. */
  readonly canvases?: readonly CanvasFacts[];
  /** Manifest files that are not used, or not wholly, and from which line on; known when the document is made. */
  ignored?(): string | undefined;
  /** Where a hook maps identifiers, that which only counts with its consent: identifiers that a listing made. */
  readonly needsConsent?: boolean;
}
