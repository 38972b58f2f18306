// The size at which a page is drawn that is not one image.

import type { PdfFile } from "../directory/file.ts";
import type { PdfPage } from "../directory/pages.ts";
import { countOf, nameOf } from "../syntax/values.ts";
import type { Content, Placed } from "./content.ts";
import { sizeOf } from "./matrix.ts";
import { findImage } from "./page-image.ts";
import type { PageShape } from "./shape.ts";

/** Resolution of text and drawings, and the lowest and highest of images, in pixels per inch. */
const [usual, lowest, highest] = [300, 72, 600];
const maxSide = 65_500;
/** Bytes of a decoded pixel. */
const pixelBytes = 4;

/** How a page is drawn. */
export interface Drawing {
  /** Upright, in pixels. */
  readonly width: number;
  readonly height: number;
  readonly perInch: number;
  /** Bytes of its images when they are decoded. */
  readonly imageBytes: number;
}

/**
 * Returns the size of a page: at 300 pixels per inch or, if it has images alone, at the highest resolution of
 * these, up to 600. Throws ImagingError `decode`.
 */
export async function measureDrawing(
  file: PdfFile,
  page: PdfPage,
  shape: PageShape,
  content: Content,
): Promise<Drawing> {
  let [density, imageBytes, hasInk] = [0, 0, content.hasInk];
  const seen = new Set<string>();
  for (const placed of content.images) {
    const size = await sizeOfImage(file, page, placed);
    if (!size) hasInk = true;
    else density = Math.max(density, densityOf(size, placed, shape.perInch));
    if (size && !seen.has(placed.image)) imageBytes += pixelBytes * size.width * size.height;
    seen.add(placed.image);
  }
  const { width, height } = sizeOf(shape.box);
  const wanted = hasInk || density === 0 ? usual : Math.min(highest, Math.max(lowest, density));
  const perInch = Math.min(wanted, (maxSide * shape.perInch) / Math.max(width, height));
  const pixels = (points: number) => Math.max(1, Math.round((points / shape.perInch) * perInch));
  const [across, up] = [pixels(width), pixels(height)];
  const isTurned = shape.turns % 2 === 1;
  return { width: isTurned ? up : across, height: isTurned ? across : up, perInch, imageBytes };
}

/** Returns the pixels of an image; undefined for a form, and for what is missing. */
async function sizeOfImage(file: PdfFile, page: PdfPage, placed: Placed) {
  const dictionary = (await findImage(file, page, placed))?.dictionary;
  if (nameOf(await file.resolve(dictionary?.get("Subtype"))) !== "Image") return undefined;
  const side = async (key: string) => countOf(await file.resolve(dictionary?.get(key))) ?? 0;
  return { width: await side("Width"), height: await side("Height") };
}

function densityOf(
  { width, height }: { readonly width: number; readonly height: number },
  { matrix: [a, b, c, d] }: Placed,
  perInch: number,
): number {
  const per = (pixels: number, points: number) => (points > 0 ? (pixels / points) * perInch : 0);
  return Math.max(per(width, Math.hypot(a, b)), per(height, Math.hypot(c, d)));
}
