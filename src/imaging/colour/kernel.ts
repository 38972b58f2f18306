// The module "colour": strips of pixels go in with a transform's tables, sRGB comes out.

import { fullScale, type PixelBuffer, samplesLike } from "../pipeline/pixels.ts";
import { fromNodes, type Grid, nodeScale } from "./grid.ts";
import type { MatrixShaper } from "./shaper.ts";
import { linearToSrgb } from "./srgb.ts";

/** Exports of the module; wasm/colour/README.md documents the calls. */
interface Exports extends WebAssembly.Exports {
  readonly memory: WebAssembly.Memory;
  base(): number;
  matrix8(source: number, target: number, pixels: number, bands: number, columns: number, tone: number): void;
  matrix16(
    source: number,
    target: number,
    pixels: number,
    bands: number,
    curves: number,
    columns: number,
    tone: number,
  ): void;
  grid8(
    source: number,
    target: number,
    pixels: number,
    inputs: number,
    alpha: number,
    axes: number,
    nodes: number,
    tone: number,
  ): void;
  grid16(
    source: number,
    target: number,
    pixels: number,
    inputs: number,
    alpha: number,
    axes: number,
    nodes: number,
    tone: number,
  ): void;
}

export interface ColourKernel {
  /** Transforms rgb, cmyk or lab to rgb; alpha is unchanged. Same depth. */
  run(pixels: PixelBuffer, transform: MatrixShaper | Grid): PixelBuffer;
}

/** Pixels of a strip: in and out they stay in the processor's cache. */
const strip = 8192;
/** Four inks and alpha. */
const maxBands = 5;
const page = 65536;
const slack = 16;
/** As in wasm/colour/assembly/tone.ts; nodes have the same full scale. */
const toneSteps = nodeScale;

/** Tables for one depth, consecutive in memory. */
interface Tables {
  readonly parts: readonly (Uint8Array | Float32Array | Int16Array | Int32Array)[];
  readonly bytes: number;
}

const tablesOf = (...parts: Tables["parts"]): Tables => ({
  parts,
  bytes: parts.reduce((sum, part) => sum + align16(part.byteLength), 0),
});

/** A kernel over the compiled module "colour"; the instance is made when first needed. */
export function createColourKernel(module: () => WebAssembly.Module): ColourKernel {
  const made = new WeakMap<MatrixShaper | Grid, { 255?: Tables; 65535?: Tables }>();
  let exports: Exports | undefined;
  let loaded: Tables | undefined;

  const tablesFor = (transform: MatrixShaper | Grid, full: 255 | 65535): Tables => {
    let found = made.get(transform);
    if (!found) made.set(transform, (found = {}));
    return (found[full] ??=
      transform.kind === "matrix" ? matrixTables(transform, full) : gridTables(transform, full));
  };

  return {
    run(pixels, transform) {
      const { width, height, bands, data } = pixels;
      const full = fullScale(pixels);
      const depth = data.BYTES_PER_ELEMENT;
      const inputs = transform.kind === "grid" ? transform.inputs : 3;
      const alpha = bands - inputs;
      const outBands = 3 + alpha;
      const tables = tablesFor(transform, full);
      try {
        exports ??= new WebAssembly.Instance(module()).exports as Exports;
        const { memory } = exports;
        const source = align16(exports.base());
        const target = source + strip * bands * depth + slack;
        // tables are above the largest strip, so that they stay in place
        const first = source + align16(2 * (strip * maxBands * 2 + slack));
        const missing = first + tables.bytes - memory.buffer.byteLength;
        if (missing > 0) memory.grow(Math.ceil(missing / page));
        const bytes = new Uint8Array(memory.buffer);
        const at: number[] = [];
        let next = first;
        for (const part of tables.parts) {
          at.push(next);
          if (loaded !== tables)
            bytes.set(new Uint8Array(part.buffer, part.byteOffset, part.byteLength), next);
          next += align16(part.byteLength);
        }
        loaded = tables;
        const [a = 0, b = 0, c = 0] = at;
        const result = samplesLike(pixels, width * height * outBands);
        const from = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
        const to = new Uint8Array(result.buffer);
        for (let pixel = 0; pixel < width * height; pixel += strip) {
          const count = Math.min(strip, width * height - pixel);
          bytes.set(from.subarray(pixel * bands * depth, (pixel + count) * bands * depth), source);
          if (transform.kind === "grid") {
            if (full === 255) exports.grid8(source, target, count, inputs, alpha, b, a, c);
            else exports.grid16(source, target, count, inputs, alpha, b, a, c);
          } else if (full === 255) exports.matrix8(source, target, count, bands, a, b);
          else exports.matrix16(source, target, count, bands, a, b, c);
          to.set(bytes.subarray(target, target + count * outBands * depth), pixel * outBands * depth);
        }
        return { width, height, bands: outBands, interpretation: "rgb", data: result };
      } catch (error) {
        exports = undefined;
        loaded = undefined;
        throw error;
      }
    },
  };
}

const align16 = (bytes: number) => Math.ceil(bytes / 16) * 16;

function matrixTables({ curves, matrix }: MatrixShaper, full: 255 | 65535): Tables {
  const column = (band: number) => [0, 3, 6].map((row) => matrix[row + band]! * toneSteps);
  const count = full + 1;
  if (full === 65535) {
    const lines = new Float32Array(3 * count);
    const columns = new Float32Array(12);
    for (let band = 0; band < 3; band++) {
      for (let i = 0; i < count; i++) lines[band * count + i] = curves[band]!(i / full);
      columns.set(column(band), band * 4);
    }
    return tablesOf(lines, columns, lightTone().words);
  }
  const table = new Float32Array(3 * count * 4);
  for (let band = 0; band < 3; band++) {
    const adds = column(band);
    for (let i = 0; i < count; i++) {
      const light = curves[band]!(i / full);
      for (let out = 0; out < 3; out++)
        table[(band * count + i) * 4 + out] = adds[out]! * light + (band === 0 ? 0.5 : 0);
    }
  }
  return tablesOf(table, lightTone().bytes);
}

interface Tone {
  readonly bytes: Uint8Array;
  /** The last one is repeated for interpolation. */
  readonly words: Float32Array;
}

/** sRGB's tone curve over the steps of a scale of light. */
function toneOf(light: (value: number) => number): () => Tone {
  let made: Tone | undefined;
  return () => {
    if (!made) {
      const word = (i: number) => linearToSrgb(light(Math.min(1, i / toneSteps))) * 65535;
      const words = Float32Array.from({ length: toneSteps + 2 }, (_, i) => word(i));
      made = { bytes: Uint8Array.from(words, (value) => Math.round(value / 257)), words };
    }
    return made;
  };
}

const lightTone = toneOf((light) => light);
const nodeTone = toneOf(fromNodes);

/** The position of each value along each band: 64 bits of offset and key (wasm/colour/assembly/grid.ts). */
function gridTables({ inputs, size, curves, nodes }: Grid, full: 255 | 65535): Tables {
  const count = full + 1;
  const axes = new Int32Array(inputs * count * 2);
  for (const [band, curve] of curves.entries()) {
    const step = 8 * size ** (inputs - 1 - band);
    for (let value = 0; value < count; value++) {
      const unit = Math.min(1, Math.max(0, curve(value / full)));
      const position = Math.round(unit * (size - 1) * 16384);
      const cell = Math.min(size - 2, position >> 14);
      axes[(band * count + value) * 2] = cell * step;
      axes[(band * count + value) * 2 + 1] = ((position - (cell << 14)) << 16) | step;
    }
  }
  return tablesOf(nodes, axes, full === 255 ? nodeTone().bytes : nodeTone().words);
}
