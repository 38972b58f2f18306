// Hits of the index as matches on canvases: boxes and texts are found in the pages again.

import { cancelledError, createPauses, forEachConcurrently } from "../../../base/index.ts";
import type { Match, MatchPart } from "../../../iiif/index.ts";
import {
  boxScaleOf,
  type LinePart,
  matchFirst,
  matchHits,
  type PageHits,
  type PageQuery,
  pageLanguage,
} from "../../../text/index.ts";
import type { PageTexts } from "./page-texts.ts";
import type { TextFile } from "./text-files.ts";

/** A canvas with its text. */
export interface TextCanvas {
  readonly canvas: {
    readonly id: string;
    readonly width: number;
    readonly height: number;
    /** EXIF orientation of its image, which the canvas shows upright. */
    readonly orientation?: number | undefined;
  };
  readonly files: readonly TextFile[];
}

/** A page that has hits, which another program has found: only their matches say where they are. */
export interface PageWithHits {
  readonly page: string;
  readonly query: PageQuery;
  /** Hits that are wanted. */
  readonly count: number;
}

export type FoundHits = PageHits | PageWithHits;

/** Returns a canvas by the key of its page; undefined if its image cannot be read. */
export type CanvasOf = (key: string) => Promise<TextCanvas | undefined>;

/** Pages that are read simultaneously. */
const pagesAtOnce = 4;

/**
 * Returns the matches of hits in their order. A page that has changed since may have fewer. Throws
 * ServiceError `cancelled` if the signal aborts.
 */
export async function matchesOf(
  texts: Pick<PageTexts, "read">,
  hits: readonly FoundHits[],
  canvasOf: CanvasOf,
  signal: AbortSignal,
): Promise<readonly Match[]> {
  const found: (readonly Match[])[] = [];
  const pause = createPauses();
  await forEachConcurrently(hits.entries(), pagesAtOnce, async ([index, own]) => {
    if (signal.aborted) throw cancelledError(signal);
    const canvas = await canvasOf(own.page);
    found[index] = canvas ? await matchesOn(texts, own, canvas) : [];
    await pause();
  });
  return found.flat();
}

async function matchesOn(
  texts: Pick<PageTexts, "read">,
  hits: FoundHits,
  { canvas, files }: TextCanvas,
): Promise<readonly Match[]> {
  const page = await texts.read(files);
  if (!page) return [];
  const language = pageLanguage(page);
  const languageOf = (line: number) => page.lines[line]?.language ?? language;
  const scale = boxScaleOf(page, canvas.width, canvas.height, canvas);
  const found = "ranges" in hits ? matchHits(page, hits) : matchFirst(page, hits.query, hits.count);
  return found.flatMap(({ lines, prefix, exact, suffix }): Match[] => {
    const [first, ...more] = lines.map((part) => partOf(part, languageOf(part.line), scale(part.box)));
    if (!first) return [];
    return [{ canvas, parts: [first, ...more], text: { before: prefix, exact, after: suffix } }];
  });
}

const partOf = (
  { prefix, exact, suffix }: LinePart,
  language: string | undefined,
  box: MatchPart["box"],
): MatchPart => ({
  before: prefix,
  exact,
  after: suffix,
  ...(box && { box }),
  ...(language !== undefined && { language }),
});
