// A page that is exactly one JPEG or JPEG 2000 image: where its file lies in the PDF, and how the page shows
// it. Pages with anything else have a reason.

import type { PdfFile, PdfStream } from "../directory/file.ts";
import { filtersOf, parametersOf } from "../directory/filters.ts";
import type { PdfPage } from "../directory/pages.ts";
import { arrayOf, countOf, nameOf, numberOf, type PdfDictionary } from "../syntax/values.ts";
import { type PageColour, readColour } from "./colour.ts";
import type { Content, Other, Placed } from "./content.ts";
import { type Box, intersect, isAxisParallel, type Matrix, sizeOf, transformBox } from "./matrix.ts";
import type { PageShape } from "./shape.ts";

const maxAnnotations = 50;
/** Part of a side by which an image may be smaller or larger than its page. */
const tolerance = 0.01;
/** Difference of the resolutions across and down at which a page would be stretched. */
const maxStretch = 0.02;

/** A page that is one image. */
export interface PageImage {
  readonly format: "jpg" | "jp2";
  readonly stream: PdfStream;
  readonly width: number;
  readonly height: number;
  /** EXIF numbering. */
  readonly orientation: number;
  /** Pixels per inch of the stored image, across and down. */
  readonly density: readonly [x: number, y: number];
  readonly colour: PageColour;
}

/** Returns the image of a page, or why the page is not exactly one. Throws ImagingError `decode`. */
export async function findPageImage(
  file: PdfFile,
  page: PdfPage,
  shape: PageShape,
  { images, reason }: Content,
): Promise<PageImage | Other> {
  const [placed] = images;
  if (reason !== undefined) return { reason };
  if (!placed) return { reason: "it has no image" };
  const lies = describeLie(placed, shape.box);
  if (lies) return lies;
  const resources = await file.dictionary(page.get("Resources"));
  if (!(await areOpaque(file, resources, placed.states))) return { reason: "its image is transparent" };
  if (await hasAppearances(file, page)) return { reason: "it has annotations" };
  const stream = await findImage(file, page, placed);
  if (!stream) return { reason: "its image is missing" };
  return describeImage(file, stream, placed.matrix, shape);
}

/** Returns the object that a page shows by a name of its resources. */
export async function findImage(
  file: PdfFile,
  page: PdfPage,
  { image }: Pick<Placed, "image">,
): Promise<PdfStream | undefined> {
  const resources = await file.dictionary(page.get("Resources"));
  const images = await file.dictionary(resources?.get("XObject"));
  return file.stream(images?.get(image));
}

/** Returns why an image does not fill its page; undefined if it does. */
function describeLie({ matrix, clips }: Placed, page: Box): Other | undefined {
  if (!isAxisParallel(matrix)) return { reason: "its image is skewed" };
  const image = transformBox({ left: 0, bottom: 0, right: 1, top: 1 }, matrix);
  const { width, height } = sizeOf(page);
  // What is not a number is far, too.
  const far = (side: number, ...edges: readonly number[]) =>
    !edges.every((edge) => Math.abs(edge) <= tolerance * side);
  if (
    far(width, image.left - page.left, image.right - page.right) ||
    far(height, image.bottom - page.bottom, image.top - page.top)
  )
    return { reason: "its image does not fill it" };
  const shown = clips.reduce(intersect, page);
  if (
    far(width, shown.left - page.left, shown.right - page.right) ||
    far(height, shown.bottom - page.bottom, shown.top - page.top)
  )
    return { reason: "its image is clipped" };
  return undefined;
}

/** True if the graphics states of an image neither blend nor mask it. */
async function areOpaque(
  file: PdfFile,
  resources: PdfDictionary | undefined,
  names: readonly string[],
): Promise<boolean> {
  if (names.length === 0) return true;
  const states = await file.dictionary(resources?.get("ExtGState"));
  for (const name of names) {
    const state = await file.dictionary(states?.get(name));
    if (!state) continue;
    const alpha = numberOf(await file.resolve(state.get("ca"))) ?? 1;
    const mask = await file.resolve(state.get("SMask"));
    const mode = await file.resolve(state.get("BM"));
    const isNormal = mode === null || ["Normal", "Compatible"].includes(nameOf(mode) ?? "");
    const hasTransfer = ["TR", "TR2"].some((key) => state.has(key));
    if (alpha !== 1 || !isNormal || hasTransfer || (mask !== null && nameOf(mask) !== "None")) return false;
  }
  return true;
}

/** True if a page has annotations that a viewer shows on it. */
async function hasAppearances(file: PdfFile, page: PdfPage): Promise<boolean> {
  const annotations = arrayOf(await file.resolve(page.get("Annots"))) ?? [];
  if (annotations.length > maxAnnotations) return true;
  for (const each of annotations) {
    const annotation = await file.dictionary(each);
    const isHidden = ((countOf(await file.resolve(annotation?.get("F"))) ?? 0) & 0b100010) !== 0;
    if (annotation?.has("AP") && !isHidden) return true;
  }
  return false;
}

const formats: ReadonlyMap<string, PageImage["format"]> = new Map([
  ["DCTDecode", "jpg"],
  ["JPXDecode", "jp2"],
]);

async function describeImage(
  file: PdfFile,
  stream: PdfStream,
  matrix: Matrix,
  { box, turns, perInch }: PageShape,
): Promise<PageImage | Other> {
  const { dictionary } = stream;
  const get = (key: string) => file.resolve(dictionary.get(key));
  if (nameOf(await get("Subtype")) !== "Image") return { reason: "it has a form" };
  for (const key of ["SMask", "Mask", "OC"])
    if ((await get(key)) !== null) return { reason: "its image has a mask" };
  if ((await get("ImageMask")) === true || (countOf(await get("SMaskInData")) ?? 0) > 0)
    return { reason: "its image has a mask" };
  const filters = filtersOf(dictionary);
  const format = filters.length === 1 ? formats.get(filters[0] ?? "") : undefined;
  if (!format) return { reason: "its image is neither JPEG nor JPEG 2000" };
  const [width, height] = [countOf(await get("Width")), countOf(await get("Height"))];
  if (!width || !height) return { reason: "its image has no size" };
  const colour = await readColour(file, dictionary, format);
  if ("reason" in colour) return colour;
  const transform = numberOf(await file.resolve(parametersOf(dictionary)?.get("ColorTransform")));
  if (transform !== undefined && transform !== (colour.components === 3 ? 1 : 0))
    return { reason: "its image has colours of an unusual kind" };
  const shown = sizeOf(transformBox({ left: 0, bottom: 0, right: 1, top: 1 }, matrix));
  const isTurned = matrix[0] === 0 || Math.abs(matrix[1]) > Math.abs(matrix[0]);
  const [across, down] = isTurned ? [shown.height, shown.width] : [shown.width, shown.height];
  const density = [(width / across) * perInch, (height / down) * perInch] as const;
  if (Math.abs(density[0] / density[1] - 1) > maxStretch && !fills(box, width, height, isTurned))
    return { reason: "its image is stretched" };
  return { format, stream, width, height, orientation: orientationOf(matrix, turns), density, colour };
}

/** True if rounding alone explains that an image has other proportions than its page: by a pixel or two. */
function fills(box: Box, width: number, height: number, isTurned: boolean): boolean {
  const page = sizeOf(box);
  const [across, down] = isTurned ? [page.height, page.width] : [page.width, page.height];
  return Math.abs(width - (height * across) / down) <= 2;
}

/** EXIF orientations by the signs of the matrix from the stored image to the screen: [xx, xy, yx, yy]. */
const orientations: Readonly<Record<string, number>> = {
  "1,0,0,1": 1,
  "-1,0,0,1": 2,
  "-1,0,0,-1": 3,
  "1,0,0,-1": 4,
  "0,1,1,0": 5,
  "0,-1,1,0": 6,
  "0,-1,-1,0": 7,
  "0,1,-1,0": 8,
};

/** Returns the EXIF orientation of an image on a page that is turned clockwise. */
function orientationOf([a, b, c, d]: Matrix, turns: number): number {
  // Rows of an image go down from the top of the unit square, as those of a screen do.
  const isStraight = Math.abs(a) > Math.abs(b);
  let [xx, xy, yx, yy] = isStraight ? [sign(a), 0, 0, sign(d)] : [0, sign(-c), sign(-b), 0];
  for (let i = 0; i < turns; i++) [xx, xy, yx, yy] = [-yx!, -yy!, xx!, xy!];
  return orientations[[xx, xy, yx, yy].map((each) => each! + 0).join(",")] ?? 1;
}

const sign = (value: number) => (value < 0 ? -1 : 1);
