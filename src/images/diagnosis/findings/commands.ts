// Commands that findings advise; IN and OUT stand for file names.

/**
 * Converts to a tiled TIFF with all reduced levels, without loss: the layout whose regions are cheapest to
 * read.
 */
export const toPyramid = "smalti convert IN -o OUT.tif --compression deflate";

/** Converts like {@link toPyramid}, but to JPEG tiles, for photographs that were lossy before. */
export const toJpegPyramid = "smalti convert IN -o OUT.tif --compression jpeg --quality 90";

/**
 * Converts like {@link toPyramid} what this program does not read. Levels are pages, as other servers expect
 * them.
 */
export const toServedPyramid =
  "vips tiffsave IN OUT.tif --tile --tile-width 256 --tile-height 256 --pyramid --compression deflate --predictor horizontal --bigtiff";

/** Converts arithmetic to Huffman coding without loss. */
export const toHuffman = "jpegtran -copy all -outfile OUT.jpg IN.jpg";

/** Removes an unusable profile from a file. */
export const dropProfile = "exiftool -icc_profile:all= IN";

/** Embeds a profile in a file. */
export const embedProfile = 'exiftool "-icc_profile<=PROFILE.icc" IN';
