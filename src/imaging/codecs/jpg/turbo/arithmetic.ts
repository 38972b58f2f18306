// Decodes arithmetic-coded JPEG (ITU-T T.81, annex D) with libjpeg-turbo, in the one build that has this
// coder. It has no CMYK, which is converted to Huffman coding for the other build.

import createLibjpegTurbo, { type JPEGDecoder } from "@cornerstonejs/codec-libjpeg-turbo-8bit/wasmjs";
import { type ByteSource, memoryBytes, readAll } from "../../../../base/index.ts";
import type { PixelBuffer } from "../../../pipeline/pixels.ts";
import type { CodecHost, Decoded } from "../../codec.ts";
import { asImagingError, emscriptenOptions } from "../../instance.ts";
import type { ReadRequest } from "../../plan.ts";
import { maxBaseline, toBaseline } from "../arithmetic/baseline.ts";
import { detailsOf, mismatchError, readJpegHeader } from "../markers/header.ts";
import { crop, turboDecoder, turboMemory } from "./decoder.ts";
import { confirmScans } from "./scans.ts";

const maxFile = 1024 ** 3;
/** Initial memory of this build in bytes. */
const startMemory = 50 * 1024 * 1024;

/**
 * Returns the estimated peak bytes: the file twice, coefficients if they are held, the whole image, and the
 * result.
 */
export function arithmeticMemory(read: ReadRequest, fileSize: number): number {
  const { header, region } = read;
  const samples = header.width * header.height * header.bands;
  if (header.interpretation === "cmyk") {
    const copy = maxBaseline(fileSize, samples);
    return fileSize + 2 * samples + 2 * copy + turboMemory(read, copy);
  }
  const coefficients = detailsOf(header).multiscan ? 2 * samples : 0;
  return startMemory + 2 * fileSize + coefficients + samples + region.width * region.height * header.bands;
}

/**
 * Returns a decoder for all that can be probed. It does not scale, and treats a truncated file as an error.
 * Each call has an instance of its own.
 */
export function arithmeticDecoder(host: CodecHost) {
  const decodeHuffman = turboDecoder(host);
  return async (bytes: ByteSource, read: ReadRequest): Promise<Decoded> => {
    const file = await readAll(bytes, maxFile);
    confirmScans(file, read.header);
    if (read.header.interpretation === "cmyk") {
      const copy = memoryBytes(toBaseline(file));
      const header = await readJpegHeader(copy);
      if (header.width !== read.header.width || header.height !== read.header.height) throw mismatchError();
      return decodeHuffman(copy, { ...read, header });
    }
    const turbo = await createLibjpegTurbo(emscriptenOptions(host.wasm("jpeg-turbo-8bit")));
    try {
      return decodeWith(new turbo.JPEGDecoder(), file, read);
    } catch (error) {
      throw asImagingError(
        error,
        "decode",
        "Expected an intact arithmetic-coded JPEG file; its data is damaged. Replace the source file.",
        { code: "damaged_image" },
      );
    }
  };
}

function decodeWith(decoder: JPEGDecoder, file: Uint8Array, read: ReadRequest): PixelBuffer {
  decoder.getEncodedBuffer(file.length).set(file);
  decoder.decode();
  const frame = decoder.getFrameInfo();
  const { width, height, bands } = read.header;
  if (frame.width !== width || frame.height !== height || frame.componentCount !== bands)
    throw mismatchError();
  return crop(decoder.getDecodedBuffer(), width, read);
}
