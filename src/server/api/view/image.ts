// The image of a canvas: its service and size, for previews and for readers without scripts.

import type { StateRegion as Region, Resource } from "../../../iiif/index.ts";
import { listOf } from "./opened.ts";

export interface CanvasImage {
  /** Address of its image service of version 3. */
  readonly service: string;
  readonly width: number;
  readonly height: number;
  /** True if a login may be required first. */
  readonly gated: boolean;
}

/** Returns the first image that paints a canvas and has an image service of version 3, or undefined. */
export function imageOf(canvas: Resource): CanvasImage | undefined {
  for (const page of listOf(canvas.items))
    for (const annotation of listOf(page.items))
      for (const body of [annotation.body].flat() as readonly (Resource | undefined)[]) {
        const service = listOf(body?.service).find(({ type }) => type === "ImageService3");
        const { width, height } = body ?? {};
        if (typeof service?.id === "string" && typeof width === "number" && typeof height === "number")
          return { service: service.id, width, height, gated: listOf(service.service).length > 0 };
      }
  return undefined;
}

/**
 * Returns the address of a JPEG of an image, or of a region of it, within a box; an image that fits the box
 * is requested in its own size.
 */
export function pictureAddress(
  { service, width, height }: CanvasImage,
  box: { readonly width: number; readonly height: number },
  region?: Region,
): string {
  const size = region ? { width: region.w, height: region.h } : { width, height };
  const fits = size.width <= box.width && size.height <= box.height;
  const part = region ? `${region.x},${region.y},${region.w},${region.h}` : "full";
  return `${service}/${part}/${fits ? "max" : `!${box.width},${box.height}`}/0/default.jpg`;
}
