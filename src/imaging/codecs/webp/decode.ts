// Decodes WebP pixels with libwebp: still pictures, and animation frames composed on their canvas (WebP
// Container Specification, "Animation" and "Assembling the Canvas").

import createDecoder from "@jsquash/webp/codec/dec/webp_dec.js";
import { ImagingError, memoryBytes } from "../../../base/index.ts";
import type { PixelBuffer } from "../../pipeline/pixels.ts";
import type { CodecHost } from "../codec.ts";
import { damagedWebp } from "../damaged.ts";
import type { Rectangle } from "../image-header.ts";
import { emscriptenOptions } from "../instance.ts";
import type { MasterPage } from "../plan.ts";
import { drawnArea } from "../pyramid/drawn.ts";
import { type Container, clearPixel, type Frame, readContainer, shownFrames } from "./header.ts";

/** RGBA, not premultiplied. */
export interface Rgba {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

/** Maximum pixels decoded to compose one frame: 16 canvases of 4 megapixels, or many small ones. */
const composeLimit = 64 * 1024 * 1024;

/** Decodes a still WebP file in memory to RGBA. Throws ImagingError `decode`. */
export type DecodeStill = (file: Uint8Array) => Promise<Rgba>;

/**
 * Creates a decoder of the still pictures in one master: frames of an animation, or blocks of a TIFF. Its
 * instance is made for the first of them, and must not see another master.
 */
export function stillDecoder(host: CodecHost): DecodeStill {
  let instance: ReturnType<typeof createInstance> | undefined;
  return async (file) => {
    const decoder = await (instance ??= createInstance(host));
    let result: { width: number; height: number; data: Uint8ClampedArray } | null;
    try {
      result = decoder.decode(file as BufferSource);
    } catch (cause) {
      throw damagedWebp("the decoder stopped", cause);
    }
    if (!result) throw damagedWebp("the decoder refused it");
    const { data } = result;
    return {
      width: result.width,
      height: result.height,
      data: new Uint8Array(data.buffer, data.byteOffset, data.length),
    };
  };
}

function createInstance(host: CodecHost) {
  offerImageData();
  return createDecoder({
    ...emscriptenOptions(host.wasm("webp-decode")),
    locateFile: (name: string) => name, // never fetched; prevents the glue from using import.meta.url
  } as object);
}

/**
 * Throws ImagingError `decode` for a file that is shorter than its RIFF header says: libwebp decodes some of
 * those without an error.
 */
export function confirmWhole(file: Uint8Array): void {
  const declared = new DataView(file.buffer, file.byteOffset).getUint32(4, true) + 8;
  if (declared > file.length)
    throw damagedWebp(`its header announces ${declared} bytes, the file has ${file.length}`);
}

/** Decodes a page of a file in memory: of an animation, the area that its frames draw on. */
export async function decodePage(
  host: CodecHost,
  file: Uint8Array,
  { header, page }: MasterPage,
): Promise<Rgba> {
  const decodeStill = stillDecoder(host);
  const container = await readContainer(memoryBytes(file));
  confirmWhole(file);
  const { width, height, alpha, frames } = container;
  if (width !== header.width || height !== header.height || (alpha ? 4 : 3) !== header.bands)
    throw damagedWebp("its header is not the one read before");
  if (frames.length > 0) return compose(decodeStill, file, container, page, drawnArea(header));
  const whole = await decodeStill(file);
  if (whole.width !== width || whole.height !== height)
    throw damagedWebp(`its header says ${width}x${height}, the decoder gave ${whole.width}x${whole.height}`);
  return whole;
}

/** Returns the area of the canvas that frames draw on, while frame `page` is shown. */
async function compose(
  decodeStill: DecodeStill,
  file: Uint8Array,
  container: Container,
  page: number,
  { x, y, width, height }: Rectangle,
): Promise<Rgba> {
  const shown = shownFrames(container, page).map((frame) => ({ ...frame, x: frame.x - x, y: frame.y - y }));
  const work = shown.reduce((sum, frame) => sum + frame.width * frame.height, 0);
  if (shown.length > 1 && work > composeLimit)
    throw new ImagingError(
      "unsupported",
      `Frame ${page} of this WebP animation is built from ${shown.length} frames of ${work} pixels in total, more than the ${composeLimit} that are served; ask for an earlier frame.`,
    );

  const canvas = new Uint8Array(width * height * 4);
  // Without alpha the unfilled canvas shows the file's background colour; with alpha it is transparent.
  const clear = container.alpha ? clearPixel(container) : [...clearPixel(container), 255];
  fill(canvas, width, { x: 0, y: 0, width, height }, clear);
  let previous: Frame | undefined;
  for (const frame of shown) {
    if (previous?.dispose) fill(canvas, width, previous, clear);
    const pixels = await decodeStill(stillFile(file, frame));
    if (pixels.width !== frame.width || pixels.height !== frame.height)
      throw damagedWebp(
        `a frame of ${frame.width}x${frame.height} holds a picture of ${pixels.width}x${pixels.height}`,
      );
    lay(canvas, width, frame, pixels.data);
    previous = frame;
  }
  return { width, height, data: canvas };
}

/** Returns a frame's chunks as a separate file (extended format, so that an ALPH chunk is allowed). */
function stillFile(file: Uint8Array, frame: Frame): Uint8Array {
  if (frame.end > file.length) throw damagedWebp("a frame reaches beyond the end of the file");
  const body = file.subarray(frame.start, frame.end);
  const out = new Uint8Array(30 + body.length);
  const view = new DataView(out.buffer);
  const text = (at: number, word: string) => out.set(new TextEncoder().encode(word), at);
  text(0, "RIFF");
  view.setUint32(4, out.length - 8, true);
  text(8, "WEBPVP8X");
  view.setUint32(16, 10, true);
  out[20] = 0x10; // alpha is allowed; without ALPH it is opaque
  for (const [at, value] of [
    [24, frame.width - 1],
    [27, frame.height - 1],
  ] as const) {
    view.setUint16(at, value & 0xffff, true);
    out[at + 2] = value >> 16;
  }
  out.set(body, 30);
  return out;
}

function fill(canvas: Uint8Array, stride: number, area: Rectangle, colour: readonly number[]): void {
  for (let y = area.y; y < area.y + area.height; y++)
    for (let x = area.x; x < area.x + area.width; x++) canvas.set(colour, (y * stride + x) * 4);
}

/** Draws a frame on the canvas: source over destination, or replacing it. */
function lay(canvas: Uint8Array, stride: number, frame: Frame, source: Uint8Array): void {
  for (let y = 0; y < frame.height; y++) {
    let to = ((frame.y + y) * stride + frame.x) * 4;
    let from = y * frame.width * 4;
    for (let x = 0; x < frame.width; x++, to += 4, from += 4) {
      const alpha = source[from + 3] as number;
      if (!frame.blend || alpha === 255) {
        for (let c = 0; c < 4; c++) canvas[to + c] = source[from + c] as number;
      } else if (alpha > 0) {
        const under = ((canvas[to + 3] as number) * (255 - alpha)) / 255;
        const total = alpha + under;
        for (let c = 0; c < 3; c++)
          canvas[to + c] = Math.round(
            ((source[from + c] as number) * alpha + (canvas[to + c] as number) * under) / total,
          );
        canvas[to + 3] = Math.round(total);
      }
    }
  }
}

/** Returns a region of an image, without alpha if that has 3 bands. */
export function cropImage(whole: Rgba, region: Rectangle, bands: 3 | 4): PixelBuffer {
  const { x, y, width, height } = region;
  const data = new Uint8Array(width * height * bands);
  let to = 0;
  for (let row = y; row < y + height; row++) {
    let from = (row * whole.width + x) * 4;
    if (bands === 4) {
      data.set(whole.data.subarray(from, from + width * 4), to);
      to += width * 4;
      continue;
    }
    for (let n = 0; n < width; n++, from += 4) {
      data[to++] = whole.data[from] as number;
      data[to++] = whole.data[from + 1] as number;
      data[to++] = whole.data[from + 2] as number;
    }
  }
  return { width, height, bands, interpretation: "rgb", data };
}

/** The package returns an ImageData; runtimes without a canvas do not have that class. */
function offerImageData(): void {
  const scope = globalThis as { ImageData?: unknown };
  scope.ImageData ??= class {
    readonly data: Uint8ClampedArray;
    readonly width: number;
    readonly height: number;
    constructor(data: Uint8ClampedArray, width: number, height: number) {
      this.data = data;
      this.width = width;
      this.height = height;
    }
  };
}
