// JPEG XL and JPEG files as libjxl and libjpeg-turbo show them.

import { converted, filtered } from "../../../kept.ts";

export interface Netpbm {
  readonly width: number;
  readonly height: number;
  readonly bands: 1 | 3;
  readonly data: Uint8Array;
}

function netpbm(file: Uint8Array): Netpbm {
  const text = Buffer.from(file.subarray(0, 64)).toString("latin1");
  const head = /^P([56])\s(\d+)\s(\d+)\s255\s/.exec(text);
  if (!head) throw new Error(`Expected PGM or PPM; received ${text.slice(0, 20)}`);
  const [all, kind, width, height] = head;
  return {
    width: Number(width),
    height: Number(height),
    bands: kind === "5" ? 1 : 3,
    data: file.subarray(all.length),
  };
}

/** Returns the pixels of a JPEG XL file. Throws if djxl refuses it. */
export const djxl = (jxl: Uint8Array): Netpbm =>
  netpbm(converted("djxl", ["in.jxl", "out.ppm"], { input: jxl, from: "in.jxl", to: "out.ppm" }));

/** Returns the picture in a JPEG XL file as a PNG, with its alpha. Throws if djxl refuses it. */
export const djxlPng = (jxl: Uint8Array): Uint8Array =>
  converted("djxl", ["in.jxl", "out.png"], { input: jxl, from: "in.jxl", to: "out.png" });

/** Returns what jxlinfo says of a JPEG XL file. */
export const jxlinfo = (jxl: Uint8Array): string =>
  Buffer.from(
    converted("sh", ["-c", "jxlinfo in.jxl >out.txt"], { input: jxl, from: "in.jxl", to: "out.txt" }),
  ).toString();

/** Returns the pixels of a JPEG file as the slow transform of libjpeg-turbo makes them, gray as RGB. */
export function djpeg(jpeg: Uint8Array): Netpbm {
  const file = filtered("djpeg", ["-dct", "int"], jpeg);
  if (!file) throw new Error("djpeg fails");
  const picture = netpbm(file);
  if (picture.bands === 3) return picture;
  return {
    ...picture,
    bands: 3,
    data: Uint8Array.from({ length: 3 * picture.data.length }, (_, at) => picture.data[Math.floor(at / 3)]!),
  };
}

/** Differences of two pictures of one size: their mean, the largest, and the share of those over 1. */
export function differences(one: Netpbm, other: Netpbm) {
  const sizes = [one, other].map(({ width, height, bands }) => `${width}x${height}x${bands}`);
  if (sizes[0] !== sizes[1]) throw new Error(`Expected one size; received ${sizes.join(" and ")}`);
  let [sum, largest, over] = [0, 0, 0];
  for (const [at, value] of one.data.entries()) {
    const difference = Math.abs(value - other.data[at]!);
    sum += difference;
    if (difference > largest) largest = difference;
    if (difference > 1) over++;
  }
  return { mean: sum / one.data.length, largest, over: over / one.data.length };
}
