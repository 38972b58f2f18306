// The page of a manifest: a viewer, the bar above it, and a static image for readers without scripts.

import { plainText, type Resource, stateParameter, viewOfDocument } from "../../../iiif/index.ts";
import { escapeHtml } from "../http/page.ts";
import type { Page } from "../http/page-content.ts";
import { headOf } from "../http/preview.ts";
import { matchLanguage } from "../http/representation/language.ts";
import { fillIn, textFor } from "../http/representation/reader.ts";
import { bar, button, icon, link, notice, type PageRequest, titleOf } from "./frame.ts";
import { type CanvasImage, imageOf, pictureAddress } from "./image.ts";
import { unplayedMedia } from "./media.ts";
import { type CanvasPosition, listOf, type OpenedDocument } from "./opened.ts";
import type { Reader } from "./reader.ts";
import { type ViewerName, viewers } from "./viewers.ts";

export interface ViewerAsked extends PageRequest {
  readonly viewer: ViewerName;
  /** The default viewer. */
  readonly usual: ViewerName;
  /** Name of an unknown viewer that was requested. */
  readonly unknownViewer?: string;
  /** Value of `iiif-content`, if the page was opened with one. */
  readonly state?: string;
  /** What the viewer searches in the text to begin with. */
  readonly search?: string;
  /** True if links may contain content states. */
  readonly hasStates: boolean;
  /** True if the image of the initial canvas is known to be damaged in part. */
  readonly damaged: boolean;
  /** Further origins that manifests may take images from. */
  readonly origins: readonly string[];
}

/** Boxes of the image without scripts and of the preview, in pixels. */
const plainBox = { width: 1200, height: 1200 };
const previewBox = { width: 1200, height: 630 };

/** The page of a manifest. */
export function viewerPage(opened: OpenedDocument, asked: ViewerAsked): Page {
  const { reader, base, embedded, viewer, origins } = asked;
  const { document, shown } = opened;
  const title = titleOf(document, reader);
  const image = shown && imageOf(shown.canvas);
  const own = viewers[viewer].page;
  // Mirador has its own landmark.
  const tag = viewer === "mirador" ? "div" : "main";
  const body = `${embedded ? "" : bar(opened, acts(opened, asked), asked, viewerQuery(asked))}
${notices(opened, asked).map(notice).join("\n")}
${unplayedNotice(opened, asked)}${problemOf(shown, reader)}
${damageNotice(asked)}
${viewer === "uv" ? '<div id="login" class="login-bar"></div>' : ""}
<${tag} id="viewer" class="${viewer}"><noscript>${plainHtml(opened, image, asked)}</noscript></${tag}>
<p id="trouble" class="notice" role="alert" hidden>${escapeHtml(reader.words.trouble)} <a href="${escapeHtml(image ? pictureAddress(image, plainBox) : String(document.id))}">${escapeHtml(title)}</a></p>
${embedded ? "" : shareDialog(asked) + downloadDialog(reader)}
<script type="application/json" id="view">${safeJson(settings(opened, asked))}</script>`;
  return {
    title: shown && opened.isNamed ? `${labelOf(shown, reader)} · ${title}` : title,
    language: reader.language,
    body,
    head: headOf({
      title,
      description: plainText(textFor(document.summary, reader)) || pagesText(shown, reader),
      address: addressOf(opened, base),
      document: String(document.id),
      ...(image &&
        isShown(shown) && { picture: pictureAddress(image, previewBox, fittingRegion(opened, image)) }),
    }),
    ...own,
    scripts: [...(own.scripts ?? [])],
    modules: [...(own.modules ?? [])],
    frames: true,
    media: true,
    origins: [new URL(base).origin, ...origins],
  };
}

/** Returns the address of the page without a query. */
const addressOf = ({ document }: OpenedDocument, base: string) =>
  viewOfDocument(base, String(document.id)) ?? `${base}/`;

/** The query that keeps the reader's viewer, if it is not the default. */
const viewerQuery = ({ viewer, usual }: ViewerAsked) => (viewer === usual ? "" : `?viewer=${viewer}`);

const pagesText = (shown: CanvasPosition | undefined, { words }: Reader) =>
  shown && shown.count > 1 ? fillIn(words.pages, { count: shown.count }) : "";

const labelOf = ({ canvas, index }: CanvasPosition, reader: Reader) =>
  textFor(canvas.label, reader) || String(index + 1);

/** Returns links to sound, films and models that are not played here; "" if there are none. */
function unplayedNotice(opened: OpenedDocument, { viewer, reader, base, origins }: ViewerAsked): string {
  const files = unplayedMedia(opened, viewer, [new URL(base).origin, ...origins]);
  if (files.length === 0) return "";
  const links = files.map(
    (file) => `<a href="${escapeHtml(file)}" rel="noreferrer nofollow">${escapeHtml(fileName(file))}</a>`,
  );
  const text = fillIn(reader.words.notPlayed, { viewer: viewers[viewer].title });
  return `<p class="notice" role="status">${escapeHtml(text)} ${links.join(", ")}</p>\n`;
}

/** Returns the last part of an address for people; its host if there is none. */
function fileName(address: string): string {
  const { pathname, host } = new URL(address);
  return pathname.slice(pathname.lastIndexOf("/") + 1) || host;
}

/**
 * Says why the current canvas has no image, according to its summary. A script does the same for canvases
 * that are opened later; the element is hidden if there is nothing to say.
 */
function problemOf(shown: CanvasPosition | undefined, reader: Reader): string {
  const problem =
    shown && listOf(shown.canvas.items).length === 0 ? plainText(textFor(shown.canvas.summary, reader)) : "";
  return `<p class="notice" id="problem" role="status"${problem ? "" : " hidden"}>${escapeHtml(reader.words.unreadable)} <span lang="en">${escapeHtml(problem)}</span></p>`;
}

/**
 * Says that the image is damaged in part. The script does the same for canvases that are opened later, and if
 * the damage is found while it is looked at.
 */
const damageNotice = ({ damaged, reader: { words } }: ViewerAsked) =>
  `<p class="notice" id="damaged" role="status"${damaged ? "" : " hidden"}>${escapeHtml(words.damaged)}</p>`;

/** A canvas that some callers may not see has no thumbnail. */
const isShown = (shown: CanvasPosition | undefined) => listOf(shown?.canvas.thumbnail).length > 0;

/** Returns the region if the image fills its canvas pixel for pixel. */
function fittingRegion({ region, shown }: OpenedDocument, { width, height }: CanvasImage) {
  const canvas = shown?.canvas;
  return canvas?.width === width && canvas.height === height ? region : undefined;
}

function notices(
  { missing }: OpenedDocument,
  { reader, unknownViewer, viewer }: ViewerAsked,
): readonly string[] {
  const { words } = reader;
  const { title } = viewers[viewer];
  return [
    ...(unknownViewer === undefined
      ? []
      : [fillIn(words.noSuchViewer, { name: unknownViewer.slice(0, 40), viewer: title })]),
    ...(missing === "canvas" ? [words.noSuchCanvas] : []),
    ...(missing === "region" ? [words.noSuchRegion] : []),
    ...(missing === "selector" ? [words.noSuchSelector] : []),
  ];
}

function acts(opened: OpenedDocument, asked: ViewerAsked): readonly string[] {
  const { reader, viewer, state, base, search } = asked;
  const { words } = reader;
  const manifest = String(opened.document.id);
  const other: ViewerName = viewer === "mirador" ? "uv" : "mirador";
  // Unescaped, a state is as long as it was minted.
  const parameter = (name: string, value: string | undefined) =>
    value === undefined ? "" : `&${name}=${encodeURIComponent(value)}`;
  const query = `?viewer=${other}${parameter(stateParameter, state)}${parameter("q", search)}`;
  const named = opened.isNamed && state === undefined ? opened.shown?.canvas.id : undefined;
  const page = viewOfDocument(base, String(named ?? manifest)) ?? addressOf(opened, base);
  const change = fillIn(words.openWith, { viewer: viewers[other].title });
  return [
    button("share-open", "share", words.share),
    button("download-open", "download", words.download),
    link(manifest, "manifest", words.manifest),
    dragLink(manifest, opened.shown, words.drag),
    link(page + query, "change", change, ' id="change"'),
  ];
}

/** The usual form of such links: the drop target reads the parameters. */
function dragLink(manifest: string, shown: CanvasPosition | undefined, text: string): string {
  const canvas = shown ? `&canvas=${encodeURIComponent(String(shown.canvas.id))}` : "";
  return `<a class="act iiif" id="drag" draggable="true" href="${escapeHtml(`${manifest}?manifest=${encodeURIComponent(manifest)}${canvas}`)}" title="${escapeHtml(text)}" aria-label="IIIF: ${escapeHtml(text)}"><svg viewBox="0 0 40 24" aria-hidden="true"><g fill="#2873ab"><path d="M4 9l5-1v13l-5-2zM22 9l5-1v13l-5-2z"/><circle cx="6" cy="4" r="2.500"/><circle cx="24" cy="4" r="2.500"/></g><g fill="#ed1d33"><path d="M13 8l5 1v10l-5 2zM31 21V8c0-4 2-6 6-6v4c-1 0-2 .5-2 2h2v3h-2v8z"/><circle cx="16" cy="4" r="2.500"/></g></svg></a>`;
}

function shareDialog({ reader: { words }, hasStates }: ViewerAsked): string {
  const choices = [
    ["item", words.wholeItem],
    ...(hasStates
      ? [
          ["page", words.thisPage],
          ["view", words.thisView],
        ]
      : []),
  ].map(
    ([value, text], at) =>
      `<label><input type="radio" name="extent" value="${value}"${at === 0 ? " checked" : ""}> ${escapeHtml(text ?? "")}</label>`,
  );
  const field = (id: string, text: string, rows: number) =>
    `<label for="${id}">${escapeHtml(text)}</label>
<div class="field"><textarea id="${id}" rows="${rows}" readonly spellcheck="false"></textarea><button type="button" data-copy="${id}" aria-describedby="copied">${escapeHtml(words.copy)}<span class="unseen"> ${escapeHtml(text)}</span></button></div>`;
  const state = hasStates
    ? `<details><summary>${escapeHtml(words.state)}</summary>${field("share-state", words.state, 6)}</details>`
    : "";
  return dialog(
    "share",
    words.share,
    words.close,
    `<fieldset><legend class="unseen">${escapeHtml(words.share)}</legend>${choices.join("")}</fieldset>
${field("share-link", words.link, 2)}
${field("share-embed", words.embed, 3)}
${state}
<p id="copied" role="status" aria-live="polite"></p>`,
  );
}

const downloadDialog = ({ words }: Reader) =>
  dialog(
    "download",
    words.download,
    words.close,
    '<p id="download-text" role="status"></p><div id="downloads"></div>',
  );

const dialog = (id: string, title: string, close: string, body: string) =>
  `<dialog id="${id}" aria-labelledby="${id}-title"><div class="dialog-head"><h2 id="${id}-title">${escapeHtml(title)}</h2><button type="button" class="act" data-close aria-label="${escapeHtml(close)}">${icon("close")}</button></div>
${body}</dialog>`;

/** The image of the canvas, and links to the next and previous one. */
function plainHtml(opened: OpenedDocument, image: CanvasImage | undefined, asked: ViewerAsked): string {
  const { reader, base } = asked;
  const { words } = reader;
  const { shown, document } = opened;
  const linkTo = (canvas: Resource | undefined, text: string, rel: string) => {
    const address = canvas && viewOfDocument(base, String(canvas.id));
    return address === undefined
      ? ""
      : `<a rel="${rel}" href="${escapeHtml(address + viewerQuery(asked))}">${escapeHtml(text)}</a>`;
  };
  const label = shown ? labelOf(shown, reader) : titleOf(document, reader);
  const picture =
    image && isShown(shown)
      ? `<a href="${escapeHtml(`${image.service}/full/max/0/default.jpg`)}"><img src="${escapeHtml(pictureAddress(image, plainBox, fittingRegion(opened, image)))}" alt="${escapeHtml(label)}"></a>`
      : `<p>${escapeHtml(image?.gated ? words.gated : words.unreadable)}</p>`;
  const around = shown
    ? `<p>${linkTo(shown.previous, words.previous, "prev")} ${escapeHtml(label)} (${escapeHtml(fillIn(words.pageOf, { number: shown.index + 1, count: shown.count }))}) ${linkTo(shown.next, words.next, "next")}</p>`
    : "";
  // Without its script Mirador has no landmark.
  const tag = asked.viewer === "mirador" ? "main" : "div";
  return `<${tag} class="plain"><p>${escapeHtml(words.noScript)}</p>${picture}${around}<p><a href="${escapeHtml(String(document.id))}">${escapeHtml(words.manifest)}</a></p></${tag}>`;
}

/** Settings for the scripts of the page. */
function settings(
  opened: OpenedDocument,
  { reader, viewer, hasStates, base, embedded, search }: ViewerAsked,
): object {
  const { words, ranges } = reader;
  const { document, shown, region, isNamed } = opened;
  const isFirst = shown === undefined || (shown.index === 0 && !isNamed);
  const { languages } = viewers[viewer];
  return {
    manifestId: document.id,
    ...(!isFirst && { canvasId: shown.canvas.id, canvasIndex: shown.index }),
    ...(search !== undefined && { search }),
    ...(region && { xywh: [region.x, region.y, region.w, region.h] }),
    count: shown?.count ?? 0,
    title: titleOf(document, reader),
    page: addressOf(opened, base),
    base,
    embedded,
    hasStates,
    language:
      matchLanguage([...ranges, reader.language], languages) ?? languages.find((each) => /^en/.test(each)),
    words: {
      copied: words.copied,
      pixels: words.pixels,
      noDownload: words.noDownload,
      format: words.format,
      notFetched: words.notFetched,
      thisPage: words.thisPage,
      thisView: words.thisView,
      wholeItem: words.wholeItem,
      wait: words.wait,
    },
  };
}

/** Returns JSON that cannot end a script element. */
const safeJson = (value: object) => JSON.stringify(value).replaceAll("<", "\\u003c");
