// A planned item as a PDF file: its pages with their images and texts, one after another.

import { memoryBytes, type Platform, ServiceError } from "../../base/index.ts";
import { asShown, srgbProfile, storedImage, storedJpeg } from "../../imaging/index.ts";
import { type PageText, scalePage, TextFileError } from "../../text/index.ts";
import type { Caller } from "../access/access.ts";
import { withMaster } from "../images/open.ts";
import { type RenderParts, render } from "../images/render.ts";
import type { PageTexts } from "../manifests/texts/page-texts.ts";
import type { TextFile } from "../manifests/texts/text-files.ts";
import { outlineOf } from "./item.ts";
import { sectionOf } from "./masters.ts";
import type { PdfImage } from "./pdf/image-objects.ts";
import { type PdfPage, pdfPieces } from "./pdf/pdf.ts";
import type { Piece } from "./pieces.ts";
import { type Plan, type PlannedImage, type PlannedPage, preparePage } from "./plan.ts";

export interface PdfParts {
  readonly images: RenderParts;
  readonly texts: Pick<PageTexts, "read">;
  readonly platform: Pick<Platform, "deflate">;
}

/** Level of zlib. */
const deflateLevel = 6;

export interface PdfOptions {
  /** Files of the texts of canvases that the caller may read, by the id of the canvas. */
  readonly texts: ReadonlyMap<string, readonly TextFile[]>;
  readonly caller: Caller;
  readonly pageSize: number;
  /** Program that makes the file. */
  readonly producer: string;
  /** 32 hexadecimal digits that differ if anything that the file is made of does. */
  readonly id: string;
}

/** Thrown instead of rendering a page if only the length of a file is asked for. */
export class UnknownLength extends Error {}

/** Pixels per inch of images that do not say it, or say what no scan has. */
const usualResolution = 300;

/**
 * Yields a file. `measured`: true if nothing is rendered; it throws UnknownLength if something would have to
 * be. Throws what masters, their renders and texts throw: the file is then cut, never silently incomplete.
 */
export function pdfOfItem(
  parts: PdfParts,
  plan: Plan,
  options: PdfOptions,
  measured = false,
): AsyncGenerator<Piece> {
  const { item, pages } = plan;
  const indexes = new Map(pages.map(({ id }, at) => [id, at] as const).reverse());
  return pdfPieces({
    facts: {
      title: item.title,
      publisher: item.publisher,
      rights: item.rights,
      licence: item.licence,
      source: item.id,
      producer: options.producer,
    },
    id: options.id,
    isLeftward: item.isLeftward,
    outline: outlineOf(item.ranges, indexes),
    srgb: srgbProfile(),
    deflate: (bytes) => parts.platform.deflate(bytes, deflateLevel),
    pages: pagesAhead(pages, (page) => pageOf(parts, page, options, measured)),
  });
}

/** Yields pages in their order; the next one is made while one is sent. */
async function* pagesAhead<T>(
  pages: readonly PlannedPage[],
  make: (page: PlannedPage) => Promise<T>,
): AsyncGenerator<T> {
  let next: Promise<T> | undefined;
  for (const [at, page] of pages.entries()) {
    const current = await (next ?? make(page));
    const following = pages[at + 1];
    next = following && make(following);
    // It is awaited later, or by nobody if the client leaves.
    next?.catch(() => undefined);
    yield current;
  }
}

async function pageOf(
  parts: PdfParts,
  page: PlannedPage,
  options: PdfOptions,
  measured: boolean,
): Promise<PdfPage> {
  const { label, width, height, image } = page;
  const files = options.texts.get(page.id);
  const text = files && (await textOf(parts, files, page));
  const common = { label, width, height, resolution: resolutionOf(image), ...(text && { text }) };
  if (image.way === "missing") return { ...common, problem: `${label}: ${image.problem}` };
  const stored = image.way === "stored" && (await passedImage(parts.images, page, image, options.caller));
  if (stored) return { ...common, image: stored };
  if (measured) throw new UnknownLength();
  return { ...common, image: await derivedImage(parts.images, page, options) };
}

function resolutionOf(image: PlannedImage): number {
  const stated = image.way === "missing" ? undefined : image.header.resolution;
  const inch = Math.round((stated?.x ?? 0) * 2.54 * 100) / 100;
  // 72 is what programs write that do not know it.
  return inch > 72 && inch <= 4800 ? inch : usualResolution;
}

/** Returns the text of a page, in pixels of its image; undefined if its files cannot be read. */
async function textOf(
  { texts }: PdfParts,
  files: readonly TextFile[],
  { width, height, image }: PlannedPage,
): Promise<PageText | undefined> {
  try {
    const found = await texts.read(files);
    const orientation = image.way === "missing" ? 1 : image.header.orientation;
    return found && scalePage(found, width, height, { orientation }).page;
  } catch (error) {
    if (error instanceof TextFileError) return undefined;
    throw error;
  }
}

/** How decoders of PDF files are told the format of an image (ISO 32000-1, 7.4.8 and 7.4.9). */
const filters = { jpg: "DCTDecode", jp2: "JPXDecode" } as const;

/** Returns the image of a page as its master stores it; undefined if that has to be rendered. */
async function passedImage(
  images: RenderParts,
  { identifier = "" }: PlannedPage,
  { header, validator }: Extract<PlannedImage, { way: "stored" }>,
  caller: Caller,
): Promise<PdfImage | undefined> {
  const own = { ...caller, identifier };
  const strips = images.policy.metadata === "strip";
  const stored = await withMaster(images, own, ({ image }) => storedImage(image.bytes, header, strips));
  if (!stored) return undefined;
  const { parts, format, blank, ...form } = stored;
  return {
    filter: filters[format],
    width: header.width,
    height: header.height,
    ...form,
    orientation: asShown(header, images.policy).orientation,
    file: sectionOf(images, own, validator, { ranges: parts, blank }),
  };
}

async function derivedImage(
  images: RenderParts,
  { identifier = "" }: PlannedPage,
  { caller, pageSize }: PdfOptions,
): Promise<PdfImage> {
  return withMaster(images, { ...caller, identifier }, async (master) => {
    const { signal } = caller;
    const prepared = await preparePage(images, master, pageSize, signal);
    const { bytes } = await render(images, master, prepared, signal);
    const stored = await storedJpeg(memoryBytes(bytes), false);
    if (!stored)
      throw new ServiceError("encode", "The page could not be put into the file. Try again.", {
        code: "not_encodable",
      });
    const { parts: _, ...form } = stored;
    const { width, height } = prepared.geometry.size;
    return { filter: "DCTDecode", width, height, ...form, orientation: 1, file: bytes };
  });
}
