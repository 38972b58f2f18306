// High dynamic range shown in standard dynamic range: curves from samples to the light of an ordinary
// display. Each band has the same curve, so that a profile of a matrix and curves can express it.

/** Light of white on an ordinary display, in cd/m2, and of diffuse white in HDR (ITU-R BT.2408, 2.2). */
const referenceWhite = 203;
/** Light that becomes white, in cd/m2: the peak that masters are usually graded for. */
const peak = 1000;
/** Values of a curve. */
const steps = 4096;

/** Constants of the perceptual quantizer (ITU-R BT.2100, table 4). */
const pq = {
  m1: 2610 / 16_384,
  m2: (2523 / 4096) * 128,
  c1: 3424 / 4096,
  c2: (2413 / 4096) * 32,
  c3: (2392 / 4096) * 32,
} as const;

/** Returns the light of a PQ sample, in cd/m2. */
export function pqToLight(sample: number): number {
  const root = sample ** (1 / pq.m2);
  return 10_000 * (Math.max(0, root - pq.c1) / (pq.c2 - pq.c3 * root)) ** (1 / pq.m1);
}

/** Returns the PQ sample, 0 to 1, of light in cd/m2. */
export function lightToPq(light: number): number {
  const power = (light / 10_000) ** pq.m1;
  return ((pq.c1 + pq.c2 * power) / (1 + pq.c3 * power)) ** pq.m2;
}

/** Returns the light of a hybrid log-gamma sample on a display of 1,000 cd/m2 (ITU-R BT.2100, table 5). */
export function hlgToLight(sample: number): number {
  const [a, b, c] = [0.17883277, 0.28466892, 0.55991073];
  const scene = sample <= 0.5 ? sample ** 2 / 3 : (Math.exp((sample - c) / a) + b) / 12;
  return peak * scene ** 1.2;
}

/**
 * Returns light with highlights below the peak moved below the reference white: unchanged up to 88 cd/m2,
 * then by a Hermite spline in PQ (ITU-R BT.2390, 5.4.1).
 */
export function toneMapped(light: number): number {
  const whole = lightToPq(peak);
  const white = lightToPq(referenceWhite) / whole;
  const knee = 1.5 * white - 0.5;
  const at = Math.min(1, lightToPq(light) / whole);
  if (at <= knee) return light;
  const t = (at - knee) / (1 - knee);
  const mapped =
    (2 * t ** 3 - 3 * t ** 2 + 1) * knee +
    (t ** 3 - 2 * t ** 2 + t) * (1 - knee) +
    (3 * t ** 2 - 2 * t ** 3) * white;
  return pqToLight(mapped * whole);
}

/** Returns the values of a curve from samples to light, 0 to 65535 for white. */
export function hdrCurve(toLight: (sample: number) => number): Uint16Array {
  return Uint16Array.from({ length: steps }, (_, i) => {
    const light = toneMapped(toLight(i / (steps - 1))) / referenceWhite;
    return Math.round(65_535 * Math.min(1, light));
  });
}
