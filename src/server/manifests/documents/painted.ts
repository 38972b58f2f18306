// The canvases of a manifest that an operator stored, with the images of this service that they show.

import {
  idOf,
  imagesOf,
  objectOf,
  objectsOf,
  ownNames,
  type Resource,
  type StoredDocument,
  splitPage,
  type TargetCanvas,
} from "../../../iiif/index.ts";
import { type FolderLocation, locationOf, splitLocation } from "../locations.ts";
import type { AttachedCanvas } from "./attached-files.ts";
import type { Making } from "./making.ts";

/** What a canvas shows of this service. */
export interface Painted {
  /** Identifiers of its images. */
  readonly images: readonly string[];
  /** True if one image, which may be a choice, fills it. */
  readonly isFilled: boolean;
}

const known = new WeakMap<StoredDocument, readonly Painted[]>();

/** Returns what the canvases of a stored manifest show, in order. */
export function paintedOf(
  { parts, context }: Pick<Making, "parts" | "context">,
  stored: StoredDocument,
): readonly Painted[] {
  const found = known.get(stored);
  if (found) return found;
  const prefixes = [...Object.values(context.imagePrefixes), ...parts.aliases];
  const painted = objectsOf(stored.whole.items).map((canvas): Painted => {
    const images = imagesOf(canvas).flatMap((each) => ownNames(each, prefixes).image ?? []);
    return { images: [...new Set(images)], isFilled: isFilled(canvas) };
  });
  known.set(stored, painted);
  return painted;
}

/** True if one annotation paints the whole canvas, with a whole image. */
export function isFilled(canvas: Resource): boolean {
  const [painting, ...more] = objectsOf(canvas.items).flatMap(({ items }) => objectsOf(items));
  if (!painting || more.length > 0) return false;
  const { target, body } = painting;
  if (target !== undefined && (typeof target !== "string" || target.includes("#"))) return false;
  const [image] = objectsOf(body);
  const [first = image] = image?.type === "Choice" ? objectsOf(image.items) : [];
  return first !== undefined && first.selector === undefined && isWholeImage(idOf(first) ?? "");
}

/** False for the address of a region of an image (Image API 3.0, section 4.1), or a rotated one. */
function isWholeImage(address: string): boolean {
  const [, region, rotation] =
    /\/([^/]+)\/[^/]+\/([^/]+)\/[a-z]+\.[a-z0-9]+$/.exec(address.replace(/[?#].*$/s, "")) ?? [];
  return region === undefined || (region === "full" && rotation === "0");
}

/** Returns the canvases of a manifest in the folder at `location`, as annotations may be about them. */
export function paintedCanvases(
  { sources }: Pick<Making["parts"], "sources">,
  location: FolderLocation,
  document: Resource,
  painted: readonly Painted[],
): readonly AttachedCanvas[] {
  return objectsOf(document.items).map((canvas, at): AttachedCanvas => {
    const { images = [] } = painted[at] ?? {};
    const [identifier = ""] = images;
    const page = splitPage(identifier);
    const { folder, name } = splitLocation(locationOf(sources, page?.identifier ?? identifier));
    const isHere = folder.source === location.source && folder.key === location.key && identifier !== "";
    const label = identifier.slice(identifier.lastIndexOf("/") + 1);
    return {
      id: idOf(canvas) ?? "",
      identifier,
      images,
      label,
      ...(page && { page: page.page }),
      ...(isHere && { file: name }),
    };
  });
}

/** Returns a canvas with its size; undefined if it has none. */
export function sizedCanvas(canvas: unknown): TargetCanvas | undefined {
  const resource = objectOf(canvas);
  const id = idOf(resource);
  const { width, height } = resource ?? {};
  if (id === undefined || typeof width !== "number" || typeof height !== "number") return undefined;
  return { id, width, height };
}
