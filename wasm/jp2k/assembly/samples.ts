// Samples between the stages: decoded code-blocks into bands, and planes into pixels.

export { copyFloats, copyInts, shiftDown } from "./samples/blocks";
export { inverseIct, inverseRct } from "./samples/colour";
export { store, storeRgb } from "./samples/pixels";
