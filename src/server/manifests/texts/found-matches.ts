// Hits of the index as matches on canvases: boxes and texts are found in the pages again.

import { createPauses, forEachConcurrently } from "../../../base/index.ts";
import type { Match, MatchPart } from "../../../iiif/index.ts";
import { matchPage, type PageHit, type PageHits, pageLanguage, scalePage } from "../../../text/index.ts";
import type { PageTexts } from "./page-texts.ts";
import type { TextFile } from "./text-files.ts";

/** A canvas with its text. */
export interface TextCanvas {
  readonly canvas: { readonly id: string; readonly width: number; readonly height: number };
  readonly files: readonly TextFile[];
}

/** Returns a canvas by the key of its page; undefined if its image cannot be read. */
export type CanvasOf = (key: string) => Promise<TextCanvas | undefined>;

/** Pages that are read simultaneously. */
const pagesAtOnce = 4;

/** Returns the matches of hits in their order. A page that has changed since may have fewer. */
export async function matchesOf(
  texts: Pick<PageTexts, "read">,
  hits: readonly PageHits[],
  canvasOf: CanvasOf,
): Promise<readonly Match[]> {
  const found: (readonly Match[])[] = [];
  const pause = createPauses();
  await forEachConcurrently(hits.entries(), pagesAtOnce, async ([index, own]) => {
    const canvas = await canvasOf(own.page);
    found[index] = canvas ? await matchesOn(texts, own, canvas) : [];
    await pause();
  });
  return found.flat();
}

async function matchesOn(
  texts: Pick<PageTexts, "read">,
  { query, start, ranges }: PageHits,
  { canvas, files }: TextCanvas,
): Promise<readonly Match[]> {
  const read = await texts.read(files);
  if (!read) return [];
  const { page } = scalePage(read, canvas.width, canvas.height);
  const language = pageLanguage(page);
  return matchPage(page, query, start, ranges.length).flatMap((hit): Match[] => {
    const [first, ...more] = partsOf(hit, (line) => page.lines[line]?.language ?? language);
    if (!first) return [];
    const { prefix, exact, suffix } = hit;
    return [{ canvas, parts: [first, ...more], text: { before: prefix, exact, after: suffix } }];
  });
}

function partsOf({ lines }: PageHit, languageOf: (line: number) => string | undefined): readonly MatchPart[] {
  return lines.map(({ line, box, prefix, exact, suffix }) => {
    const language = languageOf(line);
    return {
      before: prefix,
      exact,
      after: suffix,
      ...(box && { box }),
      ...(language !== undefined && { language }),
    };
  });
}
