// A grid of colours, with its nodes in sRGB: the form of a transform without a formula.

import { type Axes, invertAt } from "./axes.ts";
import type { Curve } from "./curves.ts";

/** Nodes of three or four bands; the last band changes quickest. */
export interface Grid {
  readonly kind: "grid";
  readonly inputs: 3 | 4;
  /** Nodes along each band. */
  readonly size: number;
  /** Maps a device value to its position on the band's axis, 0 to 1. */
  readonly curves: readonly Curve[];
  /** Four for each node: red, green, blue on the scale of nodes, and an unused one. */
  readonly nodes: Int16Array;
}

/** Full scale of nodes; values reach from -2 to 2 times that. */
export const nodeScale = 16384;

/**
 * The scale of nodes is a root of light like sRGB's curve, but shifted so that it is not steep at 0, and
 * linear below. Colours at the edge of sRGB then change evenly from node to node; this shift has the smallest
 * errors.
 */
const shift = 0.08;
const root = 2.4;
const start = shift ** (1 / root);
const span = (1 + shift) ** (1 / root) - start;

/** Converts linear light to the scale of nodes: 0 to 1, or outside that for colours outside sRGB. */
export function toNodes(light: number): number {
  return light > 0 ? ((light + shift) ** (1 / root) - start) / span : (light * start) / (shift * root * span);
}

/** The inverse, from 0 to 1. */
export function fromNodes(value: number): number {
  return (value * span + start) ** root - shift;
}

/**
 * Nodes along each band by default, and at most: offsets from node to node must fit 16 bits, and the whole
 * should fit a processor's cache.
 */
const sizes = { 3: { usual: 33, max: 49 }, 4: { usual: 17, max: 20 } } as const;

/**
 * Returns the grid of a function from consecutive device colours (0 to 1) to linear sRGB, which is called
 * once with all of them. It follows `axes`, with a few nodes for each of their nodes. Returns undefined if
 * the function returns nothing.
 */
export function makeGrid(
  inputs: 3 | 4,
  evaluate: (colours: Float32Array) => Float32Array | undefined,
  axes?: Axes,
): Grid | undefined {
  const size = axes ? following(axes.nodes, sizes[inputs]) : sizes[inputs].usual;
  const curves = axes?.curves ?? Array.from({ length: inputs }, () => (x: number) => x);
  const values = evaluate(gridColours(curves, size));
  if (!values) return undefined;
  const nodes = new Int16Array((values.length / 3) * 4);
  for (let n = 0, v = 0; v < values.length; n += 4, v += 3)
    for (let band = 0; band < 3; band++)
      nodes[n + band] = Math.max(-32767, Math.min(32767, Math.round(toNodes(values[v + band]!) * nodeScale)));
  return { kind: "grid", inputs, size, curves, nodes };
}

/** Returns the largest number of nodes that fits and includes every node of an axis of `nodes`. */
function following(nodes: number, { usual, max }: { readonly usual: number; readonly max: number }): number {
  const parts = Math.floor((max - 1) / (nodes - 1));
  return parts >= 1 ? parts * (nodes - 1) + 1 : usual;
}

/** The device colours of all nodes in their order. */
function gridColours(curves: readonly Curve[], size: number): Float32Array {
  const inputs = curves.length;
  const positions = curves.map((curve) =>
    Float64Array.from({ length: size }, (_, i) => invertAt(curve, i / (size - 1))),
  );
  const count = size ** inputs;
  const colours = new Float32Array(count * inputs);
  for (let n = 0; n < count; n++)
    for (let band = inputs - 1, rest = n; band >= 0; band--, rest = Math.floor(rest / size))
      colours[n * inputs + band] = positions[band]![rest % size]!;
  return colours;
}
