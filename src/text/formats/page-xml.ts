// PAGE 2009 to 2024 (PRImA, "pagecontent"), in any namespace, with what Transkribus adds in `custom`.

import { type Edges, edgesOfPoints, lengthOf, numberOf, unionOf } from "./edges.ts";
import { type FilePage, filePage, type PageHandler } from "./file-page.ts";
import { languageTag } from "./language.ts";
import type { Attributes } from "./markup.ts";
import {
  createPageDraft,
  type DraftLine,
  type DraftWord,
  type FileCount,
  type PageDraft,
} from "./page-draft.ts";
import { createReadingOrder, type ReadingOrder } from "./reading-order.ts";
import { type ReadFile, tooLargeText } from "./text-bounds.ts";
import { splitWords } from "./words.ts";

/** Text of a word, a line or a region: that of its `TextEquiv` with the lowest index. */
interface Equivalent {
  readonly index: number;
  unicode: string;
  plain: string;
}

/** What has coordinates and text. */
interface Holder {
  edges: Edges | undefined;
  equivalent: Equivalent | undefined;
}

interface Region extends Holder {
  readonly number: number;
  readonly rank: number;
  readonly language: string | undefined;
  hasText: boolean;
}

interface TextLine extends Holder {
  readonly words: Holder[];
  readonly index: number;
  readonly language: string | undefined;
}

interface OpenPage {
  readonly draft: PageDraft;
  readonly order: ReadingOrder;
  readonly attributes: Attributes;
  regions: number;
}

const isRegion = (name: string): boolean => name.endsWith("Region") || name === "TableCell";

/** Creates the reader of a PAGE file. */
export function createPageXml(file: ReadFile): PageHandler {
  const pages: FilePage[] = [];
  const count: FileCount = { words: 0, pages: 0 };
  let page: OpenPage | undefined;
  const regions: Region[] = [];
  let line: TextLine | undefined;
  let word: Holder | undefined;
  /** Levels of glyphs, whose texts do not count. */
  let glyphs = 0;
  let coordinates: { points: Edges | undefined } | undefined;
  let equivalent: Equivalent | undefined;
  let collecting: "unicode" | "plain" | undefined;

  const holder = (): Holder | undefined => word ?? line ?? regions.at(-1);

  const opens: Readonly<Record<string, (attributes: Attributes) => void>> = {
    Page(attributes) {
      finishPage();
      const order = createReadingOrder(file, false);
      page = { draft: createPageDraft(file, count), order, attributes, regions: 0 };
    },
    OrderedGroup: openGroup,
    OrderedGroupIndexed: openGroup,
    UnorderedGroup: openGroup,
    UnorderedGroupIndexed: openGroup,
    RegionRef: ({ regionRef }) => page?.order.refer(regionRef),
    RegionRefIndexed: ({ regionRef, index }) => page?.order.refer(regionRef, numberOf(index)),
    TextLine(attributes) {
      const region = regions.at(-1);
      if (!page || !region) return;
      const language = languageTag(attributes.primaryLanguage) ?? region.language;
      line = { words: [], index: customIndex(attributes) ?? Number.MAX_VALUE, language, ...emptyHolder() };
    },
    Word() {
      if (!page || !line) return;
      page.draft.countWords(1);
      word = emptyHolder();
      line.words.push(word);
    },
    Glyph() {
      glyphs++;
    },
    Coords({ points }) {
      coordinates = { points: edgesOfPoints(points) };
    },
    Point({ x, y }) {
      const [left, top] = [numberOf(x), numberOf(y)];
      if (coordinates && left !== undefined && top !== undefined)
        coordinates.points = unionOf(coordinates.points, [left, top, left, top]);
    },
    TextEquiv({ index }) {
      if (glyphs === 0) equivalent = { index: numberOf(index) ?? 0, unicode: "", plain: "" };
    },
    Unicode() {
      collecting = "unicode";
    },
    PlainText() {
      collecting = "plain";
    },
  };

  const closes: Readonly<Record<string, () => void>> = {
    Page: finishPage,
    OrderedGroup: closeGroup,
    OrderedGroupIndexed: closeGroup,
    UnorderedGroup: closeGroup,
    UnorderedGroupIndexed: closeGroup,
    TextLine: closeLine,
    Word() {
      word = undefined;
    },
    Glyph() {
      glyphs--;
    },
    Coords() {
      const at = holder();
      // The box of a word without its own is that around its glyphs.
      if (at && coordinates?.points)
        at.edges = glyphs > 0 ? unionOf(at.edges, coordinates.points) : coordinates.points;
      coordinates = undefined;
    },
    TextEquiv() {
      const at = holder();
      if (at && equivalent && (!at.equivalent || equivalent.index < at.equivalent.index))
        at.equivalent = equivalent;
      equivalent = undefined;
    },
  };

  function openGroup({ index, regionRef }: Attributes): void {
    page?.order.openGroup(true, numberOf(index), regionRef);
  }

  function closeGroup(): void {
    page?.order.closeGroup();
  }

  function openRegion(attributes: Attributes): void {
    if (!page) return;
    const parent = regions.at(-1);
    const number = ++page.regions;
    if (number > file.bounds.blocksPerPage) throw tooLargeText(file, "blocksPerPage", "regions on a page");
    const own = page.order.rankOf(attributes.id);
    // Numbers of Transkribus count if the page has no reading order of its own.
    const custom = parent || page.order.isUsed() ? undefined : customIndex(attributes);
    const language = languageTag(attributes.primaryLanguage) ?? parent?.language;
    const rank = own ?? custom ?? parent?.rank ?? Number.MAX_VALUE;
    regions.push({ number, rank, language, hasText: false, ...emptyHolder() });
  }

  function closeLine(): void {
    const region = regions.at(-1);
    if (!line || !page || !region) return;
    const { edges, index, language } = line;
    const words = wordsOf(line);
    const fromText = words.length - line.words.length;
    if (fromText > 0) page.draft.countWords(fromText);
    region.hasText ||= words.length > 0;
    page.draft.addLine({ words, edges, outer: region.edges, ...placeOf(region, index), language });
    line = undefined;
  }

  function closeRegion(): void {
    const region = regions.pop();
    if (!region || !page) return;
    const parent = regions.at(-1);
    if (!region.hasText) {
      const lines = linesOfText(region);
      page.draft.countWords(lines.reduce((sum, { words }) => sum + words.length, 0));
      for (const one of lines) page.draft.addLine(one);
      region.hasText = lines.length > 0;
    }
    if (parent) parent.hasText ||= region.hasText;
  }

  function finishPage(): void {
    if (!page) return;
    const { imageFilename, imageWidth, imageHeight, primaryLanguage } = page.attributes;
    const [width, height] = [lengthOf(imageWidth), lengthOf(imageHeight)];
    const size = width * height > 0 ? { width, height } : { width: 0, height: 0 };
    const text = page.draft.finish({ ...size, language: languageTag(primaryLanguage), hasBoxes: true });
    pages.push(filePage(pages.length, text, imageFilename));
    page = undefined;
    regions.length = 0;
  }

  return {
    open(name, attributes) {
      collecting = undefined;
      if (isRegion(name)) openRegion(attributes);
      else if (Object.hasOwn(opens, name)) opens[name]!(attributes);
    },
    close(name) {
      collecting = undefined;
      if (isRegion(name)) closeRegion();
      else if (Object.hasOwn(closes, name)) closes[name]!();
    },
    text(data) {
      if (!collecting || !equivalent) return;
      equivalent[collecting] += data;
      if (equivalent[collecting].length > file.bounds.text)
        throw tooLargeText(file, "text", "characters of a region");
    },
    finish: () => pages,
  };
}

const emptyHolder = (): Holder => ({ edges: undefined, equivalent: undefined });

/** Returns the order of lines: by region, by the numbers of Transkribus, else as they are. */
const placeOf = ({ rank, number }: Region, index: number) => ({
  order: [rank, number, index],
  block: number,
});

const textOf = ({ equivalent }: Holder): string =>
  equivalent?.unicode.trim() || equivalent?.plain.trim() || "";

/** Returns the index of `readingOrder {index:3;}` among other properties, which may hold any text. */
function customIndex({ custom = "" }: Attributes): number | undefined {
  const found = /(?:^|[\s}])readingOrder\s*\{\s*index\s*:\s*(\d{1,9})/.exec(custom);
  return found ? Number(found[1]) : undefined;
}

/**
 * Returns the words of a line: its own if they make up the text of the line or it has none, else those of its
 * text. These have the boxes of its own words if there are as many of both.
 */
function wordsOf(line: TextLine): DraftWord[] {
  const own = line.words
    .map((word) => ({ text: textOf(word), edges: word.edges }))
    .filter(({ text }) => text !== "");
  const text = textOf(line);
  const tokens = splitWords(text);
  if (tokens.length === 0) return own;
  if (
    own.length > 0 &&
    own
      .map((word) => word.text)
      .join("")
      .replace(/\s+/g, "") === text.replace(/\s+/g, "")
  )
    return own;
  const boxes = line.words.length === tokens.length ? line.words : own.length === tokens.length ? own : [];
  return tokens.map((token, at) => ({ text: token, edges: boxes[at]?.edges }));
}

/** Returns the lines of the text of a region, which share its box out from the top. */
function linesOfText(region: Region): DraftLine[] {
  const texts = textOf(region)
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map((text) => splitWords(text).map((word) => ({ text: word })));
  return texts.flatMap((words, at): DraftLine[] => {
    if (words.length === 0) return [];
    const { edges, language } = region;
    const height = edges ? (edges[3] - edges[1]) / texts.length : 0;
    const share: Edges | undefined = edges && [
      edges[0],
      edges[1] + at * height,
      edges[2],
      edges[1] + (at + 1) * height,
    ];
    return [{ words, edges: share, ...placeOf(region, at), language }];
  });
}
