// A page that is exactly one JPEG or JPEG 2000 image: where its file lies in the PDF, and how the page shows
// it. Pages with anything else have a reason.

import { concatenate } from "../../../../base/index.ts";
import type { PdfFile, PdfStream } from "../directory/file.ts";
import { filtersOf, parametersOf } from "../directory/filters.ts";
import type { PdfPage } from "../directory/pages.ts";
import { arrayOf, countOf, nameOf, numberOf, type PdfDictionary } from "../syntax/values.ts";
import { findOnlyImage, type Other, type Placed } from "./content.ts";
import { type Box, boxFrom, intersect, isAxisParallel, type Matrix, sizeOf, transformBox } from "./matrix.ts";

/** Bytes of the content of a page, and the streams of it, that are looked at. */
const [maxContent, maxParts] = [64 * 1024, 32];
const maxAnnotations = 50;
/** Part of a side by which an image may be smaller or larger than its page. */
const tolerance = 0.01;
/** Difference of the resolutions across and down at which a page would be stretched. */
const maxStretch = 0.02;
/** Bytes of a profile that is used. */
const maxProfile = 4 * 2 ** 20;
const pointsPerInch = 72;
/** US Letter, for pages without a size, as other readers have it. */
const usualBox: Box = { left: 0, bottom: 0, right: 612, top: 792 };

/** How a page lies: what it shows, in points, and by which multiples of 90 degrees it is turned clockwise. */
export interface PageShape {
  readonly box: Box;
  readonly turns: number;
  /** Points of this page in an inch. */
  readonly perInch: number;
}

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

/** Colour of an image according to the page. */
export interface PageColour {
  /** Number of components; absent if the image itself says. */
  readonly components?: number;
  /** An ICC profile. */
  readonly profile?: PdfStream;
  /** Samples of 0 are full ink, as in the files of Adobe. */
  readonly isInverted: boolean;
}

/** Returns the shape of a page. */
export async function shapeOf(file: PdfFile, page: PdfPage): Promise<PageShape> {
  const box = async (key: string) => {
    const values = arrayOf(await file.resolve(page.get(key)));
    return values && boxFrom(await Promise.all(values.slice(0, 4).map((each) => file.resolve(each))));
  };
  const hasArea = (each: Box | undefined): each is Box =>
    each !== undefined && sizeOf(each).width > 0 && sizeOf(each).height > 0;
  const media = [await box("MediaBox")].find(hasArea) ?? usualBox;
  const shown = [intersect((await box("CropBox")) ?? media, media)].find(hasArea) ?? media;
  const degrees = numberOf(await file.resolve(page.get("Rotate"))) ?? 0;
  const unit = numberOf(await file.resolve(page.get("UserUnit"))) ?? 1;
  return {
    box: shown,
    turns: (((Math.round(degrees / 90) % 4) + 4) % 4) as number,
    perInch: pointsPerInch / (unit > 0 ? unit : 1),
  };
}

/** Returns the image of a page, or why the page is not exactly one. Throws ImagingError `decode`. */
export async function findPageImage(file: PdfFile, page: PdfPage): Promise<PageImage | Other> {
  const shape = await shapeOf(file, page);
  const content = await readContent(file, page);
  if (!content) return { reason: "its content is long, or compressed in an unusual way" };
  const placed = findOnlyImage(content);
  if ("reason" in placed) return placed;
  const lies = describeLie(placed, shape.box);
  if (lies) return lies;
  const resources = await file.dictionary(page.get("Resources"));
  if (!(await areOpaque(file, resources, placed.states))) return { reason: "its image is transparent" };
  if (await hasAppearances(file, page)) return { reason: "it has annotations" };
  const images = await file.dictionary(resources?.get("XObject"));
  const stream = await file.stream(images?.get(placed.image));
  if (!stream) return { reason: "its image is missing" };
  return describeImage(file, stream, placed.matrix, shape);
}

/** Returns the content streams as one; undefined if it is too long or has unusual filters. */
async function readContent(file: PdfFile, page: PdfPage): Promise<Uint8Array | undefined> {
  const contents = await file.resolve(page.get("Contents"));
  const parts = arrayOf(contents) ?? [page.get("Contents") ?? null];
  if (parts.length > maxParts) return undefined;
  const pieces: Uint8Array[] = [];
  let total = 0;
  for (const part of parts) {
    const stream = await file.stream(part);
    if (!stream) continue;
    const piece = await file.contents(stream, maxContent);
    total += piece?.length ?? 0;
    if (!piece || total > maxContent) return undefined;
    // Parts end tokens (section 7.8.2).
    pieces.push(piece, Uint8Array.of(10));
  }
  return concatenate(pieces);
}

/** Returns why an image does not fill its page; undefined if it does. */
function describeLie({ matrix, clips }: Placed, page: Box): Other | undefined {
  if (!isAxisParallel(matrix)) return { reason: "its image is skewed" };
  const image = transformBox({ left: 0, bottom: 0, right: 1, top: 1 }, matrix);
  const { width, height } = sizeOf(page);
  const far = (of: (a: number) => boolean, ...edges: readonly number[]) => edges.some(of);
  const across = (a: number) => Math.abs(a) > tolerance * width;
  const up = (a: number) => Math.abs(a) > tolerance * height;
  if (
    far(across, image.left - page.left, image.right - page.right) ||
    far(up, image.bottom - page.bottom, image.top - page.top)
  )
    return { reason: "its image does not fill it" };
  const shown = clips.reduce(intersect, page);
  if (
    far(across, shown.left - page.left, shown.right - page.right) ||
    far(up, shown.bottom - page.bottom, shown.top - page.top)
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

const formats: Readonly<Record<string, PageImage["format"]>> = { DCTDecode: "jpg", JPXDecode: "jp2" };

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
  const format = filters.length === 1 ? formats[filters[0] ?? ""] : undefined;
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

/** Names of device colour spaces by the number of their components. */
const components: Readonly<Record<string, number>> = {
  DeviceGray: 1,
  CalGray: 1,
  DeviceRGB: 3,
  CalRGB: 3,
  DeviceCMYK: 4,
};

async function readColour(
  file: PdfFile,
  dictionary: PdfDictionary,
  format: PageImage["format"],
): Promise<PageColour | Other> {
  const unusual = { reason: "its image has colours of an unusual kind" };
  const space = await file.resolve(dictionary.get("ColorSpace"));
  const decode = arrayOf(await file.resolve(dictionary.get("Decode")));
  const isUsual = !decode || decode.every((value, i) => value === i % 2);
  const isInverted = decode?.length === 8 && decode.every((value, i) => value === 1 - (i % 2));
  if (!isUsual && !isInverted) return unusual;
  // A JPEG 2000 file may say itself what its colours are.
  if (space === null) return format === "jp2" && isUsual ? { isInverted: false } : unusual;
  const [family, stream] = arrayOf(space) ?? [space];
  const name = nameOf(await file.resolve(family));
  const profile = name === "ICCBased" ? await file.stream(stream) : undefined;
  const count = profile ? countOf(await file.resolve(profile.dictionary.get("N"))) : components[name ?? ""];
  if (count === undefined || ![1, 3, 4].includes(count) || isInverted !== (count === 4 && format === "jpg"))
    return unusual;
  const isUsable =
    profile &&
    !profile.isCut &&
    profile.length <= maxProfile &&
    filtersOf(profile.dictionary).every((each) => each === "FlateDecode");
  return { components: count, isInverted, ...(isUsable && { profile }) };
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
