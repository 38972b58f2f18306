// The module "jpeg-decode" and its memory. test/wasm/bindings.test.ts compares the memory map with
// wasm/jpeg/assembly/map.ts.

/** Functions of the module; wasm/jpeg/decode.md describes them. */
interface Exports {
  readonly memory: WebAssembly.Memory;
  buildTable(table: number, source: number, ac: number): number;
  indexRows(): number;
  decodeRows(): number;
  cutRows(): number;
  finishCut(): void;
  extendRows(rows: number, stride: number, count: number, width: number): void;
  doubleAcross(row: number, width: number, to: number): void;
  doubleBoth(near: number, far: number, width: number, to: number): void;
  doubleDown(near: number, far: number, width: number, to: number, bias: number): void;
  repeatAcross(
    row: number,
    to: number,
    count: number,
    first: number,
    across: number,
    outOf: number,
    left: number,
  ): void;
  colourRow(
    a: number,
    b: number,
    c: number,
    d: number,
    to: number,
    count: number,
    convert: number,
    flip: number,
  ): void;
}

/** Fields of a run, as indexes of 4-byte words. */
export const field = {
  rawEnd: 0x1000 >> 2,
  final: 0x1004 >> 2,
  position: 0x1008 >> 2,
  bit: 0x100c >> 2,
  spent: 0x1010 >> 2,
  row: 0x1014 >> 2,
  column: 0x1018 >> 2,
  stopRow: 0x101c >> 2,
  endColumn: 0x1020 >> 2,
  interval: 0x1024 >> 2,
  toGo: 0x1028 >> 2,
  nextRestart: 0x102c >> 2,
  componentCount: 0x1030 >> 2,
  blockCount: 0x1034 >> 2,
  step: 0x1038 >> 2,
  output: 0x103c >> 2,
  fromColumn: 0x1040 >> 2,
  damage: 0x1044 >> 2,
  windowOffset: 0x1048 >> 2,
  held: 0x1050 >> 2,
  heldCount: 0x1058 >> 2,
  fresh: 0x105c >> 2,
} as const;

/** Records of blocks and components and the fields in them, as indexes of 4-byte words. */
export const blocks = { at: 0x1100 >> 2, size: 16, component: 0, dc: 1, ac: 2, x: 3, y: 4 } as const;
export const components = {
  at: 0x1400 >> 2,
  size: 32,
  predictor: 0,
  across: 1,
  down: 2,
  quant: 3,
  plane: 4,
  stride: 5,
  edge: 6,
  left: 7,
  columns: 8,
  top: 9,
  rows: 10,
  limit: 11,
  crop: 13,
  means: 15,
  meansStride: 16,
} as const;

/** Areas of memory: positions and sizes in bytes. */
export const area = {
  tables: 0x2000,
  quant: 0x2000,
  quantSize: 128,
  dc: 0x2200,
  dcSize: 0x2c00,
  ac: 0xd200,
  acSize: 0x8c00,
  tablesEnd: 0x30200,
  raw: 0xd1400,
  rawRoom: 0x110000,
  /** Start of the memory that each run lays out for itself. */
  arena: 0x1e1800,
} as const;

/** Bytes that vectors may read and write past the end of their data. */
export const slack = 64;

/** Results of a run. */
export const outcome = { reached: 0, hungry: 1, exhausted: 2, impossible: 3 } as const;

/**
 * One instance of the module, shared by many files. A file's tables are loaded if another file made the
 * previous call.
 */
export interface Engine {
  readonly run: Exports;
  /** The file whose tables are loaded. */
  owner: unknown;
  /** Size of the memory in bytes. It grows with the largest run so far and never shrinks. */
  readonly size: number;
  /** The memory as bytes and as 4-byte numbers. Both are stale after {@link Engine.reserve}. */
  bytes(): Uint8Array;
  words(): Int32Array;
  /** Grows the memory to at least `end` bytes. Throws RangeError if the runtime refuses. */
  reserve(end: number): void;
}

/**
 * Returns an instance of the compiled module "jpeg-decode". It must be dropped after any error that was
 * thrown while it ran.
 */
export function createEngine(module: WebAssembly.Module): Engine {
  const run = new WebAssembly.Instance(module, {}).exports as unknown as Exports;
  let bytes = new Uint8Array(run.memory.buffer);
  let words = new Int32Array(run.memory.buffer);
  const refresh = () => {
    if (bytes.buffer === run.memory.buffer) return;
    bytes = new Uint8Array(run.memory.buffer);
    words = new Int32Array(run.memory.buffer);
  };
  const engine: Engine = {
    run,
    owner: undefined,
    get size() {
      return run.memory.buffer.byteLength;
    },
    bytes() {
      refresh();
      return bytes;
    },
    words() {
      refresh();
      return words;
    },
    reserve(end) {
      const missing = end + slack - run.memory.buffer.byteLength;
      if (missing > 0) run.memory.grow(Math.ceil(missing / 65536));
      refresh();
    },
  };
  engine.reserve(area.arena);
  return engine;
}
