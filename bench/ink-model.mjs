// Fits the ink model for CMYK without a profile (src/imaging/pipeline/ink.ts) to measured patches.
//
//   node bench/ink-model.mjs [FILE]     writes src/imaging/pipeline/ink-table.ts and prints the errors of the model
//
// FILE: characterisation data in CGATS form with CMYK and XYZ; by default /usr/share/color/icc/TR003.ti3 of
// the Debian package icc-profiles-free.

import { readFileSync, writeFileSync } from "node:fs";
import { deltaE2000, labOf } from "./lib/delta-e.mjs";

const file = process.argv[2] ?? "/usr/share/color/icc/TR003.ti3";
const target = new URL("../src/imaging/pipeline/ink-table.ts", import.meta.url);

/** Amounts at which a curve has a knot; between them it is straight. */
const knots = [0, 0.1, 0.2, 0.3, 0.4, 0.55, 0.7, 0.85, 1];
const exponents = [1.5, 1.6, 1.7, 1.8, 1.9, 2];
const rounds = 14;

const [, data] = readFileSync(file, "latin1").split(/BEGIN_DATA\r?\n/);
const rows = data
  .split("END_DATA")[0]
  .trim()
  .split("\n")
  .map((line) => line.trim().split(/\s+/).map(Number));
const paper = rows.find((row) => row.slice(1, 5).every((ink) => ink === 0)).slice(5, 8);
const patches = rows.map((row) => {
  const xyz = row.slice(5, 8).map((value, i) => value / paper[i]);
  return { inks: row.slice(1, 5).map((ink) => ink / 100), xyz, lab: labOf(xyz) };
});
const overprints = Array.from({ length: 16 }, (_, mask) => {
  const patch = patches.find(({ inks }) => inks.every((ink, i) => ink === ((mask >> i) & 1)));
  return patch.xyz;
});

function covered(curve, ink) {
  const k = Math.max(
    1,
    knots.findIndex((knot) => ink <= knot),
  );
  return curve[k - 1] + ((curve[k] - curve[k - 1]) * (ink - knots[k - 1])) / (knots[k] - knots[k - 1]);
}

function predict({ exponent, curves, roots }, inks) {
  const areas = inks.map((ink, i) => covered(curves[i], ink));
  const sum = [0, 0, 0];
  for (const [mask, root] of roots.entries()) {
    const share = areas.reduce((product, area, i) => product * ((mask >> i) & 1 ? area : 1 - area), 1);
    for (let i = 0; i < 3; i++) sum[i] += share * root[i];
  }
  return sum.map((value) => Math.max(0, value) ** exponent);
}

/** Mean square of the distance in CIELAB. */
function misfit(model) {
  let sum = 0;
  for (const { inks, lab } of patches) {
    const found = labOf(predict(model, inks));
    for (let i = 0; i < 3; i++) sum += (found[i] - lab[i]) ** 2;
  }
  return sum / patches.length;
}

/** One number after the other is moved up and down as long as that helps, by smaller and smaller steps. */
function fit(exponent) {
  const model = {
    exponent,
    curves: Array.from({ length: 4 }, () => knots.map((knot) => knot + 0.6 * knot * (1 - knot))),
    roots: overprints.map((xyz) => xyz.map((value) => value ** (1 / exponent))),
  };
  const places = [
    ...model.curves.flatMap((curve) => knots.slice(1, -1).map((_, i) => [curve, i + 1])),
    ...model.roots.slice(1).flatMap((root) => [0, 1, 2].map((i) => [root, i])), // paper stays
  ];
  let best = misfit(model);
  for (let round = 0, step = 0.04; round < rounds; round++, step /= 1.45)
    for (const [list, i] of places)
      for (const change of [step, -step]) {
        const before = list[i];
        list[i] = before + change;
        const now = misfit(model);
        if (now < best) {
          best = now;
          break;
        }
        list[i] = before;
      }
  return { model, misfit: best };
}

const { model } = exponents.map(fit).reduce((a, b) => (b.misfit < a.misfit ? b : a));

const number = (value) => String(Number(value.toFixed(4)));
const list = (values) => `[${values.map(number).join(", ")}]`;
writeFileSync(
  target,
  `// Written by bench/ink-model.mjs, fitted to the characterisation data of ANSI/CGATS/SWOP TR 003-2007 (SWOP proofing on
// grade 3 coated paper).

/** Amounts of ink at the knots of \`inkCurves\`. */
export const inkKnots = ${list(knots)};

/** The area that cyan, magenta, yellow and black cover at each knot. */
export const inkCurves = [
${model.curves.map((curve) => `  ${list(curve)},`).join("\n")}
];

/** X, Y and Z are the sums of \`inkRoots\` by area, to this power. */
export const inkExponent = ${number(model.exponent)};

/** Roots of X, Y and Z relative to paper under each overprint: bit 0 cyan, 1 magenta, 2 yellow, 3 black. */
export const inkRoots = [
${model.roots.map((root) => `  ${list(root)},`).join("\n")}
];
`,
);

/** Mean, 95th percentile and largest CIEDE2000 to the measured patches. */
function errors(name, xyzOf) {
  const all = patches.map(({ inks, lab }) => deltaE2000(lab, labOf(xyzOf(inks)))).sort((a, b) => a - b);
  const mean = all.reduce((a, b) => a + b) / all.length;
  const text = [mean, all[Math.floor(all.length * 0.95)], all.at(-1)].map((value) => value.toFixed(2));
  console.log(
    `${name}: mean ${text[0]}, 95 % under ${text[1]}, largest ${text[2]} (CIEDE2000, ${all.length} patches)`,
  );
}

const srgbColumns = [
  [0.4361, 0.3851, 0.1431],
  [0.2225, 0.7169, 0.0606],
  [0.0139, 0.0971, 0.7141],
];
const white = [0.9642, 1, 0.8249];
const linear = (v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
errors("this model, relative to paper", (inks) => predict(model, inks));
errors("(1 - ink)(1 - black)", ([c, m, y, k]) => {
  const light = [c, m, y].map((ink) => linear((1 - ink) * (1 - k)));
  return srgbColumns.map((row, i) => row.reduce((sum, value, j) => sum + value * light[j], 0) / white[i]);
});
