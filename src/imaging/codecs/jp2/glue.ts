// The used embind classes of the JPEG 2000 packages, here and in tests.

export interface FrameInfo {
  readonly width: number;
  readonly height: number;
  readonly bitsPerSample: number;
  readonly componentCount: number;
  readonly isSigned: boolean;
  readonly isUsingColorTransform?: boolean;
}
export interface Encoder {
  getDecodedBuffer(frame: FrameInfo): Uint8Array;
  getEncodedBuffer(): Uint8Array;
  setDecompositions(levels: number): void;
  /** `layers` is the number of quality layers; each needs a compression ratio. */
  setQuality(lossless: boolean, layers: number): void;
  setCompressionRatio(layer: number, ratio: number): void;
  encode(): void;
  delete(): void;
}
export interface OpenJpeg {
  readonly HEAPU8: Uint8Array;
  readonly J2KEncoder: new () => Encoder;
}
export interface OpenJph {
  readonly HEAPU8: Uint8Array;
  readonly HTJ2KEncoder: new () => Encoder;
}
