// ALTO 2 to 4 (loc.gov/standards/alto), in any namespace.

import { type Edges, edgesOfBox, edgesOfPoints, lengthOf, unionOf } from "./edges.ts";
import { type FilePage, filePage, type PageHandler } from "./file-page.ts";
import { languageTag } from "./language.ts";
import type { Attributes, ElementTable } from "./markup.ts";
import { createPageDraft, type DraftWord, type FileCount, type PageDraft } from "./page-draft.ts";
import { createReadingOrder, type ReadingOrder } from "./reading-order.ts";
import { type ReadFile, tooLargeText } from "./text-bounds.ts";
import type { WordHalf } from "./words.ts";

interface AltoBlock {
  readonly number: number;
  readonly id: string | undefined;
  readonly next: string | undefined;
  readonly rank: number | undefined;
  readonly edges: Edges | undefined;
  readonly language: string | undefined;
}

interface AltoWord extends DraftWord {
  text: string;
  edges: Edges | undefined;
  readonly rank: number | undefined;
}

interface AltoLine {
  readonly words: AltoWord[];
  edges: Edges | undefined;
  readonly rank: number | undefined;
  readonly language: string | undefined;
}

interface AltoPage {
  readonly draft: PageDraft;
  /** All blocks by number, in the order of the file. */
  readonly blocks: AltoBlock[];
  width: number;
  height: number;
  readonly language: string | undefined;
}

/** Units other than pixels, which say nothing without the size of the page. */
const foreignUnits = /^(?:mm10|inch1200)$/i;

const edgesOf = ({ HPOS, VPOS, WIDTH, HEIGHT }: Attributes): Edges | undefined =>
  edgesOfBox(HPOS, VPOS, WIDTH, HEIGHT);

const languageOf = ({ LANG, language }: Attributes): string | undefined => languageTag(LANG ?? language);

/** What has been read, and the elements around the present one. */
interface AltoState {
  readonly file: ReadFile;
  readonly pages: FilePage[];
  readonly count: FileCount;
  readonly order: ReadingOrder;
  /** Texts by the name of their element: the first one that is not empty. */
  readonly collected: Map<string, string>;
  collecting: string | undefined;
  readonly blocks: AltoBlock[];
  page: AltoPage | undefined;
  line: AltoLine | undefined;
  word: AltoWord | undefined;
}

const opens: ElementTable<(state: AltoState, attributes: Attributes) => void> = {
  OrderedGroup: ({ order }) => order.openGroup(true),
  UnorderedGroup: ({ order }) => order.openGroup(false),
  ElementRef: ({ order }, { REF }) => order.refer(REF),
  Page(state, attributes) {
    finishPage(state);
    const { WIDTH, HEIGHT } = attributes;
    state.page = {
      draft: createPageDraft(state.file, state.count),
      blocks: [],
      width: lengthOf(WIDTH),
      height: lengthOf(HEIGHT),
      language: languageOf(attributes),
    };
  },
  PrintSpace({ page }, attributes) {
    if (!page || page.width * page.height > 0) return;
    const edges = edgesOf({ HPOS: "0", VPOS: "0", ...attributes });
    if (edges) [page.width, page.height] = [Math.round(edges[2]), Math.round(edges[3])];
  },
  TextBlock: openBlock,
  ComposedBlock: openBlock,
  TextLine(state, attributes) {
    if (!state.page) return;
    const rank = state.order.rankOf(attributes.ID);
    const language = languageOf(attributes) ?? state.blocks.at(-1)?.language;
    state.line = { words: [], edges: edgesOf(attributes), rank, language };
  },
  String(state, attributes) {
    const { page, line } = state;
    if (!line || !page) return;
    page.draft.countWords(1);
    state.word = wordOf(attributes, state.order.rankOf(attributes.ID));
    if (state.word.text.trim() !== "") line.words.push(state.word);
  },
  HYP({ line }, attributes) {
    const last = line?.words.at(-1);
    if (last) addHyphen(last, attributes);
  },
  Polygon({ word, line }, { POINTS }) {
    const holder = word ?? line;
    if (holder) holder.edges ??= edgesOfPoints(POINTS);
  },
};

const closes: ElementTable<(state: AltoState) => void> = {
  OrderedGroup: ({ order }) => order.closeGroup(),
  UnorderedGroup: ({ order }) => order.closeGroup(),
  Page: finishPage,
  TextBlock: ({ blocks }) => blocks.pop(),
  ComposedBlock: ({ blocks }) => blocks.pop(),
  TextLine: closeLine,
  String(state) {
    state.word = undefined;
  },
};

/** Creates the reader of an ALTO file. */
export function createAlto(file: ReadFile): PageHandler {
  const state: AltoState = {
    file,
    pages: [],
    count: { words: 0, pages: 0 },
    order: createReadingOrder(file, true),
    collected: new Map(["MeasurementUnit", "fileName"].map((name) => [name, ""])),
    collecting: undefined,
    blocks: [],
    page: undefined,
    line: undefined,
    word: undefined,
  };
  return {
    open(name, attributes) {
      state.collecting = state.collected.get(name)?.trim() === "" ? name : undefined;
      if (Object.hasOwn(opens, name)) opens[name]!(state, attributes);
    },
    close(name) {
      state.collecting = undefined;
      if (Object.hasOwn(closes, name)) closes[name]!(state);
    },
    text(data) {
      const { collecting, collected } = state;
      if (collecting) collected.set(collecting, (collected.get(collecting)! + data).slice(0, 1000));
    },
    finish: () => state.pages,
  };
}

function openBlock({ file, page, order, blocks }: AltoState, attributes: Attributes): void {
  if (!page) return;
  const parent = blocks.at(-1);
  const block: AltoBlock = {
    number: page.blocks.length,
    id: attributes.ID,
    next: attributes.IDNEXT,
    rank: order.rankOf(attributes.ID) ?? parent?.rank,
    edges: edgesOf(attributes) ?? parent?.edges,
    language: languageOf(attributes) ?? parent?.language,
  };
  if (page.blocks.push(block) > file.bounds.blocksPerPage)
    throw tooLargeText(file, "blocksPerPage", "blocks on a page");
  blocks.push(block);
}

function closeLine(state: AltoState): void {
  const { page, line, blocks } = state;
  if (!line || !page) return;
  const { words, edges, language } = line;
  const block = blocks.at(-1);
  const rank = line.rank ?? leastRank(words) ?? block?.rank ?? Number.MAX_VALUE;
  const sorted = words.some((one) => one.rank !== undefined)
    ? words.toSorted((a, b) => (a.rank ?? Number.MAX_VALUE) - (b.rank ?? Number.MAX_VALUE))
    : words;
  const number = block?.number ?? -1;
  page.draft.addLine({ words: sorted, edges, outer: block?.edges, block: number, order: [rank], language });
  state.line = undefined;
}

function finishPage(state: AltoState): void {
  if (!state.page) return;
  const { draft, blocks, width, height, language } = state.page;
  const { pages, collected } = state;
  state.page = undefined;
  state.blocks.length = 0;
  const hasSize = width * height > 0;
  const hasBoxes = hasSize || !foreignUnits.test(collected.get("MeasurementUnit")!.trim());
  followNextBlocks(draft, blocks);
  const text = draft.finish({
    ...(hasSize ? { width, height } : { width: 0, height: 0 }),
    language,
    hasBoxes,
  });
  pages.push(filePage(pages.length, text, collected.get("fileName")));
}

function wordOf(attributes: Attributes, rank: number | undefined): AltoWord {
  const { CONTENT = "", SUBS_TYPE, SUBS_CONTENT = "" } = attributes;
  const half = SUBS_TYPE === "HypPart1" ? 1 : SUBS_TYPE === "HypPart2" ? 2 : undefined;
  const part: WordHalf | undefined = half && { half, whole: SUBS_CONTENT.replace(/\s+/g, "") };
  return { text: CONTENT, edges: edgesOf(attributes), part, rank };
}

/** Adds the hyphen of an element HYP to the word before it, whose box it widens; it has no height. */
function addHyphen(word: AltoWord, { CONTENT = "", HPOS, VPOS, WIDTH }: Attributes): void {
  const hyphen = CONTENT.trim().slice(0, 2).replaceAll("\u00ad", "-") || "-";
  const text = word.text.trimEnd();
  word.text = /[-\u2010¬\u00ad⸗]$/.test(text) ? text : text + hyphen;
  const own = edgesOfBox(HPOS, VPOS, WIDTH, "1");
  if (word.edges && own) word.edges = unionOf(word.edges, [own[0], word.edges[1], own[2], word.edges[3]]);
}

function leastRank(words: readonly AltoWord[]): number | undefined {
  const ranks = words.flatMap(({ rank }) => rank ?? []);
  return ranks.length > 0 ? ranks.reduce((a, b) => Math.min(a, b)) : undefined;
}

/** Orders the lines by the blocks that follow each other by IDNEXT, unless a reading order has done so. */
function followNextBlocks({ lines }: PageDraft, blocks: readonly AltoBlock[]): void {
  if (!blocks.some(({ next }) => next)) return;
  const byId = new Map(blocks.map((block) => [block.id, block]));
  const isNext = new Set(blocks.flatMap(({ next }) => byId.get(next)?.number ?? []));
  const indices = new Map<number, number>();
  const follow = (start: AltoBlock) => {
    for (
      let block: AltoBlock | undefined = start;
      block;
      block = block.next ? byId.get(block.next) : undefined
    ) {
      if (indices.has(block.number)) return;
      indices.set(block.number, indices.size);
    }
  };
  for (const block of blocks) if (!isNext.has(block.number)) follow(block);
  for (const block of blocks) follow(block); // circles
  for (const [at, line] of lines.entries())
    lines[at] = { ...line, order: [line.order?.[0] ?? 0, indices.get(line.block) ?? -1] };
}
