// What is used of the two JPEG 2000 packages: their embind classes.

export interface FrameInfo {
  readonly width: number;
  readonly height: number;
  readonly bitsPerSample: number;
  readonly componentCount: number;
  readonly isSigned: boolean;
  readonly isUsingColorTransform?: boolean;
}
export interface Decoder {
  /** Room for `length` bytes of input, in the module's memory. */
  getEncodedBuffer(length: number): Uint8Array;
  /** Interleaved samples of the last decode: bytes, or 16 bit little endian above 8 bit. */
  getDecodedBuffer(): Uint8Array;
  decode(): void;
  decodeSubResolution(level: number, layers?: number): void;
  /** Always of the full-size picture. */
  getFrameInfo(): FrameInfo;
  delete(): void;
}
export interface Encoder {
  getDecodedBuffer(frame: FrameInfo): Uint8Array;
  getEncodedBuffer(): Uint8Array;
  setDecompositions(levels: number): void;
  /** `layers` counts the quality layers; each needs a compression ratio. */
  setQuality(lossless: boolean, layers: number): void;
  setCompressionRatio(layer: number, ratio: number): void;
  encode(): void;
  delete(): void;
}
export interface OpenJpeg {
  readonly HEAPU8: Uint8Array;
  readonly J2KDecoder: new () => Decoder;
  readonly J2KEncoder: new () => Encoder;
}
export interface OpenJph {
  readonly HEAPU8: Uint8Array;
  readonly HTJ2KDecoder: new () => Decoder;
  readonly HTJ2KEncoder: new () => Encoder;
}
