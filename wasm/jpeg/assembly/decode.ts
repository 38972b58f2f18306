// Entry of the module "jpeg-decode": find access points in, decode and crop sequential JPEG scans by ranges
// of bytes (see ../decode.md).

export { colourRow } from "./decode/colour-out";
export { finishCut } from "./decode/crop-bits";
export { buildTable } from "./huffman-read";
export { cutRows, decodeRows, indexRows } from "./decode/mcus";
export { doubleAcross, doubleBoth, doubleDown, extendRows, repeatAcross } from "./decode/upsample";
