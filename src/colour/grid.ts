// A regular grid of colours, and its nodes in sRGB: what a transform without a formula becomes.

/** Nodes of three or four bands; the last band changes quickest. */
export interface Grid {
  readonly kind: "grid";
  readonly inputs: 3 | 4;
  /** Nodes along each band; their offsets in bytes must fit 16 bits. */
  readonly size: number;
  /** Four for each node: red, green, blue in units of 1/16320 of full scale, and an unused one. */
  readonly nodes: Int16Array;
}

/** Full scale of nodes: 64 times that of a byte, with room to -2 and 2 of it. */
export const nodeScale = 255 * 64;

/** Nodes along each band: chosen so that photographs and ramps come out within a level of 8 bit (test/colour/). */
const sizes = { 3: 33, 4: 17 } as const;

/** The grid of a function from device colours (0 to 1, one after the other) to encoded sRGB, all at once. */
export function makeGrid(
  inputs: 3 | 4,
  evaluate: (colours: Float32Array) => Float32Array | undefined,
): Grid | undefined {
  const size = sizes[inputs];
  const values = evaluate(gridColours(inputs, size));
  if (!values) return undefined;
  const nodes = new Int16Array((values.length / 3) * 4);
  for (let n = 0, v = 0; v < values.length; n += 4, v += 3)
    for (let band = 0; band < 3; band++)
      nodes[n + band] = Math.max(-32767, Math.min(32767, Math.round(values[v + band]! * nodeScale)));
  return { kind: "grid", inputs, size, nodes };
}

/** The colours of all nodes in their order. */
function gridColours(inputs: 3 | 4, size: number): Float32Array {
  const count = size ** inputs;
  const colours = new Float32Array(count * inputs);
  for (let n = 0; n < count; n++)
    for (let band = inputs - 1, rest = n; band >= 0; band--, rest = Math.floor(rest / size))
      colours[n * inputs + band] = (rest % size) / (size - 1);
  return colours;
}
