// Marker segments as bytes (ITU-T T.81, annex B; JFIF 1.02; Adobe TN 5116). All code that writes a JPEG
// header uses these functions.

import { marker } from "./walk.ts";

export const startOfImage = [0xff, marker.soi] as const;
export const endOfImage = [0xff, marker.eoi] as const;

/** Returns a number as two bytes. */
export const word = (value: number) => [(value >> 8) & 255, value & 255] as const;

/** Returns the marker and length field of a segment with `bytes` bytes of parameters. */
export const segmentStart = (code: number, bytes: number) => [0xff, code, ...word(bytes + 2)] as const;

export function segment(code: number, body: readonly number[]): number[] {
  return [...segmentStart(code, body.length), ...body];
}

export const ascii = (text: string) => [...text].map((letter) => letter.charCodeAt(0));

/** JFIF's units, Xdensity and Ydensity for square pixels without a unit. */
const noDensity: readonly number[] = [0, 0, 1, 0, 1];

/** Returns a JFIF segment. `density`: units, Xdensity and Ydensity, 5 bytes. */
export function jfifSegment(density = noDensity): number[] {
  return segment(marker.app0, [...ascii("JFIF\0"), 1, 1, ...density, 0, 0]);
}

/** Returns an Adobe segment. `transform`: 0 none, 1 YCbCr, 2 YCCK. */
export function adobeSegment(transform: number): number[] {
  return segment(marker.app14, [...ascii("Adobe"), 0, 100, 0, 0, 0, 0, transform]);
}

/**
 * Returns a DQT segment. `table`: 64 values in zigzag order, written as two bytes each if one of them exceeds
 * 255.
 */
export function quantisationSegment(selector: number, table: ArrayLike<number>): number[] {
  const values = Array.from(table);
  const wide = values.some((value) => value > 255);
  return segment(marker.dqt, [wide ? 16 + selector : selector, ...(wide ? values.flatMap(word) : values)]);
}

/** Returns a DHT segment. `definition`: 16 counts of codes by length, then the symbols. */
export function huffmanSegment(kind: "dc" | "ac", selector: number, definition: Iterable<number>): number[] {
  return segment(marker.dht, [(kind === "ac" ? 16 : 0) + selector, ...definition]);
}

export interface WrittenComponent {
  readonly id: number;
  readonly h: number;
  readonly v: number;
  readonly quantSelector: number;
}

/** Returns a frame header for samples of 8 bits; `code` is the second byte of its marker. */
export function frameSegment(
  code: number,
  { width, height }: { readonly width: number; readonly height: number },
  components: readonly WrittenComponent[],
): number[] {
  return segment(code, [
    8,
    ...word(height),
    ...word(width),
    components.length,
    ...components.flatMap(frameFields),
  ]);
}

const frameFields = ({ id, h, v, quantSelector }: WrittenComponent) => [id, h * 16 + v, quantSelector];

/** Returns the header of a sequential scan: all coefficients at full precision. */
export function scanSegment(components: readonly ScannedComponent[]): number[] {
  return segment(marker.sos, [components.length, ...components.flatMap(scanFields), ...[0, 63, 0]]);
}

interface ScannedComponent {
  readonly id: number;
  readonly dcSelector: number;
  readonly acSelector: number;
}

const scanFields = ({ id, dcSelector, acSelector }: ScannedComponent) => [id, dcSelector * 16 + acSelector];
