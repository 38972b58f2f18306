// Tone curves of profiles: curveType and parametricCurveType (ICC.1:2022, 10.6 and 10.18).

/** A device value to linear light (or the reverse), both 0 to 1. */
export type Curve = (value: number) => number;

const clamp = (value: number) => (value > 0 ? Math.min(value, 1) : 0);

/** By function type of parametricCurveType: how many parameters there are, and what they mean (table 67). */
const parametric: readonly { readonly count: number; readonly curve: (p: readonly number[]) => Curve }[] = [
  {
    count: 1,
    curve:
      ([g = 1]) =>
      (x) =>
        x ** g,
  },
  {
    count: 3,
    curve:
      ([g = 1, a = 1, b = 0]) =>
      (x) =>
        a * x + b > 0 ? (a * x + b) ** g : 0,
  },
  {
    count: 4,
    curve:
      ([g = 1, a = 1, b = 0, c = 0]) =>
      (x) =>
        a * x + b > 0 ? (a * x + b) ** g + c : c,
  },
  {
    count: 5,
    curve:
      ([g = 1, a = 1, b = 0, c = 0, d = 0]) =>
      (x) =>
        x >= d ? (a * x + b) ** g : c * x,
  },
  {
    count: 7,
    curve:
      ([g = 1, a = 1, b = 0, c = 0, d = 0, e = 0, f = 0]) =>
      (x) =>
        x >= d ? (a * x + b) ** g + e : c * x + f,
  },
];

/** The curve of a tag's bytes; undefined where they are none. */
export function readCurve(tag: Uint8Array): Curve | undefined {
  if (tag.length < 12) return undefined;
  const view = new DataView(tag.buffer, tag.byteOffset, tag.length);
  const type = view.getUint32(0);
  if (type === 0x63757276) return readTable(view); // curv
  if (type !== 0x70617261) return undefined; // para
  const row = parametric[view.getUint16(8)];
  if (!row || tag.length < 12 + row.count * 4) return undefined;
  const curve = row.curve(Array.from({ length: row.count }, (_, i) => view.getInt32(12 + i * 4) / 65536));
  return (x) => clamp(curve(x));
}

function readTable(view: DataView): Curve | undefined {
  const count = view.getUint32(8);
  if (count === 0) return (x) => x;
  if (view.byteLength < 12 + count * 2) return undefined;
  if (count === 1) {
    const gamma = view.getUint16(12) / 256;
    return (x) => x ** gamma;
  }
  const values = Float64Array.from({ length: count }, (_, i) => view.getUint16(12 + i * 2) / 65535);
  const last = count - 1;
  return (x) => {
    const at = Math.min(last, Math.max(0, x * last));
    const low = Math.min(last - 1, Math.floor(at));
    return values[low]! + (values[low + 1]! - values[low]!) * (at - low);
  };
}
