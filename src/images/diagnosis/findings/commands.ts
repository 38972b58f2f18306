// Commands that findings advise; IN and OUT stand for file names.

/**
 * Converts to a tiled TIFF with all reduced levels, without loss: the layout whose regions are cheapest to
 * read.
 */
export const toPyramid =
  "vips tiffsave IN OUT.tif --tile --tile-width 256 --tile-height 256 --pyramid --subifd --compression deflate --predictor horizontal --bigtiff";

/** Converts like {@link toPyramid}, but to JPEG tiles, for photographs that were lossy before. */
export const toJpegPyramid =
  "vips tiffsave IN OUT.tif --tile --tile-width 256 --tile-height 256 --pyramid --subifd --compression jpeg --Q 90";

/** Converts arithmetic to Huffman coding without loss. */
export const toHuffman = "jpegtran -copy all -outfile OUT.jpg IN.jpg";

/** Removes an unusable profile from a file. */
export const dropProfile = "exiftool -icc_profile:all= IN";

/** Embeds a profile in a file. */
export const embedProfile = 'exiftool "-icc_profile<=PROFILE.icc" IN';
