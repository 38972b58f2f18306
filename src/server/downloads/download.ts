// Opens a whole item as one file for one reader.

import type { Platform } from "../../base/index.ts";
import { type DocumentContext, type DownloadKind, pieceAddress } from "../../iiif/index.ts";
import type { Caller } from "../access/access.ts";
import type { RenderParts } from "../images/render.ts";
import { downloadedCanvases } from "../manifests/documents/downloads.ts";
import type { Made } from "../manifests/documents/making.ts";
import type { PresentationOptions } from "../manifests/options.ts";
import type { PageTexts } from "../manifests/texts/page-texts.ts";
import type { TextFile } from "../manifests/texts/text-files.ts";
import { itemOf } from "./item.ts";
import { pdfOfItem, UnknownLength } from "./pdf-of-item.ts";
import { lengthOf, type Piece } from "./pieces.ts";
import { isStored, type Plan, planItem, tagOf } from "./plan.ts";
import { zipOfItem } from "./zip-of-item.ts";

export interface DownloadParts {
  readonly images: RenderParts;
  readonly texts: Pick<PageTexts, "read" | "versionOf">;
  readonly platform: Pick<Platform, "deflate">;
  /** Version of the program. */
  readonly version: string;
}

export interface DownloadRequest {
  readonly kind: DownloadKind;
  /** Its identifier is ignored. */
  readonly caller: Caller;
  readonly context: DocumentContext;
  readonly options: PresentationOptions;
  /** Further paths of the Image API, which documents may use for images. */
  readonly aliases: readonly string[];
}

export interface Download {
  readonly plan: Plan;
  /** Differs for files with different bytes. */
  readonly tag: string;
  /** False if pages have to be rendered, so that the length is known when the file has been sent. */
  readonly mayHaveLength: boolean;
  /** Returns the length in bytes; undefined if a page turns out to need a render. Reads no whole master. */
  measure(): Promise<number | undefined>;
  /** Yields the file from its beginning. Throws what masters, renders and texts throw: it is then cut. */
  pieces(): AsyncIterable<Piece>;
}

/** Raised whenever the same plan yields another file. */
const writerVersion = 2;

/**
 * Opens a manifest as one file; undefined if it is not offered so. Throws what `planItem` throws.
 */
export async function openDownload(
  parts: DownloadParts,
  made: Made,
  { kind, caller, context, options, aliases }: DownloadRequest,
): Promise<Download | undefined> {
  const canvases = downloadedCanvases({ options, aliases }, made, context);
  if (!canvases) return undefined;
  const { max_size: maxSize, max_pages: maxPages, page_size: pageSize } = options.download;
  const item = itemOf(made.document, canvases);
  // The decision on the manifest is on record; those on its pages would push out all others.
  const images: RenderParts = { ...parts.images, decisions: { note: () => {} } };
  const whole = await planItem(images, item, caller, { kind, maxSize, maxPages, pageSize });
  // An archive has files alone; a PDF has a page for each image that is missing.
  const plan = kind === "pdf" ? whole : { ...whole, pages: whole.pages.filter(isStored) };
  const { pages, ...facts } = { ...item, pages: plan.pages };
  const common = [writerVersion, parts.version, kind, images.policy, pageSize, facts, pages];
  if (kind === "zip") {
    const archive = zipOfItem(images, plan, caller);
    const pieces = async function* () {
      yield archive;
    };
    const tag = await tagOf(common);
    return { plan, tag, mayHaveLength: true, measure: async () => archive.length, pieces };
  }
  const texts = await textsOf(made);
  const versions = await versionsOf(parts, texts);
  const tag = await tagOf([...common, versions, await images.deflateIdentity()]);
  const pdfParts = { images, texts: parts.texts, platform: parts.platform };
  const asked = { texts, caller, pageSize, producer: `smalti ${parts.version}`, id: tag };
  return {
    plan,
    tag,
    mayHaveLength: pages.every(({ image }) => image.way !== "derived"),
    measure: () =>
      lengthOf(pdfOfItem(pdfParts, plan, asked, true)).catch((error: unknown) => {
        if (error instanceof UnknownLength) return undefined;
        throw error;
      }),
    pieces: () => pdfOfItem(pdfParts, plan, asked),
  };
}

/** Returns the files of the texts that the caller may read, by the id of the canvas. */
async function textsOf({ document, texts }: Made): Promise<ReadonlyMap<string, readonly TextFile[]>> {
  const found = new Map<string, readonly TextFile[]>();
  if (texts)
    for await (const some of texts.readable())
      for (const {
        number,
        files,
        id = pieceAddress(String(document.id), { kind: "canvas", number }),
      } of some)
        found.set(id, files);
  return found;
}

/** Returns what tells whether texts have changed; a listing has it of most files. */
async function versionsOf(
  { texts }: DownloadParts,
  files: ReadonlyMap<string, readonly TextFile[]>,
): Promise<readonly unknown[]> {
  const versions: unknown[] = [];
  for (const [id, some] of files)
    for (const file of some)
      versions.push([id, file.location.key, file.validator ?? (await texts.versionOf(file))]);
  return versions;
}
