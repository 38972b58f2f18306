// PAGE 2009 to 2024 (PRImA, "pagecontent"), in any namespace, with what Transkribus adds in `custom`.

import { type Edges, edgesOfPoints, lengthOf, numberOf, unionOf } from "./edges.ts";
import { type FilePage, filePage, type PageHandler } from "./file-page.ts";
import { languageTag } from "./language.ts";
import type { Attributes, ElementTable } from "./markup.ts";
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

/** What has been read, and the elements around the present one. */
interface PageState {
  readonly file: ReadFile;
  readonly pages: FilePage[];
  readonly count: FileCount;
  readonly regions: Region[];
  page: OpenPage | undefined;
  line: TextLine | undefined;
  word: Holder | undefined;
  /** Levels of glyphs, whose texts do not count. */
  glyphs: number;
  coordinates: { points: Edges | undefined } | undefined;
  equivalent: Equivalent | undefined;
  collecting: "unicode" | "plain" | undefined;
}

/** Returns the element that coordinates and texts belong to. */
const holderOf = ({ word, line, regions }: PageState): Holder | undefined => word ?? line ?? regions.at(-1);

const opens: ElementTable<(state: PageState, attributes: Attributes) => void> = {
  Page(state, attributes) {
    finishPage(state);
    const draft = createPageDraft(state.file, state.count);
    state.page = { draft, order: createReadingOrder(state.file, false), attributes, regions: 0 };
  },
  OrderedGroup: openGroup,
  OrderedGroupIndexed: openGroup,
  UnorderedGroup: openGroup,
  UnorderedGroupIndexed: openGroup,
  RegionRef: ({ page }, { regionRef }) => page?.order.refer(regionRef),
  RegionRefIndexed: ({ page }, { regionRef, index }) => page?.order.refer(regionRef, numberOf(index)),
  TextLine(state, attributes) {
    const region = state.regions.at(-1);
    if (!state.page || !region) return;
    const language = languageTag(attributes.primaryLanguage) ?? region.language;
    state.line = {
      words: [],
      index: customIndex(attributes) ?? Number.MAX_VALUE,
      language,
      ...emptyHolder(),
    };
  },
  Word(state) {
    const { page, line } = state;
    if (!page || !line) return;
    page.draft.countWords(1);
    state.word = emptyHolder();
    line.words.push(state.word);
  },
  Glyph(state) {
    state.glyphs++;
  },
  Coords(state, { points }) {
    state.coordinates = { points: edgesOfPoints(points) };
  },
  Point({ coordinates }, { x, y }) {
    const [left, top] = [numberOf(x), numberOf(y)];
    if (coordinates && left !== undefined && top !== undefined)
      coordinates.points = unionOf(coordinates.points, [left, top, left, top]);
  },
  TextEquiv(state, { index }) {
    if (state.glyphs === 0) state.equivalent = { index: numberOf(index) ?? 0, unicode: "", plain: "" };
  },
  Unicode(state) {
    state.collecting = "unicode";
  },
  PlainText(state) {
    state.collecting = "plain";
  },
};

const closes: ElementTable<(state: PageState) => void> = {
  Page: finishPage,
  OrderedGroup: closeGroup,
  OrderedGroupIndexed: closeGroup,
  UnorderedGroup: closeGroup,
  UnorderedGroupIndexed: closeGroup,
  TextLine: closeLine,
  Word(state) {
    state.word = undefined;
  },
  Glyph(state) {
    state.glyphs--;
  },
  Coords(state) {
    const holder = holderOf(state);
    const points = state.coordinates?.points;
    // The box of a word without its own is that around its glyphs.
    if (holder && points) holder.edges = state.glyphs > 0 ? unionOf(holder.edges, points) : points;
    state.coordinates = undefined;
  },
  TextEquiv(state) {
    const holder = holderOf(state);
    const { equivalent } = state;
    if (holder && equivalent && (!holder.equivalent || equivalent.index < holder.equivalent.index))
      holder.equivalent = equivalent;
    state.equivalent = undefined;
  },
};

/** Creates the reader of a PAGE file. */
export function createPageXml(file: ReadFile): PageHandler {
  const state: PageState = {
    file,
    pages: [],
    count: { words: 0, pages: 0 },
    regions: [],
    page: undefined,
    line: undefined,
    word: undefined,
    glyphs: 0,
    coordinates: undefined,
    equivalent: undefined,
    collecting: undefined,
  };
  return {
    open(name, attributes) {
      state.collecting = undefined;
      if (isRegion(name)) openRegion(state, attributes);
      else if (Object.hasOwn(opens, name)) opens[name]!(state, attributes);
    },
    close(name) {
      state.collecting = undefined;
      if (isRegion(name)) closeRegion(state);
      else if (Object.hasOwn(closes, name)) closes[name]!(state);
    },
    text(data) {
      const { collecting, equivalent } = state;
      if (!collecting || !equivalent) return;
      equivalent[collecting] += data;
      if (equivalent[collecting].length > file.bounds.text)
        throw tooLargeText(file, "text", "characters of a region");
    },
    finish: () => state.pages,
  };
}

function openGroup({ page }: PageState, { index, regionRef }: Attributes): void {
  page?.order.openGroup(true, numberOf(index), regionRef);
}

function closeGroup({ page }: PageState): void {
  page?.order.closeGroup();
}

function openRegion({ file, page, regions }: PageState, attributes: Attributes): void {
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

function closeLine(state: PageState): void {
  const { page, line, regions } = state;
  const region = regions.at(-1);
  if (!line || !page || !region) return;
  const { edges, index, language } = line;
  const words = wordsOf(line);
  page.draft.countWords(Math.max(0, words.length - line.words.length));
  region.hasText ||= words.length > 0;
  page.draft.addLine({ words, edges, outer: region.edges, ...orderOf(region, index), language });
  state.line = undefined;
}

function closeRegion({ page, regions }: PageState): void {
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

function finishPage(state: PageState): void {
  const { page, pages, regions } = state;
  if (!page) return;
  const { imageFilename, imageWidth, imageHeight, primaryLanguage } = page.attributes;
  const [width, height] = [lengthOf(imageWidth), lengthOf(imageHeight)];
  const size = width * height > 0 ? { width, height } : { width: 0, height: 0 };
  const text = page.draft.finish({ ...size, language: languageTag(primaryLanguage), hasBoxes: true });
  pages.push(filePage(pages.length, text, imageFilename));
  state.page = undefined;
  regions.length = 0;
}

const emptyHolder = (): Holder => ({ edges: undefined, equivalent: undefined });

/** Returns the order of lines: by region, by the numbers of Transkribus, else as they are. */
const orderOf = ({ rank, number }: Region, index: number) => ({
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
    return [{ words, edges: share, ...orderOf(region, at), language }];
  });
}
