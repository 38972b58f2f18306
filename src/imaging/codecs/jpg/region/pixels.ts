// Decodes regions as planes, or as interleaved pixels the way libjpeg makes them: chroma upsampled, colours
// converted.

import type { PixelBuffer } from "../../../pipeline/pixels.ts";
import { allocateOrThrow } from "../../allocate.ts";
import type { Rectangle } from "../../image-header.ts";
import type { Frame } from "../markers/frame.ts";
import { type Engine, slack } from "./engine.ts";
import {
  type ChromaSize,
  type ComponentWindow,
  componentWindow,
  type ScaleFactor,
  scaledRegion,
  type WindowOptions,
} from "./geometry.ts";
import { type MemoryPlane, paddedStride, planesSize, type WindowDecoder } from "./region.ts";

/** One component of a region, at its decoded resolution. */
export interface Plane {
  readonly width: number;
  readonly height: number;
  /** Bytes from one row to the next; at least 32 more than the width. */
  readonly stride: number;
  readonly data: Uint8Array;
  /** Position of its first sample, counted from the image's corner at this resolution. */
  readonly left: number;
  readonly top: number;
  /** Pixels (at the scale) per sample: 2 for chroma of 4:2:0. Fractional for some samplings. */
  readonly pixelsAcross: number;
  readonly pixelsDown: number;
}

/** Planes that take more bytes than this are decoded in bands. */
const bandBytes = 8 << 20;
const stripBytes = 256 * 1024;

/** Returns the windows of all components for the pixels `out` at a scale. */
function windowsOf(
  frame: Frame,
  out: Rectangle,
  scale: ScaleFactor,
  options: WindowOptions,
): ComponentWindow[] {
  return frame.components.map((_, i) => componentWindow(frame, i, out, scale, options));
}

interface Band {
  readonly out: Rectangle;
  readonly windows: readonly ComponentWindow[];
}

/** Divides a region into as many bands as memory requires, of whole MCU rows if possible. */
function* bandsOf(frame: Frame, out: Rectangle, scale: ScaleFactor, options: WindowOptions): Generator<Band> {
  const whole = windowsOf(frame, out, scale, options);
  const mcuHeight = Math.max(1, (8 * frame.vMax) / scale);
  const perRow = planesSize(whole) / out.height;
  const rows = Math.max(1, Math.floor(bandBytes / perRow / mcuHeight)) * mcuHeight;
  const bottom = out.y + out.height;
  for (let top = out.y; top < bottom; ) {
    const next = Math.min(bottom, Math.floor(top / mcuHeight) * mcuHeight + rows);
    const band = { ...out, y: top, height: next - top };
    yield { out: band, windows: windowsOf(frame, band, scale, options) };
    top = next;
  }
}

/**
 * Yields all windows that {@link decodePixels} or {@link withPlanes} would decode, for callers that read
 * ahead.
 */
export function* regionWindows(
  frame: Frame,
  region: Rectangle,
  scale: ScaleFactor,
  as: "pixels" | "planes",
): Generator<readonly ComponentWindow[]> {
  const options = as === "pixels" ? pixelOptions : planeOptions;
  for (const { windows } of bandsOf(frame, scaledRegion(region, scale), scale, options)) yield windows;
}

/** True if {@link decodePixels} decodes a region at one go. */
export const isOneBand = (frame: Frame, region: Rectangle, scale: ScaleFactor): boolean =>
  planesSize(windowsOf(frame, scaledRegion(region, scale), scale, pixelOptions)) <= bandBytes;

const pixelOptions: WindowOptions = { chroma: "full", margin: true };
const planeOptions: WindowOptions = { chroma: "stored", margin: false };

/**
 * Decodes the components of a region as stored, without upsampling, and returns the result of `use`. `use`
 * must not wait: most planes are in the decoder's own memory, which the next call overwrites.
 */
export async function withPlanes<T>(
  decoder: WindowDecoder,
  region: Rectangle,
  scale: ScaleFactor,
  chroma: Exclude<ChromaSize, "full">,
  use: (planes: readonly Plane[]) => T,
): Promise<T> {
  const { frame, engine } = decoder;
  const out = scaledRegion(region, scale);
  const options = { ...planeOptions, chroma };
  const bands = [...bandsOf(frame, out, scale, options)];
  if (bands.length === 1) {
    const [{ windows }] = bands as [Band];
    return decoder.decode(windows, scale, (decoded) =>
      use(
        windows.map((w, i) => {
          const { at, stride, left, top } = decoded[i]!;
          const start = at + (w.top - top) * stride + (w.left - left);
          const end = start + stride * (w.bottom - w.top) + slack;
          return planeOf(w, stride, engine.bytes().subarray(start, end));
        }),
      ),
    );
  }
  const planes = windowsOf(frame, out, scale, options).map((w): Plane => {
    const stride = paddedStride(w.right - w.left);
    return planeOf(w, stride, new Uint8Array(stride * (w.bottom - w.top) + slack));
  });
  for (const { windows } of bands)
    await decoder.decode(windows, scale, (decoded) => {
      const bytes = engine.bytes();
      planes.forEach(({ data, stride, left, top, width }, i) => {
        const w = windows[i]!;
        const from = decoded[i]!;
        for (let y = w.top; y < w.bottom; y++) {
          const row = from.at + (y - from.top) * from.stride + (left - from.left);
          data.set(bytes.subarray(row, row + width), (y - top) * stride);
        }
      });
    });
  return use(planes);
}

function planeOf(w: ComponentWindow, stride: number, data: Uint8Array): Plane {
  return {
    width: w.right - w.left,
    height: w.bottom - w.top,
    stride,
    data,
    left: w.left,
    top: w.top,
    pixelsAcross: w.outAcross / w.across,
    pixelsDown: w.outDown / w.down,
  };
}

const kinds = {
  gray: { bands: 1, interpretation: "gray", convert: 0 },
  ycc: { bands: 3, interpretation: "rgb", convert: 1 },
  rgb: { bands: 3, interpretation: "rgb", convert: 0 },
  cmyk: { bands: 4, interpretation: "cmyk", convert: 0 },
  ycck: { bands: 4, interpretation: "cmyk", convert: 1 },
} as const;

/**
 * Decodes a region as gray, RGB or CMYK (0 is no ink), rows without padding. Stored chroma is upsampled at
 * every scale as at 1/1.
 */
export async function decodePixels(
  decoder: WindowDecoder,
  region: Rectangle,
  scale: ScaleFactor,
  chroma: "full" | "stored" = "full",
): Promise<PixelBuffer & { readonly data: Uint8Array }> {
  const { frame } = decoder;
  const options = { ...pixelOptions, chroma };
  const { bands, interpretation } = kinds[frame.colour];
  const out = scaledRegion(region, scale);
  const data = allocateOrThrow(() => new Uint8Array(out.width * out.height * bands));
  for (const band of bandsOf(frame, out, scale, options)) {
    const target = data.subarray((band.out.y - out.y) * out.width * bands);
    await decoder.decode(band.windows, scale, (planes, free) => {
      interleave(decoder.engine, frame, band, { planes, free }, target);
    });
  }
  return { width: out.width, height: out.height, bands, interpretation, data };
}

/** Upsamples, converts and interleaves the rows of a band, a strip of rows at a time. */
function interleave(
  engine: Engine,
  frame: Frame,
  { out, windows }: Band,
  { planes, free }: { readonly planes: readonly MemoryPlane[]; readonly free: number },
  target: Uint8Array,
): void {
  const { bands, convert } = kinds[frame.colour];
  const rowRoom = 2 * slack + 2 * Math.max(...planes.map(({ width }) => width), out.width);
  const strip = free + planes.length * rowRoom;
  const rowBytes = out.width * bands;
  const stripRows = Math.min(out.height, Math.max(1, Math.floor(stripBytes / rowBytes)));
  engine.reserve(strip + stripRows * rowBytes + slack);
  const bytes = engine.bytes();
  const flip = bands === 4 ? 255 : 0;
  const rows = windows.map((w, i) => rowMaker(engine, w, planes[i]!, free + i * rowRoom + slack, out));

  if (bands === 1) {
    for (let y = 0; y < out.height; y++) {
      const at = rows[0]!(out.y + y);
      target.set(bytes.subarray(at, at + rowBytes), y * rowBytes);
    }
    return;
  }
  for (let top = 0; top < out.height; top += stripRows) {
    const count = Math.min(stripRows, out.height - top);
    for (let y = 0; y < count; y++) {
      const [a = 0, b = 0, c = 0, d = 0] = rows.map((row) => row(out.y + top + y));
      engine.run.colourRow(a, b, c, d, strip + y * rowBytes, out.width, convert, flip);
    }
    target.set(bytes.subarray(strip, strip + count * rowBytes), top * rowBytes);
  }
}

/**
 * Returns a function from a pixel row to the position of a component's samples, one for each pixel of `out`.
 */
function rowMaker(
  engine: Engine,
  w: ComponentWindow,
  plane: MemoryPlane,
  buffer: number,
  out: Rectangle,
): (y: number) => number {
  const { run } = engine;
  const offsetOf = (row: number) => plane.at + (row - plane.top) * plane.stride;
  const clamp = (row: number) => Math.max(0, Math.min(w.height - 1, row));
  const nearRow = (y: number) => clamp(y >> 1);
  const far = (y: number) => clamp((y >> 1) + (y & 1 ? 1 : -1));
  const count = Math.min(w.blockBottom * w.edge, w.height) - plane.top;
  if (w.upsampling !== "none") run.extendRows(plane.at, plane.stride, count, plane.width);
  const inDoubled = buffer + out.x - 2 * plane.left;
  const ways: Record<ComponentWindow["upsampling"], (y: number) => number> = {
    none: (y) => offsetOf(y) + out.x - plane.left,
    across(y) {
      run.doubleAcross(offsetOf(y), plane.width, buffer);
      return inDoubled;
    },
    both(y) {
      run.doubleBoth(offsetOf(nearRow(y)), offsetOf(far(y)), plane.width, buffer);
      return inDoubled;
    },
    down(y) {
      run.doubleDown(offsetOf(nearRow(y)), offsetOf(far(y)), plane.width, buffer, y & 1 ? 2 : 1);
      return buffer + out.x - plane.left;
    },
    repeat(y) {
      const row = offsetOf(clamp(Math.floor((y * w.down) / w.outDown)));
      run.repeatAcross(row, buffer, out.width, out.x, w.across, w.outAcross, plane.left);
      return buffer;
    },
  };
  return ways[w.upsampling];
}
