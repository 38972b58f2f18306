// The colour difference CIEDE2000, from bench/lib/delta-e.mjs.

export type Triple = readonly number[];

const measures = (await import("../../../bench/lib/delta-e.mjs" as string)) as {
  deltaE2000(a: Triple, b: Triple): number;
  labOf(xyz: Triple): [number, number, number];
  labOfSrgb(rgb: Triple): [number, number, number];
};

/** Between two colours as [L*, a*, b*]; that of XYZ relative to a white, and of encoded sRGB. */
export const { deltaE2000, labOf, labOfSrgb } = measures;

/** Between two colours as encoded sRGB, 0 to 255 each. */
export const srgbDifference = (a: Triple, b: Triple): number =>
  deltaE2000(measures.labOfSrgb(a), measures.labOfSrgb(b));
