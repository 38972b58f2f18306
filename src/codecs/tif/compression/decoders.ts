// The decoders of strips and tiles that take WebAssembly modules.

import type { CodecHost } from "../../codec.ts";
import { type DecodeJpeg, jpegDecoder } from "./jpeg.ts";
import { type DecodeWebp, webpDecoder } from "./webp.ts";

export interface BlockDecoders {
  readonly jpeg: DecodeJpeg;
  readonly webp: DecodeWebp;
}

/** Decoders that hold their module instances between calls. */
export const blockDecoders = (host: CodecHost): BlockDecoders => ({
  jpeg: jpegDecoder(host),
  webp: webpDecoder(host),
});
