// JPEG as a codec: headers by our own walk, pixels by libjpeg-turbo, files by libjpeg-turbo or MozJPEG.

import createLibjpegTurbo, { type LibjpegTurbo } from "@cornerstonejs/codec-libjpeg-turbo-8bit/wasmjs";
import { ServiceError } from "../../errors.ts";
import type { Codec, CodecHost } from "../codec.ts";
import { arithmeticDecoder, arithmeticMemory } from "./arithmetic.ts";
import { detailsOf, turboDecoder, turboMemory } from "./decode.ts";
import { encodes, jpegEncoder } from "./encode.ts";
import { readJpegHeader } from "./header.ts";
import { emscriptenOptions, keptInstance } from "./instance.ts";

/** JPEG in Huffman and arithmetic coding, baseline and progressive, 8 bit; gray, RGB and CMYK. */
export function jpegCodec(host: CodecHost): Codec {
  const withTurbo = keptInstance<LibjpegTurbo>({
    create: () => createLibjpegTurbo(emscriptenOptions(host.wasm("jpeg-turbo-8bit"))),
    memory: (turbo) => turbo.HEAPU8.length,
  });
  const decodeHuffman = turboDecoder(host);
  const decodeArithmetic = arithmeticDecoder(withTurbo);
  return {
    format: "jpg",
    recognises: (head) => head[0] === 0xff && head[1] === 0xd8 && head[2] === 0xff,
    async probe(bytes, page) {
      if (page !== 1)
        throw new ServiceError(
          "bad-request",
          `A JPEG file has one page; page ${page} was asked for. Use 1.`,
          {
            code: "page_not_found",
          },
        );
      return readJpegHeader(bytes);
    },
    scaleFactors: (header) => (detailsOf(header).arithmetic ? [1] : [1, 2, 4, 8]),
    memory: (read, fileSize) =>
      detailsOf(read.header).arithmetic ? arithmeticMemory(read, fileSize) : turboMemory(read, fileSize),
    async decode(bytes, read) {
      if (read.header.unsupported) throw new ServiceError("unsupported", read.header.unsupported);
      return detailsOf(read.header).arithmetic ? decodeArithmetic(bytes, read) : decodeHuffman(bytes, read);
    },
    encode: jpegEncoder(host, withTurbo),
    encodes,
  };
}
