// Types of the two encoder packages, limited to their use here; the packages include none that fit.

declare module "@cornerstonejs/codec-libjpeg-turbo-8bit/wasmjs" {
  /** Facts of a frame. Sides are 16 bits wide, depth and component count 8. */
  export interface FrameInfo {
    width: number;
    height: number;
    bitsPerSample: number;
    componentCount: number;
    isSigned: boolean;
  }
  export interface JPEGDecoder {
    getEncodedBuffer(length: number): Uint8Array;
    decode(): void;
    getFrameInfo(): FrameInfo;
    getDecodedBuffer(): Uint8Array;
    delete(): void;
  }
  export interface JPEGEncoder {
    getDecodedBuffer(frame: FrameInfo): Uint8Array;
    setQuality(quality: number): void;
    setProgressive(progressive: boolean): void;
    /** Sets the sampling (TJSAMP): 0 is 4:4:4, 2 is 4:2:0, 3 is gray. */
    setSubSampling(sampling: number): void;
    encode(): void;
    /** Returns a copy of the file. */
    getEncodedBuffer(): Uint8ClampedArray;
    delete(): void;
  }
  export interface LibjpegTurbo {
    readonly HEAPU8: Uint8Array;
    readonly JPEGDecoder: new () => JPEGDecoder;
    readonly JPEGEncoder: new () => JPEGEncoder;
  }
  export default function create(options: import("../instance.ts").EmscriptenOptions): Promise<LibjpegTurbo>;
}

declare module "@jsquash/jpeg/codec/enc/mozjpeg_enc.js" {
  export interface MozjpegOptions {
    quality: number;
    baseline: boolean;
    arithmetic: boolean;
    progressive: boolean;
    optimize_coding: boolean;
    smoothing: number;
    color_space: number;
    quant_table: number;
    trellis_multipass: boolean;
    trellis_opt_zero: boolean;
    trellis_opt_table: boolean;
    trellis_loops: number;
    auto_subsample: boolean;
    chroma_subsample: number;
    separate_chroma_quality: boolean;
    chroma_quality: number;
  }
  export interface Mozjpeg {
    readonly HEAPU8: Uint8Array;
    /** Encodes RGBA samples. */
    encode(data: Uint8Array, width: number, height: number, options: MozjpegOptions): Uint8Array;
  }
  export default function create(options: import("../instance.ts").EmscriptenOptions): Promise<Mozjpeg>;
}
