// The colour difference CIEDE2000 (Sharma, Wu and Dalal, Color Research and Application 30, 2005), and CIELAB
// under D50.

const radians = Math.PI / 180;
const degrees = (b, a) => (a === 0 && b === 0 ? 0 : (Math.atan2(b, a) / radians + 360) % 360);

/** Between two colours as [L*, a*, b*]. */
export function deltaE2000([l1, a1, b1], [l2, a2, b2]) {
  const c = (Math.hypot(a1, b1) + Math.hypot(a2, b2)) / 2;
  const g = 0.5 * (1 - Math.sqrt(c ** 7 / (c ** 7 + 25 ** 7)));
  const [x1, x2] = [a1 * (1 + g), a2 * (1 + g)];
  const [c1, c2] = [Math.hypot(x1, b1), Math.hypot(x2, b2)];
  const [h1, h2] = [degrees(b1, x1), degrees(b2, x2)];
  const flat = c1 * c2 === 0;
  const apart = Math.abs(h1 - h2) > 180;
  const turn = apart ? (h2 > h1 ? -360 : 360) : 0;
  const dh = flat ? 0 : 2 * Math.sqrt(c1 * c2) * Math.sin(((h2 - h1 + turn) / 2) * radians);
  const h = flat ? h1 + h2 : apart ? (h1 + h2 + (h1 + h2 < 360 ? 360 : -360)) / 2 : (h1 + h2) / 2;
  const l = (l1 + l2) / 2;
  const cc = (c1 + c2) / 2;
  const cos = (angle) => Math.cos(angle * radians);
  const t = 1 - 0.17 * cos(h - 30) + 0.24 * cos(2 * h) + 0.32 * cos(3 * h + 6) - 0.2 * cos(4 * h - 63);
  const sl = 1 + (0.015 * (l - 50) ** 2) / Math.sqrt(20 + (l - 50) ** 2);
  const sc = 1 + 0.045 * cc;
  const sh = 1 + 0.015 * cc * t;
  const rc = 2 * Math.sqrt(cc ** 7 / (cc ** 7 + 25 ** 7));
  const rt = -Math.sin(60 * Math.exp(-(((h - 275) / 25) ** 2)) * radians) * rc;
  const [dl, dc, dhue] = [(l2 - l1) / sl, (c2 - c1) / sc, dh / sh];
  return Math.sqrt(dl ** 2 + dc ** 2 + dhue ** 2 + rt * dc * dhue);
}

const f = (t) => (t > 216 / 24389 ? Math.cbrt(t) : ((24389 / 27) * t + 16) / 116);

/** [L*, a*, b*] of X, Y, Z relative to their white. */
export function labOf([x, y, z]) {
  return [116 * f(y) - 16, 500 * (f(x) - f(y)), 200 * (f(y) - f(z))];
}

/**
 * sRGB to XYZ under D50 relative to the white: the columns of the profile that the ICC publishes (sRGB v4,
 * 2007).
 */
const columns = [
  [0.43607, 0.22249, 0.01392],
  [0.38515, 0.71687, 0.09708],
  [0.14307, 0.06061, 0.7141],
];
const white = [0.9642, 1, 0.8249];
const linear = (v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);

/** [L*, a*, b*] under D50 of encoded sRGB, 0 to 255 each. */
export function labOfSrgb(rgb) {
  const light = rgb.map((v) => linear(v / 255));
  return labOf(white.map((w, i) => columns.reduce((sum, column, k) => sum + column[i] * light[k], 0) / w));
}
