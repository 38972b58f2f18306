// Writes small profiles of our own: red, green and blue, or gray, by primaries and a tone curve (ICC.1:2022,
// version 4.4; 8.3, 8.5 and 10).

import { adaptation, d50, type Primaries, toXyz } from "./matrix.ts";
import { srgbPrimaries } from "./srgb.ts";

/** A tone curve as parameters of ICC.1:2022 table 67: g alone, or g, a, b, c, d of function type 3. */
export type CurveParameters =
  | readonly [g: number]
  | readonly [g: number, a: number, b: number, c: number, d: number];

/** The curve of IEC 61966-2-1. */
export const srgbCurve: CurveParameters = [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045];

/**
 * A display profile of these primaries and this curve for all three. Throws RangeError for primaries that
 * span no space.
 */
export function rgbProfile(
  name: string,
  primaries: Primaries,
  curve: CurveParameters | Uint16Array,
): Uint8Array {
  const matrix = toXyz(primaries);
  if (!matrix) throw new RangeError("expected primaries that span a space, received others");
  const column = (i: number) => numbers("XYZ ", [matrix[i]!, matrix[i + 3]!, matrix[i + 6]!]);
  const tone = curveTag(curve);
  return profile("RGB ", [
    ...descriptiveTags(name),
    ["chad", numbers("sf32", adaptation(primaries.white))],
    ["rXYZ", column(0)],
    ["gXYZ", column(1)],
    ["bXYZ", column(2)],
    ["rTRC", tone],
    ["gTRC", tone],
    ["bTRC", tone],
  ]);
}

/** A gray profile of this curve. */
export function grayProfile(name: string, curve: CurveParameters | Uint16Array): Uint8Array {
  return profile("GRAY", [...descriptiveTags(name), ["kTRC", curveTag(curve)]]);
}

let srgb: Uint8Array | undefined;

/** The profile of derivatives: sRGB in 480 bytes. Must not be modified. */
export function srgbProfile(): Uint8Array {
  return (srgb ??= rgbProfile("sRGB", srgbPrimaries, srgbCurve));
}

type Tag = readonly [signature: string, body: Uint8Array];

const descriptiveTags = (name: string): Tag[] => [
  ["desc", text(name)],
  ["cprt", text("CC0")],
  ["wtpt", numbers("XYZ ", d50)],
];

/** multiLocalizedUnicodeType with one English record (10.15). */
function text(value: string): Uint8Array {
  const body = new DataView(new ArrayBuffer(28 + value.length * 2));
  signature(body, 0, "mluc");
  body.setUint32(8, 1);
  body.setUint32(12, 12);
  signature(body, 16, "enUS");
  body.setUint32(20, value.length * 2);
  body.setUint32(24, 28);
  for (let i = 0; i < value.length; i++) body.setUint16(28 + i * 2, value.charCodeAt(i));
  return new Uint8Array(body.buffer);
}

/** A type that is a list of s15Fixed16Number: XYZType (10.31), s15Fixed16ArrayType (10.22). */
function numbers(type: string, values: readonly number[], head = 8): Uint8Array {
  const body = new DataView(new ArrayBuffer(head + values.length * 4));
  signature(body, 0, type);
  writeFixed(body, head, values);
  return new Uint8Array(body.buffer);
}

/** parametricCurveType (10.18), or curveType (10.6) for a table of values. */
function curveTag(curve: CurveParameters | Uint16Array): Uint8Array {
  if (curve instanceof Uint16Array) {
    const table = new DataView(new ArrayBuffer(12 + 2 * curve.length));
    signature(table, 0, "curv");
    table.setUint32(8, curve.length);
    for (const [i, value] of curve.entries()) table.setUint16(12 + 2 * i, value);
    return new Uint8Array(table.buffer);
  }
  const body = numbers("para", curve, 12);
  body[9] = curve.length === 1 ? 0 : 3;
  return body;
}

/** Header and tag table (7.2, 7.3); equal bodies are stored once. */
function profile(space: "RGB " | "GRAY", tags: readonly Tag[]): Uint8Array {
  const bodies = [...new Set(tags.map(([, body]) => body))];
  const starts = new Map<Uint8Array, number>();
  let size = 132 + tags.length * 12;
  for (const body of bodies) {
    starts.set(body, size);
    size += Math.ceil(body.length / 4) * 4;
  }
  const bytes = new Uint8Array(size);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, size);
  view.setUint32(8, 0x04400000);
  signature(view, 12, "mntr");
  signature(view, 16, space);
  signature(view, 20, "XYZ ");
  view.setUint16(24, 2024);
  view.setUint16(26, 1);
  view.setUint16(28, 1);
  signature(view, 36, "acsp");
  writeFixed(view, 68, d50);
  view.setUint32(128, tags.length);
  tags.forEach(([name, body], i) => {
    const at = 132 + i * 12;
    signature(view, at, name);
    view.setUint32(at + 4, starts.get(body)!);
    view.setUint32(at + 8, body.length);
  });
  for (const [body, start] of starts) bytes.set(body, start);
  return bytes;
}

/** Consecutive values of s15Fixed16Number (4.6). */
function writeFixed(view: DataView, at: number, values: readonly number[]): void {
  for (const [i, value] of values.entries()) view.setInt32(at + i * 4, Math.round(value * 65536));
}

function signature(view: DataView, at: number, four: string): void {
  for (let i = 0; i < 4; i++) view.setUint8(at + i, four.charCodeAt(i));
}
