// Sizes of images to draw, and of their levels.

import fc from "../../properties.ts";

/** Sides in pixels: many short ones, and long ones. */
export const sides = fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 20_000 }));
/** Sizes of images. */
export const images = fc.record({ width: sides, height: sides });

/** The whole image at a scale factor, as the Image API has it: reduced sizes are rounded up. */
export const levelSize = (image: { width: number; height: number }, scaleFactor: number) => ({
  width: Math.ceil(image.width / scaleFactor),
  height: Math.ceil(image.height / scaleFactor),
});
