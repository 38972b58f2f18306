// Pages of a source that a search has found, as canvases of the manifests in which their caller reads them.

import { forEachConcurrently, type LanguageMap, ServiceError } from "../../../base/index.ts";
import {
  type DocumentContext,
  documentAddress,
  imagesId,
  type Match,
  presentationPaths,
  presentationRoot,
} from "../../../iiif/index.ts";
import { TextFileError } from "../../../text/index.ts";
import type { Caller, Sharing } from "../../access/access.ts";
import type { Sources } from "../../sources/index.ts";
import { canvasesOf, type Made, type SheetTexts } from "../documents/making.ts";
import { shownTexts } from "../documents/searched-text.ts";
import { identifierOf, inside } from "../locations.ts";
import type { Manifests } from "../manifests.ts";
import { type FoundHits, matchesOf } from "../texts/found-matches.ts";
import type { PageTexts } from "../texts/page-texts.ts";
import { pageOfKey } from "./page-key.ts";

export interface FoundPagesParts {
  readonly sources: Sources;
  readonly manifests: Pick<Manifests, "present">;
  readonly texts: Pick<PageTexts, "read">;
}

/** Who reads the pages, and how documents are written for them. */
export interface PagesReader {
  readonly caller: Caller;
  readonly context: DocumentContext;
}

/** A page with words that were searched. */
export interface FoundPage {
  /** Identifier of its image. */
  readonly image: string;
  readonly document: { readonly id: string; readonly label: LanguageMap };
  readonly canvas: SheetTexts["canvas"] & { readonly label: LanguageMap };
  /** The first ones on the page. */
  readonly matches: readonly Match[];
}

/** Manifests that are made simultaneously. */
const manifestsAtOnce = 4;

interface Wanted {
  readonly image: string;
  readonly folder: string;
  readonly hits: FoundHits;
}

/** A page on its canvas. */
interface Shown {
  readonly made: Made;
  readonly sheet: SheetTexts;
  readonly label: LanguageMap;
}

/**
 * Returns the pages of hits in their order, without those that no manifest shows to their caller, and who may
 * cache them. Throws `cancelled`.
 */
export async function foundPages(
  parts: FoundPagesParts,
  hits: readonly FoundHits[],
  reader: PagesReader,
): Promise<{ readonly pages: readonly FoundPage[]; readonly sharing: readonly Sharing[] }> {
  const wanted = hits.flatMap((own) => wantedPage(parts.sources, own) ?? []);
  const shown = new Map<string, Shown>();
  const sharing: Sharing[] = [];
  /** Looks for pages among the canvases of a manifest. Returns false if that knows of no texts. */
  const look = async (id: string, images: ReadonlySet<string>): Promise<boolean> => {
    const presented = await present(parts, id, reader).catch(unlessCancelled);
    if (!presented) return false;
    const made = await presented.make().catch(unlessCancelled);
    if (!made) return false;
    const { texts } = made;
    for await (const some of texts ? shownTexts(made, texts) : [])
      for (const { identifier, number, position } of some) {
        if (!images.has(identifier) || shown.has(identifier)) continue;
        const sheet = await texts?.at(number);
        const canvas = await canvasesOf(made).at(position);
        if (sheet) shown.set(identifier, { made, sheet, label: (canvas?.label ?? {}) as LanguageMap });
      }
    sharing.push(presented.sharing());
    return texts !== undefined;
  };
  const folders = new Map(wanted.map(({ folder }) => [folder, new Set<string>()]));
  for (const { folder, image } of wanted) folders.get(folder)?.add(image);
  await forEachConcurrently(folders, manifestsAtOnce, async ([folder, images]) => {
    const hasTexts = (await look(folder, images)) || (await look(imagesId(folder), images));
    // A manifest that an operator wrote as a whole.
    if (!hasTexts) for (const image of images) await look(image, new Set([image]));
  });
  const signal = reader.caller.signal ?? new AbortController().signal;
  const pages: FoundPage[] = [];
  for (const { image, hits } of wanted) {
    const found = shown.get(image);
    if (!found) continue;
    const { made, sheet, label } = found;
    const matches = await matchesOf(parts.texts, [hits], async () => sheet, signal).catch(unlessCancelled);
    if (!matches || matches.length === 0) continue;
    const document = { id: String(made.document.id), label: made.document.label as LanguageMap };
    pages.push({ image, document, canvas: { ...sheet.canvas, label }, matches });
  }
  return { pages, sharing };
}

function wantedPage(sources: Sources, hits: FoundHits): Wanted | undefined {
  const { prefix, folder, name, page } = pageOfKey(hits.page);
  const source = sources.all.find((each) => each.prefix === prefix);
  if (!source) return undefined;
  const location = { source, key: folder };
  const image = identifierOf(inside(location, name));
  return { image: page === undefined ? image : `${image};${page}`, folder: identifierOf(location), hits };
}

async function present(
  { manifests }: FoundPagesParts,
  id: string,
  { caller, context }: PagesReader,
): Promise<Awaited<ReturnType<Manifests["present"]>> | undefined> {
  const readings = presentationPaths(documentAddress("", id).slice(presentationRoot[3].length));
  const presented = await manifests.present(readings, caller, context, "partly");
  return presented.refused ? undefined : presented;
}

/** Folders of folders have no manifest, and files may be gone or damaged. */
function unlessCancelled(error: unknown): undefined {
  if (error instanceof TextFileError) return;
  if (!(error instanceof ServiceError) || error.kind === "cancelled") throw error;
}
