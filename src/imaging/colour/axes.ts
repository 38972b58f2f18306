// Division of device space by a profile's table: a curve for each channel and a number of nodes. A grid of
// ours that follows it has errors only where colours bend, not where the table does.

import { type Curve, curveBytes, readCurve } from "./curves.ts";
import type { Profile } from "./icc.ts";

/**
 * For each channel, a rising curve from a device value to a position on its axis, 0 to 1, and the nodes along
 * that axis.
 */
export interface Axes {
  readonly curves: readonly Curve[];
  readonly nodes: number;
}

/** The tables of a profile in the order in which Little CMS prefers them for colorimetric intent. */
const names = ["A2B1", "A2B0"];

/**
 * Returns the axes of the table that will be used; undefined if they cannot be found, which only costs
 * accuracy.
 */
export function readAxes(bytes: Uint8Array, { tags }: Profile, channels: number): Axes | undefined {
  if (tags.has("D2B1") || tags.has("D2B0")) return undefined;
  const tag = tags.get(names.find((name) => tags.has(name)) ?? "");
  if (!tag) return undefined;
  const body = bytes.subarray(tag.offset, tag.offset + tag.size);
  const type = String.fromCharCode(...body.subarray(0, 4));
  try {
    const axes = readers[type]?.(body, channels);
    return axes && axes.nodes >= 2 && axes.curves.every(isRising) ? axes : undefined;
  } catch (error) {
    if (error instanceof RangeError) return undefined; // an offset beyond the tag
    throw error;
  }
}

const readers: Readonly<Record<string, (body: Uint8Array, channels: number) => Axes | undefined>> = {
  /** lut8Type (ICC.1:2022, 10.11). */
  mft1: (body, channels) => ({
    nodes: body[10]!,
    curves: Array.from({ length: channels }, (_, channel) =>
      sampleCurve(256, (i) => body[48 + channel * 256 + i]! / 255),
    ),
  }),
  /** lut16Type (10.10). */
  mft2(body, channels) {
    const view = viewOf(body);
    const entries = view.getUint16(48);
    return {
      nodes: body[10]!,
      curves: Array.from({ length: channels }, (_, channel) =>
        sampleCurve(entries, (i) => view.getUint16(52 + (channel * entries + i) * 2) / 65535),
      ),
    };
  },
  /** lutAToBType (10.12): the A curves, which are consecutive and padded to four bytes. */
  "mAB ": (body, channels) => {
    const view = viewOf(body);
    const clut = view.getUint32(24);
    let at = view.getUint32(28);
    if (clut === 0 || at === 0) return undefined;
    const nodes = body[clut]!;
    const curves: Curve[] = [];
    for (let channel = 0; channel < channels; channel++) {
      const curve = readCurve(body.subarray(at));
      if (!curve || body[clut + channel] !== nodes) return undefined;
      curves.push(curve);
      at += Math.ceil(curveBytes(viewOf(body.subarray(at)))! / 4) * 4;
    }
    return { nodes, curves };
  },
};

const viewOf = (body: Uint8Array) => new DataView(body.buffer, body.byteOffset, body.length);

function sampleCurve(entries: number, value: (i: number) => number): Curve {
  const values = Float64Array.from({ length: entries }, (_, i) => value(i));
  return (x) => {
    const at = x * (entries - 1);
    const low = Math.min(entries - 2, Math.floor(at));
    return values[low]! + (values[low + 1]! - values[low]!) * (at - low);
  };
}

/** True if a curve rises all the way from 0 to 1, so that every position on its axis has a device value. */
function isRising(curve: Curve): boolean {
  if (Math.abs(curve(0)) > 1e-3 || Math.abs(curve(1) - 1) > 1e-3) return false;
  return Array.from({ length: 64 }, (_, i) => i / 64).every((x) => curve(x + 1 / 64) - curve(x) > 1e-4);
}

/** Returns the device value that a rising curve maps to `value`. */
export function invertAt(curve: Curve, value: number): number {
  let low = 0;
  let high = 1;
  for (let i = 0; i < 32; i++) {
    const middle = (low + high) / 2;
    if (curve(middle) < value) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
