// ALTO 2 to 4 (loc.gov/standards/alto), in any namespace.

import { type Edges, edgesOfBox, edgesOfPoints, lengthOf, unionOf } from "./edges.ts";
import { type FilePage, filePage, type PageHandler } from "./file-page.ts";
import { languageTag } from "./language.ts";
import type { Attributes } from "./markup.ts";
import { createPageDraft, type DraftWord, type FileCount, type PageDraft } from "./page-draft.ts";
import { createReadingOrder } from "./reading-order.ts";
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

const blockNames: ReadonlySet<string> = new Set(["TextBlock", "ComposedBlock"]);

/** Units other than pixels, which say nothing without the size of the page. */
const foreignUnits = /^(?:mm10|inch1200)$/i;

const edgesOf = ({ HPOS, VPOS, WIDTH, HEIGHT }: Attributes): Edges | undefined =>
  edgesOfBox(HPOS, VPOS, WIDTH, HEIGHT);

const languageOf = ({ LANG, language }: Attributes): string | undefined => languageTag(LANG ?? language);

/** Creates the reader of an ALTO file. */
export function createAlto(file: ReadFile): PageHandler {
  const pages: FilePage[] = [];
  const count: FileCount = { words: 0, pages: 0 };
  const order = createReadingOrder(file, true);
  /** Text that is collected: of the element with this name. */
  const collected = new Map([
    ["MeasurementUnit", ""],
    ["fileName", ""],
  ]);
  let collecting: string | undefined;
  let page: AltoPage | undefined;
  const around: AltoBlock[] = [];
  let line: AltoLine | undefined;
  let word: AltoWord | undefined;

  const opens: Readonly<Record<string, (attributes: Attributes) => void>> = {
    OrderedGroup: () => order.openGroup(true),
    UnorderedGroup: () => order.openGroup(false),
    ElementRef: ({ REF }) => order.refer(REF),
    Page(attributes) {
      finishPage();
      const { WIDTH, HEIGHT } = attributes;
      const draft = createPageDraft(file, count);
      page = {
        draft,
        blocks: [],
        width: lengthOf(WIDTH),
        height: lengthOf(HEIGHT),
        language: languageOf(attributes),
      };
    },
    PrintSpace(attributes) {
      if (!page || page.width * page.height > 0) return;
      const edges = edgesOf({ HPOS: "0", VPOS: "0", ...attributes });
      if (edges) [page.width, page.height] = [Math.round(edges[2]), Math.round(edges[3])];
    },
    TextBlock: openBlock,
    ComposedBlock: openBlock,
    TextLine(attributes) {
      if (!page) return;
      const block = around.at(-1);
      const rank = order.rankOf(attributes.ID);
      const language = languageOf(attributes) ?? block?.language;
      line = { words: [], edges: edgesOf(attributes), rank, language };
    },
    String(attributes) {
      if (!line || !page) return;
      page.draft.countWords(1);
      word = wordOf(attributes, order.rankOf(attributes.ID));
      line.words.push(word);
    },
    HYP(attributes) {
      const last = line?.words.at(-1);
      if (last) addHyphen(last, attributes);
    },
    Polygon({ POINTS }) {
      const holder = word ?? line;
      if (holder) holder.edges ??= edgesOfPoints(POINTS);
    },
  };

  function openBlock(attributes: Attributes): void {
    if (!page) return;
    const parent = around.at(-1);
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
    around.push(block);
  }

  function closeLine(): void {
    if (!line || !page) return;
    const { words, edges, language } = line;
    const block = around.at(-1);
    const rank = line.rank ?? leastRank(words) ?? block?.rank ?? Number.MAX_VALUE;
    const sorted = words.some((one) => one.rank !== undefined)
      ? words.toSorted((a, b) => (a.rank ?? Number.MAX_VALUE) - (b.rank ?? Number.MAX_VALUE))
      : words;
    const number = block?.number ?? -1;
    page.draft.addLine({ words: sorted, edges, outer: block?.edges, block: number, order: [rank], language });
    line = undefined;
  }

  function finishPage(): void {
    if (!page) return;
    const { draft, blocks, width, height, language } = page;
    page = undefined;
    around.length = 0;
    const hasBoxes = width * height > 0 || !foreignUnits.test(collected.get("MeasurementUnit")!.trim());
    const size = width * height > 0 ? { width, height } : { width: 0, height: 0 };
    followNextBlocks(draft, blocks);
    const text = draft.finish({ ...size, language, hasBoxes });
    pages.push(filePage(pages.length, text, collected.get("fileName")));
  }

  return {
    open(name, attributes) {
      collecting = collected.get(name)?.trim() === "" ? name : undefined;
      if (Object.hasOwn(opens, name)) opens[name]!(attributes);
    },
    close(name) {
      collecting = undefined;
      if (name === "String") word = undefined;
      else if (name === "TextLine") closeLine();
      else if (blockNames.has(name)) around.pop();
      else if (name === "OrderedGroup" || name === "UnorderedGroup") order.closeGroup();
      else if (name === "Page") finishPage();
    },
    text(data) {
      if (collecting) collected.set(collecting, (collected.get(collecting)! + data).slice(0, 1000));
    },
    finish: () => pages,
  };
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
  const places = new Map<number, number>();
  const follow = (start: AltoBlock) => {
    for (
      let block: AltoBlock | undefined = start;
      block;
      block = block.next ? byId.get(block.next) : undefined
    ) {
      if (places.has(block.number)) return;
      places.set(block.number, places.size);
    }
  };
  for (const block of blocks) if (!isNext.has(block.number)) follow(block);
  for (const block of blocks) follow(block); // circles
  for (const [at, line] of lines.entries())
    lines[at] = { ...line, order: [line.order?.[0] ?? 0, places.get(line.block) ?? -1] };
}
