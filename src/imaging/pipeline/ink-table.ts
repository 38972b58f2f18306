// Written by bench/ink-model.mjs, fitted to the characterisation data of ANSI/CGATS/SWOP TR 003-2007 (SWOP
// proofing on grade 3 coated paper).

/** Amounts of ink at the knots of `inkCurves`. */
export const inkKnots = [0, 0.1, 0.2, 0.3, 0.4, 0.55, 0.7, 0.85, 1];

/** The area that cyan, magenta, yellow and black cover at each knot. */
export const inkCurves = [
  [0, 0.1391, 0.2585, 0.3706, 0.4814, 0.632, 0.7704, 0.8962, 1],
  [0, 0.1219, 0.2428, 0.3642, 0.4769, 0.6439, 0.7852, 0.9082, 1],
  [0, 0.1115, 0.2294, 0.3502, 0.4604, 0.6296, 0.7748, 0.9036, 1],
  [0, 0.13, 0.2513, 0.3659, 0.4719, 0.6208, 0.7664, 0.8907, 1],
];

/** X, Y and Z are the sums of `inkRoots` by area, to this power. */
export const inkExponent = 1.6;

/** Roots of X, Y and Z relative to paper under each overprint: bit 0 cyan, 1 magenta, 2 yellow, 3 black. */
export const inkRoots = [
  [1, 1, 1],
  [0.3674, 0.4758, 0.8527],
  [0.5719, 0.3695, 0.4064],
  [0.2073, 0.1762, 0.427],
  [0.9021, 0.9231, 0.2683],
  [0.2659, 0.4261, 0.2729],
  [0.5459, 0.3593, 0.1371],
  [0.1595, 0.1598, 0.1664],
  [0.1122, 0.1139, 0.1258],
  [0.0755, 0.0845, 0.1179],
  [0.0847, 0.068, 0.0724],
  [0.0605, 0.0536, 0.0797],
  [0.1007, 0.1058, 0.074],
  [0.0659, 0.0822, 0.0726],
  [0.0816, 0.0718, 0.0563],
  [0.0593, 0.06, 0.0585],
];
