// Whole items as one file: which manifests are offered so, and the images on their canvases.

import {
  type DocumentContext,
  type DownloadKind,
  downloadAddress,
  downloadKinds,
  imagesOf,
  objectsOf,
  ownNames,
  type Resource,
} from "../../../iiif/index.ts";
import type { Made, ManifestsParts } from "./making.ts";
import { isFilled } from "./painted.ts";
import { identifierOfDocument } from "./searched-text.ts";

/** What each kind of file is in a manifest (Presentation API 3.0, section 3.2, `rendering`). */
const renderings = {
  pdf: { type: "Text", format: "application/pdf", label: "PDF" },
  zip: { type: "Dataset", format: "application/zip", label: "ZIP" },
} as const satisfies Readonly<Record<DownloadKind, object>>;

/** A canvas, and the identifier of the image of this service that fills it; absent for an empty canvas. */
export interface FilledCanvas {
  readonly canvas: Resource;
  readonly identifier?: string;
}

/**
 * Returns the canvases of a manifest that can be downloaded as one file: if each is empty or filled by one
 * image of this service, and if there are not more than the configuration allows. Otherwise undefined.
 */
export function downloadedCanvases(
  { options, aliases }: Pick<ManifestsParts, "options" | "aliases">,
  { document, canvases }: Made,
  { imagePrefixes }: Pick<DocumentContext, "imagePrefixes">,
): readonly FilledCanvas[] | undefined {
  // The canvases of a longer manifest are made on demand.
  if (document.type !== "Manifest" || canvases) return undefined;
  const items = objectsOf(document.items);
  if (items.length === 0 || items.length > options.download.max_pages) return undefined;
  const prefixes = [...Object.values(imagePrefixes), ...aliases];
  const filled: FilledCanvas[] = [];
  for (const canvas of items) {
    const isEmpty = objectsOf(canvas.items).every((page) => objectsOf(page.items).length === 0);
    const [address] = imagesOf(canvas);
    const { image } = address === undefined || !isFilled(canvas) ? {} : ownNames(address, prefixes);
    if (!isEmpty && image === undefined) return undefined;
    filled.push({ canvas, ...(image !== undefined && { identifier: image }) });
  }
  return filled.some(({ identifier }) => identifier !== undefined) ? filled : undefined;
}

/** Returns a manifest with the files that it can be downloaded as. */
export function withDownloads(parts: ManifestsParts, made: Made, context: DocumentContext): Made {
  const { download } = parts.options;
  const kinds = downloadKinds.filter((kind) => download[kind] === "on");
  const count = kinds.length === 0 ? undefined : downloadedCanvases(parts, made, context)?.length;
  if (count === undefined) return made;
  const id = identifierOfDocument(made.document, context.base);
  const offered = kinds.map((kind) => {
    const { type, format, label } = renderings[kind];
    return {
      id: downloadAddress(context.base, kind, id),
      type,
      label: { en: [`${label} (${count === 1 ? "1 page" : `${count} pages`})`] },
      format,
    };
  });
  const { items, ...head } = made.document;
  const rendering = [...objectsOf(head.rendering), ...offered];
  return { ...made, document: { ...head, rendering, items } };
}
