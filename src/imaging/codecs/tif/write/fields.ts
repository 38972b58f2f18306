// Fields that all written files have in common.

import { hasAlpha, type PixelBuffer } from "../../../pipeline/pixels.ts";
import type { Resolution } from "../../image-header.ts";
import { tags } from "../directory/tags.ts";
import { type Field, rationalStep } from "./directories.ts";

const dpi72 = 72 / 2.54;

/** Returns the fields about the samples of a pixel, all of which lie together; alpha is unassociated. */
export function sampleFields(pixels: PixelBuffer): Field[] {
  const { bands, data } = pixels;
  const depth = 8 * data.BYTES_PER_ELEMENT;
  return [
    { tag: tags.BitsPerSample, type: "short", values: new Array<number>(bands).fill(depth) },
    { tag: tags.SamplesPerPixel, type: "short", values: [bands] },
    { tag: tags.PlanarConfiguration, type: "short", values: [1] }, // chunky
    ...(hasAlpha(pixels) ? [{ tag: tags.ExtraSamples, type: "short", values: [2] } as const] : []),
  ];
}

/** Returns the fields of a resolution in pixels per centimetre, by default 72 dpi. */
export function resolutionFields({ x, y }: Resolution = { x: dpi72, y: dpi72 }): Field[] {
  return [
    { tag: tags.XResolution, type: "rational", values: [Math.max(rationalStep, x)] },
    { tag: tags.YResolution, type: "rational", values: [Math.max(rationalStep, y)] },
    { tag: tags.ResolutionUnit, type: "short", values: [3] }, // centimetre
  ];
}

/** Fields of blocks in deflate, with samples from {@link differences}. */
export const deflateFields: readonly Field[] = [
  { tag: tags.Compression, type: "short", values: [8] }, // of Adobe
  { tag: tags.Predictor, type: "short", values: [2] }, // horizontal differencing
];
