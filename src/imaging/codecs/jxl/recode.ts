// The module "jxl-recode": JPEG XL files with the coefficients of JPEG files, so that nothing is lost a
// second time (ISO/IEC 18181-1; wasm/jxl/README.md documents the calls).

import { concatenate, memoryBytes } from "../../../base/index.ts";
import { isSameTable } from "../jpg/markers/tables.ts";
import { type Header, readHeader, type ScanComponent } from "../jpg/region/header.ts";
import { codestreamHeader, type Upsampling, upsampling } from "./headers.ts";

/**
 * Returns a JPEG file as JPEG XL; undefined for one that is not sequential without restarts, in gray or YCbCr
 * with whole or halved chroma, 8 bits, and if it is damaged or memory runs out. `orientation`: EXIF
 * numbering, by which decoders turn the picture.
 */
export type Recode = (jpeg: Uint8Array, orientation: number) => Promise<Uint8Array | undefined>;

interface Instance {
  readonly wasm: RecodeModule;
  /** Definitions of the tables for reading, by their number in the module. */
  readonly dc: (Uint8Array | undefined)[];
  readonly ac: (Uint8Array | undefined)[];
}

/** Memory limit in bytes of an instance kept between calls, since linear memory never shrinks. */
const cacheBytes = 32 * 1024 * 1024;
/** Greatest step of DC values, which half floats hold exactly. */
const maxStep = 2047;

/** Creates a recoder from a compiled `jxl-recode`. One instance is kept between calls. */
export function createRecoder(module: () => WebAssembly.Module): Recode {
  let idle: Instance | undefined;
  return async (jpeg, orientation) => {
    const header = await readHeader(memoryBytes(jpeg));
    const sampled = header && samplingOf(header);
    if (!sampled) return undefined;
    const instance = idle ?? {
      wasm: new WebAssembly.Instance(module(), {}).exports as unknown as RecodeModule,
      dc: [],
      ac: [],
    };
    idle = undefined; // an instance that threw is not used again
    const body = recodeScan(instance, header, sampled, jpeg.subarray(header.first.start));
    if (instance.wasm.memory.buffer.byteLength <= cacheBytes) idle = instance;
    if (!body) return undefined;
    const { width, height } = header.frame;
    const head = codestreamHeader({
      size: { width, height },
      orientation,
      upsampling: sampled.upsampling,
      sections: body.sections,
    });
    return concatenate([head, body.bytes]);
  };
}

interface Sampling {
  /** Shifts of each component's samples against those of luma. */
  readonly shifts: readonly (readonly [across: number, down: number])[];
  /** Of Cb, Y and Cr. */
  readonly upsampling: readonly [Upsampling, Upsampling, Upsampling];
}

/** Returns the sampling of a file that can be recoded. */
function samplingOf({ frame, first }: Header): Sampling | undefined {
  const { components, hMax, vMax, colour } = frame;
  const isWhole = first.components.length === components.length && first.interval === 0;
  if (!isWhole || first.components.some(({ quant }) => quant[0]! > maxStep || quant.includes(0)))
    return undefined;
  if (colour === "gray") {
    const { none } = upsampling;
    return { shifts: [[0, 0]], upsampling: [none, none, none] };
  }
  if (colour !== "ycc") return undefined;
  const [hMin, vMin] = [Math.min(...components.map(({ h }) => h)), Math.min(...components.map(({ v }) => v))];
  const ratios = components.map(({ h, v }) => [hMax / h, vMax / v] as const);
  // luma has the most samples, and others as many or half
  if (!ratios.every(([x, y]) => (x === 1 || x === 2) && (y === 1 || y === 2))) return undefined;
  if (ratios[0]![0] !== 1 || ratios[0]![1] !== 1) return undefined;
  const [y, cb, cr] = components.map(({ h, v }) => upsamplingOf(h / hMin, v / vMin));
  return { shifts: ratios.map(([x, y]) => [x - 1, y - 1]), upsampling: [cb!, y!, cr!] };
}

function upsamplingOf(across: number, down: number): Upsampling {
  if (across === 2) return down === 2 ? upsampling.both : upsampling.across;
  return down === 2 ? upsampling.down : upsampling.none;
}

function recodeScan(
  instance: Instance,
  { frame, first }: Header,
  { shifts }: Sampling,
  data: Uint8Array,
): { readonly bytes: Uint8Array; readonly sections: readonly number[] } | undefined {
  const { wasm } = instance;
  const components = [...first.components].sort((a, b) => a.index - b.index);
  if (first.components.some(({ index }, at) => index !== at)) return undefined;
  for (const [i, component] of components.entries()) {
    const tables = [useTable(instance, "dc", component, i), useTable(instance, "ac", component, i)] as const;
    if (tables.includes(-1)) return undefined;
    wasm.describe(i, component.across, component.down, ...tables, ...shifts[i]!);
  }
  const { columns, rows } = first;
  if (wasm.begin(columns, rows, components.length, frame.width, frame.height, data.length) !== 1)
    return undefined;
  const quant = new Uint16Array(wasm.memory.buffer, wasm.quantisationAt(), 3 * 64);
  for (let i = 0; i < 3; i++) quant.set(transpose((components[i] ?? components[0]!).quant), i * 64);
  new Uint8Array(wasm.memory.buffer).set(data, wasm.inputAt());
  if (wasm.recode(data.length) !== 1) return undefined;
  const sections = [...new Uint32Array(wasm.memory.buffer, wasm.lengthsAt(), wasm.sectionCount())];
  const length = sections.reduce((sum, each) => sum + each, 0);
  const from = wasm.outputAt();
  return { bytes: new Uint8Array(wasm.memory.buffer).slice(from, from + length), sections };
}

/** Blocks of the codestream have rows and columns exchanged. */
const transpose = (table: Uint16Array) => table.map((_, n, all) => all[(n & 7) * 8 + (n >> 3)]!);

/** Returns the number of a component's table for reading; -1 if it is invalid. */
function useTable(instance: Instance, kind: "dc" | "ac", component: ScanComponent, index: number): number {
  const { wasm, [kind]: known } = instance;
  const definition = component[kind];
  const found = known.findIndex((other, i) => i <= index && other && isSameTable(other, definition));
  if (found >= 0) return found;
  known[index] = undefined;
  new Uint8Array(wasm.memory.buffer).set(definition, wasm.definitionAt());
  const read = kind === "dc" ? wasm.readDcTable(index) : wasm.readAcTable(index);
  if (read !== 1) return -1;
  known[index] = definition;
  return index;
}

/** Exports of the module "jxl-recode". */
interface RecodeModule {
  readonly memory: WebAssembly.Memory;
  definitionAt(): number;
  quantisationAt(): number;
  inputAt(): number;
  outputAt(): number;
  lengthsAt(): number;
  sectionCount(): number;
  readDcTable(index: number): number;
  readAcTable(index: number): number;
  describe(
    component: number,
    across: number,
    down: number,
    dc: number,
    ac: number,
    shiftX: number,
    shiftY: number,
  ): void;
  begin(
    columns: number,
    rows: number,
    components: number,
    width: number,
    height: number,
    bytes: number,
  ): number;
  recode(length: number): number;
}
