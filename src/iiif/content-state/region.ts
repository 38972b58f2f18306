// Regions of a canvas in fragments (Media Fragments URI 1.0, section 4.2.2).

/** In pixels of the canvas, or in percent of it. */
export interface Region {
  readonly unit: "pixel" | "percent";
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

const form = /^(?:(pixel|percent):)?(\d+(?:\.\d+)?),(\d+(?:\.\d+)?),(\d+(?:\.\d+)?),(\d+(?:\.\d+)?)$/;

/** Parses the value of `xywh`; undefined if it is invalid, empty, or not within 100 percent. */
export function parseRegion(text: string): Region | undefined {
  const [, unit = "pixel", ...numbers] = form.exec(text.trim()) ?? [];
  const [x = 0, y = 0, w = 0, h = 0] = numbers.map(Number);
  const isWithin = unit === "pixel" ? [x, y, w, h].every((n) => n <= 2 ** 31) : x + w <= 100 && y + h <= 100;
  return w > 0 && h > 0 && isWithin ? { unit: unit as Region["unit"], x, y, w, h } : undefined;
}

/** Formats the value of `xywh`, without the default unit, pixels. */
export function regionText({ unit, x, y, w, h }: Region): string {
  return `${unit === "percent" ? "percent:" : ""}${x},${y},${w},${h}`;
}

/**
 * Returns a region in pixels of a canvas of that size, clipped to its edges; undefined if no part of it is on
 * the canvas.
 */
export function pixelRegion(
  { unit, x, y, w, h }: Region,
  canvas: { readonly width: number; readonly height: number },
): Region | undefined {
  const [across, down] = unit === "percent" ? [canvas.width / 100, canvas.height / 100] : [1, 1];
  const left = Math.floor(x * across);
  const top = Math.floor(y * down);
  const right = Math.min(canvas.width, Math.ceil((x + w) * across));
  const bottom = Math.min(canvas.height, Math.ceil((y + h) * down));
  if (left >= right || top >= bottom) return undefined;
  return { unit: "pixel", x: left, y: top, w: right - left, h: bottom - top };
}
