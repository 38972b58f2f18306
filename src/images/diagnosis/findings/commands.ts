// Commands that findings advise, with IN and OUT for the names of files.

/** A tiled TIFF with all reduced levels, lossless: what every reader of regions likes best. */
export const toPyramid =
  "vips tiffsave IN OUT.tif --tile --tile-width 256 --tile-height 256 --pyramid --subifd --compression deflate --predictor horizontal --bigtiff";

/** The same with JPEG tiles, for photographs that were lossy before. */
export const toJpegPyramid =
  "vips tiffsave IN OUT.tif --tile --tile-width 256 --tile-height 256 --pyramid --subifd --compression jpeg --Q 90";

/** Huffman coding in place of arithmetic coding, without loss. */
export const toHuffman = "jpegtran -copy all -outfile OUT.jpg IN.jpg";

/** Takes a profile that cannot be used out of a file. */
export const dropProfile = "exiftool -icc_profile:all= IN";

/** Puts a profile into a file. */
export const embedProfile = 'exiftool "-icc_profile<=PROFILE.icc" IN';
