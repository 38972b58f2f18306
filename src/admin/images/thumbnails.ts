// Chooses the thumbnail of an image for the operator's pages.

/** Side of the thumbnail box in pixels. */
export const thumbnailBox = 300;

/**
 * Returns the path after the identifier that requests the thumbnail: scaled to fit the box, or in its own
 * size if the image is known to be smaller both ways, since derivatives are never larger than their image.
 */
export function thumbnailOf(size: { readonly width: number; readonly height: number } | undefined): string {
  const fits = size && size.width <= thumbnailBox && size.height <= thumbnailBox;
  return `/full/${fits ? "max" : `!${thumbnailBox},${thumbnailBox}`}/0/default.jpg`;
}
