// Tone curves of profiles: curveType and parametricCurveType (ICC.1:2022, 10.6 and 10.18).

/** A device value to linear light (or the reverse), both 0 to 1. */
export type Curve = (value: number) => number;

const clamp = (value: number) => (value > 0 ? Math.min(value, 1) : 0);
/** 0 for negative bases, of which a power is no number. */
const power = (base: number, exponent: number) => (base > 0 ? base ** exponent : 0);

/** By function type of parametricCurveType: number and meaning of parameters (table 67). */
const parametric: readonly { readonly count: number; readonly curve: (p: readonly number[]) => Curve }[] = [
  {
    count: 1,
    curve:
      ([g = 1]) =>
      (x) =>
        power(x, g),
  },
  {
    count: 3,
    curve:
      ([g = 1, a = 1, b = 0]) =>
      (x) =>
        power(a * x + b, g),
  },
  {
    count: 4,
    curve:
      ([g = 1, a = 1, b = 0, c = 0]) =>
      (x) =>
        power(a * x + b, g) + c,
  },
  {
    count: 5,
    curve:
      ([g = 1, a = 1, b = 0, c = 0, d = 0]) =>
      (x) =>
        x >= d ? power(a * x + b, g) : c * x,
  },
  {
    count: 7,
    curve:
      ([g = 1, a = 1, b = 0, c = 0, d = 0, e = 0, f = 0]) =>
      (x) =>
        x >= d ? power(a * x + b, g) + e : c * x + f,
  },
];

/** curveType and parametricCurveType. */
const signatures = { table: 0x63757276, parametric: 0x70617261 } as const;

/** Returns the size of a curve in bytes, by its first twelve; undefined if they begin none. */
export function curveBytes(head: DataView): number | undefined {
  const signature = head.getUint32(0);
  if (signature === signatures.table) return 12 + head.getUint32(8) * 2;
  const row = signature === signatures.parametric ? parametric[head.getUint16(8)] : undefined;
  return row && 12 + row.count * 4;
}

/** Parses the curve of a tag; undefined if it is none. */
export function readCurve(tag: Uint8Array): Curve | undefined {
  if (tag.length < 12) return undefined;
  const view = new DataView(tag.buffer, tag.byteOffset, tag.length);
  const bytes = curveBytes(view);
  if (!bytes || tag.length < bytes) return undefined;
  if (view.getUint32(0) === signatures.table) return readTable(view);
  const row = parametric[view.getUint16(8)]!;
  const curve = row.curve(Array.from({ length: row.count }, (_, i) => view.getInt32(12 + i * 4) / 65536));
  return (x) => clamp(curve(x));
}

/** Returns the curve of a tag's bytes if it can be the tone curve of a device; else undefined. */
export function readToneCurve(tag: Uint8Array): Curve | undefined {
  const curve = readCurve(tag);
  return curve && isTone(curve) ? curve : undefined;
}

const toneSteps = 1024;
/**
 * The minimum rise from one end to the other (a negative's falls), the maximum reversal on the way, which
 * noise in measurements causes, and the minimum distance of the mean from black or white: a power of 24 has a
 * mean of 0.04, and devices have 1 to 3.
 */
const tone = { rise: 0.25, back: 0.1, mean: 0.04 } as const;

function isTone(curve: Curve): boolean {
  const values = Array.from({ length: toneSteps + 1 }, (_, i) => curve(i / toneSteps));
  const rise = values[toneSteps]! - values[0]!;
  let furthest = 0;
  let back = 0;
  let mean = 0;
  for (const value of values) {
    const way = (value - values[0]!) * Math.sign(rise);
    furthest = Math.max(furthest, way);
    back = Math.max(back, furthest - way);
    mean += value / values.length;
  }
  return Math.abs(rise) >= tone.rise && back <= tone.back && mean >= tone.mean && mean <= 1 - tone.mean;
}

function readTable(view: DataView): Curve {
  const count = view.getUint32(8);
  if (count === 0) return (x) => x;
  if (count === 1) {
    const gamma = view.getUint16(12) / 256;
    return (x) => power(x, gamma);
  }
  const values = Float64Array.from({ length: count }, (_, i) => view.getUint16(12 + i * 2) / 65535);
  const last = count - 1;
  return (x) => {
    const at = Math.min(last, Math.max(0, x * last));
    const low = Math.min(last - 1, Math.floor(at));
    return values[low]! + (values[low + 1]! - values[low]!) * (at - low);
  };
}
