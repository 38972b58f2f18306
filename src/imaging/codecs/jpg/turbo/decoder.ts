// Decodes JPEG with TurboJPEG: whole rows at 1/1, 1/2, 1/4 or 1/8 down to the last row of the region, then
// cropped.

import { type ByteSource, ImagingError, readAll } from "../../../../base/index.ts";
import type { PixelBuffer } from "../../../pipeline/pixels.ts";
import type { CodecHost, Decoded } from "../../codec.ts";
import type { ImageHeader } from "../../image-header.ts";
import { asImagingError } from "../../instance.ts";
import type { ReadRequest } from "../../plan.ts";
import { detailsOf, mismatchError } from "../markers/header.ts";
import { accurateDct, createTurbo, pixelFormats, type Turbo } from "./module.ts";
import { confirmScans } from "./scans.ts";

/** Memory limit of one instance, which has 32-bit addresses. */
const maxBytes = 3 * 1024 ** 3;
const chunkSize = 1 << 20;

const damagedMessage =
  "Expected an intact JPEG file; its data is too damaged to show. Replace the source file.";

/**
 * Returns the number of rows from the top that must be decoded for the region: to the end of its last MCU row
 * and one MCU row more, since upsampling of chroma reads the row below.
 */
export function rowsFor({ header, region }: ReadRequest): number {
  const { mcuHeight } = detailsOf(header);
  const last = Math.ceil((region.y + region.height) / mcuHeight) * mcuHeight;
  return Math.min(header.height, last + mcuHeight);
}

/**
 * Returns the estimated peak bytes of {@link turboDecoder}: file, coefficients if they are held, rows,
 * result.
 */
export function turboMemory(read: ReadRequest, fileSize: number): number {
  const { header, region, scaleFactor } = read;
  const rows = rowsFor(read);
  // whole MCUs are held, which have at most 32 by 32 pixels
  const samples = Math.ceil(header.width / 32) * 32 * Math.ceil(rows / 32) * 32 * header.bands;
  const coefficients = detailsOf(header).multiscan ? 2 * samples : 0;
  const decoded = Math.ceil(header.width / scaleFactor) * Math.ceil(rows / scaleFactor) * header.bands;
  const result =
    Math.ceil(region.width / scaleFactor) * Math.ceil(region.height / scaleFactor) * header.bands;
  const workspace = 4 * 1024 * 1024 + header.width * header.bands * 64;
  return fileSize + coefficients + decoded + result + workspace;
}

/**
 * Returns a decoder for Huffman-coded files of 8 bits with 1, 3 or 4 components. Truncated files end in gray.
 * Each call has an instance of its own, which is left to the garbage collector with all that is in it.
 */
export function turboDecoder(host: CodecHost) {
  return async (bytes: ByteSource, read: ReadRequest): Promise<Decoded> => {
    if (turboMemory(read, bytes.size ?? 0) > maxBytes) throw tooLarge();
    const turbo = createTurbo(host.wasm("jpeg-turbo"));
    try {
      return decodeLoaded(turbo, await load(turbo, bytes), read);
    } catch (error) {
      throw asImagingError(error, "decode", damagedMessage, { code: "damaged_image" });
    }
  };
}

interface LoadedFile {
  readonly pointer: number;
  readonly length: number;
}

/** Loads the file into the instance's memory in pieces, so that there is no second copy. */
async function load(turbo: Turbo, bytes: ByteSource): Promise<LoadedFile> {
  const whole = bytes.size === undefined ? await readAll(bytes, maxBytes) : undefined;
  const size = whole?.length ?? bytes.size ?? 0;
  const pointer = allocate(turbo, size);
  for (let at = 0; at < size; ) {
    const chunk = whole ?? (await bytes.read(at, Math.min(chunkSize, size - at)));
    if (chunk.length === 0) return { pointer, length: at };
    new Uint8Array(turbo.memory.buffer, pointer + at, chunk.length).set(chunk);
    at += chunk.length;
  }
  return { pointer, length: size };
}

function decodeLoaded(turbo: Turbo, file: LoadedFile, read: ReadRequest): Decoded {
  const { header, scaleFactor } = read;
  const rows = rowsFor(read);
  const input = new Uint8Array(turbo.memory.buffer, file.pointer, file.length);
  shorten(input, header, rows);
  confirmScans(input, header);
  const width = Math.ceil(header.width / scaleFactor);
  const height = Math.ceil(rows / scaleFactor);
  const pitch = width * header.bands;
  const output = allocate(turbo, pitch * height);
  const decompressor = turbo.tjInitDecompress();
  if (decompressor === 0) throw tooLarge();
  confirmSize(turbo, decompressor, file, header.width, rows);
  // -1 is a warning here: the confirmed size rules out its other meanings, and fatal errors throw
  const warned = turbo.tjDecompress2(
    decompressor,
    file.pointer,
    file.length,
    output,
    width,
    pitch,
    height,
    pixelFormats[header.interpretation as keyof typeof pixelFormats],
    accurateDct,
  );
  const decoded = new Uint8Array(turbo.memory.buffer, output, pitch * height);
  return { ...crop(decoded, width, read), incomplete: warned !== 0 };
}

/**
 * Reduces the number of rows in the frame header, so that libjpeg stops after the region. Throws if the
 * header is not the expected one.
 */
function shorten(file: Uint8Array, header: ImageHeader, rows: number): void {
  const { frameOffset } = detailsOf(header);
  const byteAt = (i: number) => file[frameOffset + i] ?? -1;
  if (
    byteAt(0) !== 0xff ||
    byteAt(5) * 256 + byteAt(6) !== header.height ||
    byteAt(7) * 256 + byteAt(8) !== header.width
  )
    throw mismatchError();
  file[frameOffset + 5] = rows >> 8;
  file[frameOffset + 6] = rows & 255;
}

/** Throws unless libjpeg sees the size that our own header walk saw, for which the output was allocated. */
function confirmSize(
  turbo: Turbo,
  decompressor: number,
  file: LoadedFile,
  width: number,
  height: number,
): void {
  const facts = allocate(turbo, 16);
  new Int32Array(turbo.memory.buffer, facts, 4).fill(0);
  turbo.tjDecompressHeader3(decompressor, file.pointer, file.length, facts, facts + 4, facts + 8, facts + 12);
  const [seenWidth, seenHeight] = new Int32Array(turbo.memory.buffer, facts, 2);
  if (seenWidth !== width || seenHeight !== height) throw mismatchError();
}

/**
 * Copies the region from decoded rows. CMYK is inverted to "0 is no ink": JPEG files store its complement,
 * with or without an Adobe segment.
 */
export function crop(decoded: Uint8Array, decodedWidth: number, read: ReadRequest): PixelBuffer {
  const { header, region, scaleFactor } = read;
  const { bands, interpretation } = header;
  const width = Math.ceil(region.width / scaleFactor);
  const height = Math.ceil(region.height / scaleFactor);
  const data = new Uint8Array(width * height * bands);
  for (let row = 0; row < height; row++) {
    const from = ((region.y / scaleFactor + row) * decodedWidth + region.x / scaleFactor) * bands;
    data.set(decoded.subarray(from, from + width * bands), row * width * bands);
  }
  if (interpretation === "cmyk") for (let i = 0; i < data.length; i++) data[i] = 255 - data[i]!;
  return { width, height, bands, interpretation, data };
}

function allocate(turbo: Turbo, bytes: number): number {
  const pointer = turbo.malloc(Math.max(bytes, 1)) >>> 0;
  if (pointer === 0) throw tooLarge();
  return pointer;
}

function tooLarge(): ImagingError {
  return new ImagingError(
    "too-large",
    "Decoding this JPEG file needs more memory than its decoder can address. Ask for a smaller size.",
    { code: "source_too_large" },
  );
}
