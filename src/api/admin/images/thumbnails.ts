// Which thumbnail the pages of the operator show of an image.

/** Side of the box that thumbnails fit in, in pixels. */
export const thumbnailBox = 300;

/**
 * What follows the identifier to ask for the thumbnail: within the box, or as it is where the image is known to be smaller both ways, since
 * answers are not larger than their image.
 */
export function thumbnailOf(size: { readonly width: number; readonly height: number } | undefined): string {
  const fits = size && size.width <= thumbnailBox && size.height <= thumbnailBox;
  return `/full/${fits ? "max" : `!${thumbnailBox},${thumbnailBox}`}/0/default.jpg`;
}
