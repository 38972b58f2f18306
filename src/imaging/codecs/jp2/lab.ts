// CIELab in JP2 files (ITU-T T.801, M.11.7.4).

/** Range and offset of L*, a* and b*: a value is range * (sample - offset) / (2^bits - 1). */
export interface LabCoding {
  /** Undefined for the defaults. */
  readonly axes?: readonly LabAxis[];
  /** Chromaticity of the white point; undefined for D50. */
  readonly white?: readonly [x: number, y: number];
  /** The illuminant if it is unknown. */
  readonly unknownWhite?: true;
}

export interface LabAxis {
  readonly range: number;
  readonly offset: number;
}

/** Bytes of the optional fields after the number of the colour space. */
export const labFields = 28;

/** Illuminants by number, with their chromaticities (CIE 15:2004 tables T.3 and T.8.1). D50 is usual. */
const whites: Readonly<Record<number, readonly [x: number, y: number] | "usual">> = {
  4470064: "usual",
  4470325: [0.31272, 0.32903],
  4470581: [0.29902, 0.31485],
  21313: [0.44758, 0.40745],
  21315: [0.31006, 0.31616],
  17970: [0.3721, 0.3751],
  17975: [0.3129, 0.3292],
  4600113: [0.3805, 0.3769],
};

/** Reads a colr box from its beginning; undefined if it ends after the number of the colour space. */
export function readLab(box: DataView | undefined): LabCoding {
  if (!box) return {};
  const field = (n: number) => box.getUint32(7 + 4 * n);
  const axes = [0, 2, 4].map((n) => ({ range: field(n), offset: field(n + 1) }));
  const white = whites[field(6)];
  if (!white) return { axes, unknownWhite: true };
  return { axes, ...(white !== "usual" && { white }) };
}

/** Default ranges, and offsets in parts of 2^bits. */
const usual = [
  { range: 100, offset: 0 },
  { range: 170, offset: 1 / 2 },
  { range: 200, offset: 3 / 8 },
] as const;

/** Offset added to a value of an axis, and the range that the sum is divided by, in interpretation `lab`. */
export const labScales = [
  [0, 100],
  [128, 255],
  [128, 255],
] as const;

/** Returns the values of samples of `bits` bits of an axis (0 to 2), scaled to 0 to `full` and clipped. */
export function labTable({ axes }: LabCoding, axis: 0 | 1 | 2, bits: number, full: number): Uint16Array {
  const { range, offset } = axes?.[axis] ?? {
    range: usual[axis].range,
    offset: usual[axis].offset * 2 ** bits,
  };
  const [add, all] = labScales[axis];
  return Uint16Array.from({ length: 2 ** bits }, (_, sample) => {
    const value = (range * (sample - offset)) / (2 ** bits - 1);
    return Math.round(Math.max(0, Math.min(1, (value + add) / all)) * full);
  });
}
