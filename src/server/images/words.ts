// Values of facts as text for people.

import { formatSize } from "../../base/index.ts";

/** Returns milliseconds as text, rounded to a useful precision. */
export function msText(ms: number): string {
  if (ms < 1) return "under 1 ms";
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;
}

export const bytesText = (bytes: number): string => formatSize(bytes);

export const sizeText = ({ width, height }: { readonly width: number; readonly height: number }): string =>
  `${width.toLocaleString("en")} × ${height.toLocaleString("en")}`;

/** Returns a number of pixels as text: `1,000 megapixels`, `1 megapixel`, `9,216 pixels`. */
export function pixelsText(pixels: number): string {
  const megapixels = pixels / 1e6;
  if (megapixels >= 0.1) {
    const number = megapixels.toLocaleString("en", { maximumFractionDigits: megapixels < 100 ? 1 : 0 });
    return `${number} megapixel${number === "1" ? "" : "s"}`;
  }
  return `${pixels.toLocaleString("en")} pixel${pixels === 1 ? "" : "s"}`;
}

/** Returns an area and the limit that it exceeds; to the pixel if they would look equal otherwise. */
export function exceedingTexts(area: number, limit: number): readonly [area: string, limit: string] {
  const rounded = [pixelsText(area), pixelsText(limit)] as const;
  if (rounded[0] !== rounded[1]) return rounded;
  return [`${area.toLocaleString("en")} pixels`, limit.toLocaleString("en")];
}

/** Returns a time (milliseconds since 1970) in the form `2026-11-25 01:31 UTC`. */
export const timeText = (at: number): string =>
  `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`;

export const yesNo = (value: boolean): string => (value ? "yes" : "no");

/** Returns the values as text; equal ones as their number and value. */
export const eachText = (values: readonly number[]): string =>
  new Set(values).size === 1 && values.length > 1 ? `${values.length} × ${values[0]}` : values.join(", ");
