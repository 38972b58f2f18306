// The interface of wasm/jp2k/assembly/jp2k.ts.

/**
 * Exports of the module "jp2k"; its sources document the arguments. Addresses and strides are numbers,
 * booleans 0 or 1.
 */
export interface Jp2kModule {
  readonly memory: WebAssembly.Memory;
  base(): number;
  blockWorkBytes(): number;
  decodeBlock(
    data: number,
    segments: number,
    count: number,
    across: number,
    down: number,
    planes: number,
    skipped: number,
    orientation: number,
    style: number,
    work: number,
    out: number,
  ): void;
  decodeHtBlock(
    data: number,
    cleanupLength: number,
    refinementLength: number,
    passes: number,
    width: number,
    height: number,
    plane: number,
    causal: number,
    work: number,
    out: number,
  ): number;
  htWorkBytes(): number;
  copyFloats(
    from: number,
    fromStride: number,
    to: number,
    toStride: number,
    width: number,
    height: number,
    scale: number,
  ): void;
  copyInts(
    from: number,
    fromStride: number,
    to: number,
    toStride: number,
    width: number,
    height: number,
  ): void;
  inverse53(
    x0: number,
    y0: number,
    x1: number,
    y1: number,
    ll: number,
    llStride: number,
    hl: number,
    lh: number,
    hh: number,
    out: number,
    outStride: number,
    scratch: number,
  ): void;
  inverse97(
    x0: number,
    y0: number,
    x1: number,
    y1: number,
    ll: number,
    llStride: number,
    hl: number,
    lh: number,
    hh: number,
    out: number,
    outStride: number,
    scratch: number,
  ): void;
  inverseIct(a: number, b: number, c: number, stride: number, width: number, height: number): void;
  inverseRct(a: number, b: number, c: number, stride: number, width: number, height: number): void;
  shiftDown(at: number, count: number, shift: number): void;
  store(
    plane: number,
    stride: number,
    width: number,
    height: number,
    isFloat: number,
    offset: number,
    top: number,
    out: number,
    outStep: number,
    outStride: number,
    wide: number,
  ): void;
  storeRgb(
    a: number,
    b: number,
    c: number,
    stride: number,
    width: number,
    height: number,
    isFloat: number,
    transform: number,
    offset: number,
    out: number,
    outStride: number,
  ): void;
  waveletScratchBytes(width: number): number;
}
