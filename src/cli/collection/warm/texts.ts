// Indexes the text of the manifests of folders, as anyone may search it.

import { ServiceError } from "../../../base/index.ts";
import {
  type DocumentContext,
  documentAddress,
  imagesId,
  mainPrefix,
  presentationPaths,
  presentationRoot,
} from "../../../iiif/index.ts";
import { type Manifests, type RenderParts, searchedText, type TextSearch } from "../../../server/index.ts";
import { anonymousCaller } from "../reader.ts";

export interface WarmTextsParts {
  readonly images: RenderParts;
  readonly manifests: Manifests;
  readonly textSearch: TextSearch;
}

/** What became of the text of a folder. */
export interface TextOutcome {
  /** Documents whose index was built or completed. */
  readonly made: number;
  /** Documents whose index was there. */
  readonly found: number;
}

/** Public URL of documents that nobody receives; the domain never resolves (RFC 2606). */
const base = "https://warm.invalid";

/**
 * Indexes the text of the manifests of a folder: its own, and that of the images next to its folders. Texts
 * that need a login are left to their readers. Throws what sources throw.
 */
export async function warmTexts(
  { images, manifests, textSearch }: WarmTextsParts,
  folder: string,
  signal: AbortSignal,
): Promise<TextOutcome> {
  const context: DocumentContext = { base, imagePrefixes: mainPrefix, limits: images.sizes.limits };
  let [made, found] = [0, 0];
  for (const id of [folder, imagesId(folder)]) {
    signal.throwIfAborted();
    const readings = presentationPaths(documentAddress("", id).slice(presentationRoot[3].length));
    const presented = await manifests
      .present(readings, anonymousCaller(id, signal), context, "partly")
      .catch(unlessMissing);
    if (!presented || presented.refused) continue;
    const text = await searchedText(await presented.make());
    if (text.pages.length === 0) continue;
    if ((await textSearch.prepare(text)) > 0) made++;
    else found++;
  }
  return { made, found };
}

/** Folders of folders have no manifest. */
function unlessMissing(error: unknown): undefined {
  if (!(error instanceof ServiceError) || error.kind !== "not-found") throw error;
}
