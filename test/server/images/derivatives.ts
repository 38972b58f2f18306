// Responses of the application as pixels, read by another decoder, and measures between pictures.

import { expect } from "vitest";
import { type Reference, reference } from "../../imaging/codecs/reference.ts";
import type { Served } from "../../served.ts";

export type Picture = Reference;

/** Returns the pixels of an image response; fails with the problem's text if there is no image. */
export async function pixelsOf(app: Served, target: string): Promise<Picture> {
  const response = await app.get(target);
  if (response.status !== 200)
    expect.fail(`${target} is ${response.status}: ${(await response.text()).slice(0, 400)}`);
  return reference(new Uint8Array(await response.arrayBuffer()));
}

/** The image information of an identifier under a version. */
export async function informationOf(app: Served, version: 2 | 3, identifier: string): Promise<Information> {
  const response = await app.get(`/iiif/${version}/${encodeURIComponent(identifier)}/info.json`);
  if (response.status !== 200)
    expect.fail(`info.json of ${identifier} is ${response.status}: ${(await response.text()).slice(0, 400)}`);
  return (await response.json()) as Information;
}

export interface Information {
  readonly width: number;
  readonly height: number;
  readonly tiles: readonly { readonly width: number; readonly scaleFactors: readonly number[] }[];
}

/** A part of a picture. */
export function cut(picture: Picture, x: number, y: number, width: number, height: number): Picture {
  const data = new (picture.data.constructor as Uint8ArrayConstructor)(width * height * picture.bands);
  for (let row = 0; row < height; row++) {
    const from = ((y + row) * picture.width + x) * picture.bands;
    data.set(picture.data.subarray(from, from + width * picture.bands), row * width * picture.bands);
  }
  return { width, height, bands: picture.bands, data };
}

/** Mean and largest difference of two pictures of the same shape. */
export function difference(a: Picture, b: Picture): { readonly mean: number; readonly largest: number } {
  expect([a.width, a.height, a.bands]).toEqual([b.width, b.height, b.bands]);
  let [sum, largest] = [0, 0];
  for (let p = 0; p < a.data.length; p++) {
    const d = Math.abs(a.data[p]! - b.data[p]!);
    sum += d;
    if (d > largest) largest = d;
  }
  return { mean: sum / a.data.length, largest };
}
