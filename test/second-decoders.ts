// Other decoders and a resampler besides libvips: packages that the service does not use
// (docs/contributing/dependencies.md says why).

import { readFileSync } from "node:fs";
import decodePng, { init as initPng } from "@jsquash/png/decode.js";
import resize, { initResize } from "@jsquash/resize";
import UTIF from "utif2";
import type { PixelBuffer } from "../src/imaging/pipeline/pixels.ts";

/** Four interleaved samples a pixel. */
export interface Rgba {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array | Uint16Array;
}

/** Both packages of jSquash return a browser's ImageData. */
class PlainImageData {
  readonly data: Uint8ClampedArray;
  readonly width: number;
  readonly height: number;
  constructor(data: Uint8ClampedArray, width: number, height = data.length / 4 / width) {
    this.data = data;
    this.width = width;
    this.height = height;
  }
}
(globalThis as { ImageData?: unknown }).ImageData ??= PlainImageData;

const moduleOf = (file: string) =>
  new WebAssembly.Module(readFileSync(new URL(`../node_modules/${file}`, import.meta.url)));
const bytesOf = ({ buffer, byteOffset, byteLength }: Uint8ClampedArray) =>
  new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength);

/**
 * The image rs library, by @jsquash/png: every kind of PNG as RGBA of 8 or 16 bits. It checks no checksums.
 */
export async function jsquashPng(file: Uint8Array, bitDepth: 8 | 16): Promise<Rgba> {
  await initPng(moduleOf("@jsquash/png/codec/pkg/squoosh_png_bg.wasm"));
  const { width, height, data } = await decodePng(new Uint8Array(file).buffer, { bitDepth: bitDepth as 8 });
  return { width, height, data: data instanceof Uint8ClampedArray ? bytesOf(data) : new Uint16Array(data) };
}

/** Lanczos-3 of all samples alike, by @jsquash/resize: neither weighted by alpha nor in linear light. */
export async function jsquashResize(source: Rgba, width: number, height: number): Promise<Rgba> {
  await initResize(moduleOf("@jsquash/resize/lib/resize/pkg/squoosh_resize_bg.wasm"));
  const image = new PlainImageData(Uint8ClampedArray.from(source.data), source.width, source.height);
  const options = { width, height, method: "lanczos3", premultiply: false, linearRGB: false } as const;
  const result = await resize(image as ImageData, options);
  return { width, height, data: bytesOf(result.data) };
}

/**
 * A page of a TIFF by utif2: `stored`, its samples as the file holds them (16 bits in its byte order, palette
 * indexes as they are), and `rgba`, the same as RGBA of 8 bits.
 */
export function utif(file: Uint8Array, page = 0): Rgba & { readonly stored: Uint8Array } {
  const { log } = console;
  console.log = () => {}; // it reports every tiled file
  try {
    const bytes = new Uint8Array(file).buffer;
    const picture = UTIF.decode(bytes)[page]!;
    UTIF.decodeImage(bytes, picture);
    const { width, height, data } = picture;
    return { width, height, stored: data, data: UTIF.toRGBA8(picture) };
  } finally {
    console.log = log;
  }
}

/** Our pixels as RGBA of their own depth. */
export function asRgba({ width, height, bands, data }: PixelBuffer): Rgba {
  const full = data instanceof Uint16Array ? 65535 : 255;
  const out =
    data instanceof Uint16Array ? new Uint16Array(width * height * 4) : new Uint8Array(width * height * 4);
  const colours = bands < 3 ? [0, 0, 0] : [0, 1, 2];
  for (let pixel = 0; pixel < width * height; pixel++) {
    for (const [i, band] of colours.entries()) out[pixel * 4 + i] = data[pixel * bands + band]!;
    out[pixel * 4 + 3] = bands % 2 === 0 ? data[pixel * bands + bands - 1]! : full;
  }
  return { width, height, data: out };
}
