// Entry of the module "jp2k": the stages of decoding JPEG 2000 by regions, over memory that the host lays
// out.

export { blockWorkBytes, decodeBlock } from "./block";
export { decodeHtBlock, htWorkBytes } from "./ht";
export { copyFloats, copyInts, inverseIct, inverseRct, shiftDown, store, storeRgb } from "./samples";
export { inverse53, inverse97, waveletScratchBytes } from "./wavelet";

/** Start of the memory that the host may use. */
export function base(): usize {
  return __heap_base;
}
