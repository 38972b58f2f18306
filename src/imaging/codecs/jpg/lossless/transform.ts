// The module "jpeg-turn". It makes lossless transforms: a crop in another orientation, with the same
// coefficients at other positions, coded with the file's own Huffman tables if these have all codes. It also
// transposes planes.

import { concatenate } from "../../../../base/index.ts";
import type { Orientation } from "../../../pipeline/orientation.ts";
import type { Rectangle } from "../../image-header.ts";
import type { Plane } from "../encode/input.ts";
import { bestTable, codesOf, type HuffmanTables, tableNames } from "../markers/huffman-codes.ts";
import { isSameTable } from "../markers/tables.ts";
import { endOfImage } from "../markers/write.ts";
import type { Backwards, Crop } from "./crop.ts";
import { findUsualForm, transformForm } from "./form.ts";
import { cropHeader } from "./header.ts";

export interface Transformer {
  /**
   * Returns the crop as a JPEG file in an orientation; with `optimise`, the file has Huffman tables of its
   * own. Returns undefined if values exceed those of 8-bit samples, or if memory runs out.
   */
  transform(crop: Crop, orientation: Orientation, optimise: boolean): Uint8Array | undefined;
  /** Transposes samples, then flips the new axes. Returns undefined if memory runs out. */
  transpose(plane: Plane, flipX: boolean, flipY: boolean): Plane | undefined;
}

interface Instance {
  readonly wasm: TurnModule;
  /** Definitions of the tables for reading, by their number in the module. */
  readonly dc: (Uint8Array | undefined)[];
  readonly ac: (Uint8Array | undefined)[];
  /** Tables for writing. */
  huffman: HuffmanTables | undefined;
}

/**
 * Memory limit in bytes of an instance kept between calls. Linear memory never shrinks, so an instance that
 * grew larger is dropped.
 */
const cacheBytes = 32 * 1024 * 1024;
/**
 * Largest crop in pixels: the codes of a larger one, of which there are three copies, could take more memory
 * than its planes.
 */
const maxPixels = 2048 * 2048;

/** True if a region of this size can be transformed losslessly. */
export const canTransform = ({ width, height }: Pick<Rectangle, "width" | "height">): boolean =>
  width * height <= maxPixels;

/** Returns the axes of the stored image along which an orientation runs backwards. */
export function backwardsOf({ swap, flipX, flipY }: Orientation): Backwards {
  return swap ? { x: flipY, y: flipX } : { x: flipX, y: flipY };
}

/** Creates a transformer from a compiled `jpeg-turn`. One instance is kept between calls. */
export function createTransformer(module: WebAssembly.Module): Transformer {
  let idle: Instance | undefined;
  const withInstance = <T>(work: (instance: Instance) => T): T => {
    const instance = idle ?? {
      wasm: new WebAssembly.Instance(module, {}).exports as unknown as TurnModule,
      dc: [],
      ac: [],
      huffman: undefined,
    };
    idle = undefined; // an instance that threw is not used again
    const made = work(instance);
    if (instance.wasm.memory.buffer.byteLength <= cacheBytes) idle = instance;
    return made;
  };
  return {
    transform: (crop, orientation, optimise) =>
      withInstance((instance) => transformCrop(instance, crop, orientation, optimise)),
    transpose: (plane, flipX, flipY) => withInstance(({ wasm }) => transposePlane(wasm, plane, flipX, flipY)),
  };
}

/** Samples that are read and written beyond each side of a plane. */
const beyond = 8;

function transposePlane(
  wasm: TurnModule,
  { data, stride, ...size }: Plane,
  flipX: boolean,
  flipY: boolean,
): Plane | undefined {
  const [width, height] = [size.height, size.width];
  const toStride = Math.ceil((width + beyond) / 16) * 16;
  const inBytes = (size.height + 2 * beyond) * stride;
  if (wasm.reserve(inBytes + (height + 2 * beyond) * toStride) !== 1) return undefined;
  const bytes = bytesOf(wasm);
  const from = wasm.arenaAt() + beyond * stride;
  const to = wasm.arenaAt() + inBytes + beyond * toStride;
  bytes.set(data.subarray(0, (size.height - 1) * stride + size.width), from);
  wasm.transpose(
    flipX ? from + (width - 1) * stride : from,
    flipX ? -stride : stride,
    size.width,
    size.height,
    flipY ? to + (height - 1) * toStride : to,
    flipY ? -toStride : toStride,
  );
  return { data: bytes.slice(to, to + height * toStride), width, height, stride: toStride };
}

function transformCrop(
  instance: Instance,
  crop: Crop,
  { swap, flipX, flipY }: Orientation,
  optimise: boolean,
): Uint8Array | undefined {
  const { wasm } = instance;
  const { scan, mcus } = crop;
  for (const [i, { across, down, dc, ac }] of scan.components.entries()) {
    const tables = [useTable(instance, "dc", dc, i), useTable(instance, "ac", ac, i)] as const;
    if (tables.includes(-1)) return undefined;
    wasm.describe(i, across, down, ...tables, Math.min(i, 1));
  }
  const length = crop.data.reduce((sum, part) => sum + part.length, 0);
  const columns = mcus.right - mcus.left;
  const rows = mcus.bottom - mcus.top;
  const flags = [swap, flipX, flipY].map(Number) as [number, number, number];
  if (wasm.begin(columns, rows, scan.components.length, ...flags, length) !== 1) return undefined;
  let at = wasm.inputAt();
  for (const part of crop.data) {
    bytesOf(wasm).set(part, at);
    at += part.length;
  }
  if (wasm.take(length) !== 1) return undefined;

  if (optimise && wasm.countSymbols() !== 1) return undefined;
  const form = optimise ? transformForm(crop, swap, countedTables(wasm)) : findUsualForm(crop, swap);
  useHuffman(instance, form.huffman);
  if ((form.copies ? wasm.copy() : wasm.recode()) !== 1) return undefined;
  const { width, height } = crop.region;
  const size = swap ? { width: height, height: width } : { width, height };
  const parts: Uint8Array[] = [cropHeader(form.frame, form.scan, size)];
  for (let result = 1; result !== 2; ) {
    result = wasm.codeStrip();
    if (result === 1) continue;
    const from = wasm.outputAt();
    parts.push(bytesOf(wasm).slice(from, from + wasm.outputLength()));
    wasm.taken();
  }
  return concatenate([...parts, endOfImage]);
}

/** Returns the module's current memory, which growing replaces. */
const bytesOf = (wasm: TurnModule) => new Uint8Array(wasm.memory.buffer);

/**
 * Returns the number of a table for reading; -1 if it is invalid. Most files, and the components of a file,
 * share their tables.
 */
function useTable(instance: Instance, kind: "dc" | "ac", definition: Uint8Array, component: number): number {
  const { wasm, [kind]: held } = instance;
  const found = held.findIndex((other, i) => i <= component && other && isSameTable(other, definition));
  if (found >= 0) return found;
  held[component] = undefined;
  bytesOf(wasm).set(definition, wasm.definitionAt());
  const read = kind === "dc" ? wasm.readDcTable(component) : wasm.readAcTable(component);
  if (read !== 1) return -1;
  held[component] = definition;
  return component;
}

function useHuffman(instance: Instance, tables: HuffmanTables): void {
  if (instance.huffman === tables) return;
  const { wasm } = instance;
  const codes = new Uint32Array(wasm.memory.buffer, wasm.codesAt(), 4 * 256);
  for (const [i, name] of tableNames.entries()) codes.set(codesOf(tables[name]), i * 256);
  wasm.useCodes();
  instance.huffman = tables;
}

function countedTables(wasm: TurnModule): HuffmanTables {
  const counts = new Uint32Array(wasm.memory.buffer, wasm.countsAt(), 4 * 256);
  const bestTableAt = (i: number) => bestTable(counts.subarray(i * 256, (i + 1) * 256));
  return {
    dcLuma: bestTableAt(0),
    acLuma: bestTableAt(1),
    dcChroma: bestTableAt(2),
    acChroma: bestTableAt(3),
  };
}

/** Exports of the module "jpeg-turn"; wasm/jpeg/turn.md documents the calls. */
interface TurnModule {
  readonly memory: WebAssembly.Memory;
  definitionAt(): number;
  codesAt(): number;
  countsAt(): number;
  inputAt(): number;
  outputAt(): number;
  outputLength(): number;
  taken(): void;
  readDcTable(index: number): number;
  readAcTable(index: number): number;
  useCodes(): void;
  describe(component: number, across: number, down: number, dc: number, ac: number, out: number): void;
  begin(
    columns: number,
    rows: number,
    components: number,
    swap: number,
    flipX: number,
    flipY: number,
    bytes: number,
  ): number;
  take(length: number): number;
  countSymbols(): number;
  recode(): number;
  copy(): number;
  codeStrip(): number;
  reserve(bytes: number): number;
  arenaAt(): number;
  transpose(from: number, step: number, columns: number, rows: number, to: number, toStep: number): void;
}
