// How a page lies: its part that is shown, and its turn (ISO 32000-2, sections 7.7.3.3 and 14.11.2).

import type { PdfFile } from "../directory/file.ts";
import type { PdfPage } from "../directory/pages.ts";
import { arrayOf, numberOf } from "../syntax/values.ts";
import { type Box, boxFrom, intersect, sizeOf } from "./matrix.ts";

const pointsPerInch = 72;
/** Sides of a page and units, in points: viewers go up to 14,400 and 75,000. Others do not count. */
const [shortest, maxSide, maxUnit] = [1e-3, 1e6, 1e5];
/** US Letter, for pages without a size, as other readers have it. */
const usualBox: Box = { left: 0, bottom: 0, right: 612, top: 792 };

/** How a page lies: what it shows, in points, and by which multiples of 90 degrees it is turned clockwise. */
export interface PageShape {
  readonly box: Box;
  readonly turns: number;
  /** Points of this page in an inch. */
  readonly perInch: number;
}

/** Returns the shape of a page. */
export async function shapeOf(file: PdfFile, page: PdfPage): Promise<PageShape> {
  const box = async (key: string) => {
    const values = arrayOf(await file.resolve(page.get(key)));
    return values && boxFrom(await Promise.all(values.slice(0, 4).map((each) => file.resolve(each))));
  };
  const hasArea = (each: Box | undefined): each is Box =>
    each !== undefined && [sizeOf(each).width, sizeOf(each).height].every(isSide);
  const media = [await box("MediaBox")].find(hasArea) ?? usualBox;
  const shown = [intersect((await box("CropBox")) ?? media, media)].find(hasArea) ?? media;
  const degrees = numberOf(await file.resolve(page.get("Rotate"))) ?? 0;
  const unit = numberOf(await file.resolve(page.get("UserUnit"))) ?? 1;
  return {
    box: shown,
    turns: (((Math.round(degrees / 90) % 4) + 4) % 4) as number,
    perInch: pointsPerInch / (unit >= shortest && unit <= maxUnit ? unit : 1),
  };
}

const isSide = (points: number) => points >= shortest && points <= maxSide;
