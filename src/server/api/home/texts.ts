// The pages whose text a search finds: each with its lines, the words marked in them, and a picture cut from
// the image.

import {
  type CanvasBox,
  imageAddress,
  type Match,
  type MatchPart,
  mainPrefix,
  viewOfDocument,
} from "../../../iiif/index.ts";
import type { FoundPage } from "../../manifests/source-texts/found-pages.ts";
import type { FoundTexts } from "../../manifests/source-texts/source-text-search.ts";
import { escapeHtml } from "../http/page.ts";
import { fillIn } from "../http/representation/reader.ts";
import { addressIn, type ListParameters } from "./addresses.ts";
import { numberOf } from "./counts.ts";
import { nameOf } from "./names.ts";
import type { Site } from "./site.ts";

/** Pages of a list. */
export const shownTexts = 20;

/** The list; nothing if no page is found. */
export function textList(site: Site, asked: ListParameters, texts: FoundTexts): string {
  if (texts.pages.length === 0) return "";
  const items = texts.pages.map((page) => textItem(site, asked, page));
  return `<h2 id="texts">${site.words.inText}</h2>
<ol class="texts" aria-labelledby="texts">${items.join("\n")}</ol>
${furtherTexts(site, asked, texts)}`;
}

function textItem(site: Site, { search }: ListParameters, page: FoundPage): string {
  const { document, canvas, matches, image } = page;
  const whole = nameOf(site, document.label, image);
  const part = nameOf(site, canvas.label, image.slice(image.lastIndexOf("/") + 1));
  const name = whole.text === part.text ? part.cut : `${whole.cut} · ${part.cut}`;
  const address = withQuery(site, viewOfDocument(site.base, canvas.id) ?? canvas.id, search);
  return `<li><a class="open" href="${escapeHtml(address)}">${cutOf(site, page)}<span>${name}</span></a>
${linesOf(matches).map(line).join("\n")}</li>`;
}

/** Returns the address of a viewer that searches for the same words. */
function withQuery({ parameters }: Site, address: string, search: string): string {
  const query = [...parameters, ["q", encodeURIComponent(search)] as const].map((pair) => pair.join("="));
  return `${address}?${query.join("&")}`;
}

/** The parts of matches on one line, from left to right. */
type MarkedLine = readonly [MatchPart, ...MatchPart[]];

/** Returns the lines of matches, each once. */
function linesOf(matches: readonly Match[]): readonly MarkedLine[] {
  const lines: [MatchPart, ...MatchPart[]][] = [];
  for (const part of matches.flatMap(({ parts }) => parts)) {
    const last = lines.at(-1);
    if (last && isBehind(part, last.at(-1)!)) last.push(part);
    else lines.push([part]);
  }
  return lines;
}

/** True if a part is behind another one on the same line. */
function isBehind(part: MatchPart, other: MatchPart): boolean {
  const isBelow = other.box && part.box && other.box[1] + other.box[3] <= part.box[1];
  return !isBelow && textOf(other) === textOf(part) && part.before.length >= endOf(other);
}

const textOf = ({ before, exact, after }: MatchPart) => before + exact + after;
const endOf = ({ before, exact }: MatchPart) => before.length + exact.length;

/** A line with the words that were found marked. */
function line(parts: MarkedLine): string {
  const text = textOf(parts[0]);
  const marked = parts.map((part, at) => {
    const before = text.slice(at === 0 ? 0 : endOf(parts[at - 1]!), part.before.length);
    return `${escapeHtml(before)}<mark>${escapeHtml(part.exact)}</mark>`;
  });
  const { language } = parts[0];
  const lang = language === undefined ? "" : ` lang="${escapeHtml(language)}"`;
  const rest = text.slice(endOf(parts.at(-1)!));
  return `<p class="line" dir="auto"${lang}>${marked.join("")}${escapeHtml(rest)}</p>`;
}

/** Box of a picture in pixels: twice the size in which it is shown. */
const cutBox = { width: 720, height: 96 };
/** Height of a picture, as a multiple of that of the words. */
const around = 1.8;

/** The picture of the first words; of the page if nobody knows where they are. */
function cutOf({ base }: Site, { image, canvas, matches }: FoundPage): string {
  const box = matches[0]?.parts[0].box;
  const [x, y, width, height] = box ? cutAround(box, canvas) : [0, 0, canvas.width, canvas.height];
  const scale = Math.min(1, cutBox.width / width, cutBox.height / height);
  const region = box ? `${x},${y},${width},${height}` : "full";
  const size = scale === 1 ? "max" : `!${cutBox.width},${cutBox.height}`;
  const address = `${imageAddress(base + mainPrefix[3], image)}/${region}/${size}/0/default.jpg`;
  const side = (length: number) => Math.max(1, Math.round((length * scale) / 2));
  return `<img src="${escapeHtml(address)}" width="${side(width)}" height="${side(height)}" alt="" loading="lazy">`;
}

/** Returns a part of a canvas around words: a line high, and as wide as the picture at least. */
export function cutAround(
  [x, y, wide, high]: CanvasBox,
  canvas: { readonly width: number; readonly height: number },
): CanvasBox {
  const height = Math.min(canvas.height, Math.ceil(high * around));
  const shape = cutBox.width / cutBox.height;
  const width = Math.min(canvas.width, Math.ceil(Math.max(height * shape, wide + 2 * high)));
  const clampTo = (from: number, length: number, max: number) =>
    Math.round(Math.min(Math.max(0, from), max - length));
  return [
    clampTo(x + wide / 2 - width / 2, width, canvas.width),
    clampTo(y + high / 2 - height / 2, height, canvas.height),
    width,
    height,
  ];
}

/** Links to the pages of the list before and after; nothing if there is only one. */
function furtherTexts(site: Site, asked: ListParameters, { pages, next, total }: FoundTexts): string {
  const { text: from = 0 } = asked;
  if (from === 0 && next === undefined) return "";
  const { words } = site;
  const link = (text: string, to: number | undefined, rel: string) =>
    to === undefined
      ? `<span class="quiet" aria-hidden="true">${text}</span>`
      : `<a href="${escapeHtml(addressIn(site, { ...asked, from: 0, text: to }))}" rel="${rel}">${text}</a>`;
  const range = { from: numberOf(site, from + 1), to: numberOf(site, next ?? from + pages.length) };
  const which =
    total === undefined
      ? ""
      : `<span>${fillIn(words.range, { ...range, total: numberOf(site, total) })}</span>`;
  return `<nav class="pages" aria-label="${words.inText}">${[
    link(words.previous, from > 0 ? Math.max(0, from - shownTexts) : undefined, "prev"),
    which,
    link(words.next, next, "next"),
  ].join(" ")}</nav>`;
}
