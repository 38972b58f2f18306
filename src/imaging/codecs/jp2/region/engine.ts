// An instance of the module "jp2k", and its memory map (wasm/jp2k/README.md).

import type { Jp2kModule } from "./module.ts";

/** Vectors read and write past the end of their data. */
const slack = 64;
/** Bytes of a code-block's coefficients. */
const slotBytes = 4096 * 4;
/** Number of code-blocks that stay decoded: those of about seven tiles of 512 pixels. */
const slotCount = 2048;

export interface Engine {
  readonly run: Jp2kModule;
  /** Scratch memory of the block decoders. */
  readonly work: number;
  /** Slots for decoded code-blocks. */
  readonly slots: { readonly count: number; at(slot: number): number };
  /** Start of the memory that each job lays out itself. */
  readonly arena: number;
  /** The memory as bytes; stale after {@link Engine.reserve}. */
  bytes(): Uint8Array;
  /** Grows the memory to at least `end` bytes. Throws RangeError if the runtime refuses. */
  reserve(end: number): void;
}

/** Creates an instance of the compiled module. Discard it after any error thrown while it ran. */
export function createEngine(module: WebAssembly.Module): Engine {
  const run = new WebAssembly.Instance(module, {}).exports as unknown as Jp2kModule;
  let bytes = new Uint8Array(run.memory.buffer);
  const work = align64(run.base()) + slack;
  const slots = align64(work + Math.max(run.blockWorkBytes(), run.htWorkBytes()) + slack);
  const engine: Engine = {
    run,
    work,
    slots: { count: slotCount, at: (slot) => slots + slot * slotBytes },
    arena: slots + slotCount * slotBytes + slack,
    bytes() {
      if (bytes.buffer !== run.memory.buffer) bytes = new Uint8Array(run.memory.buffer);
      return bytes;
    },
    reserve(end) {
      const missing = end + slack - run.memory.buffer.byteLength;
      if (missing > 0) run.memory.grow(Math.ceil(missing / 65536));
    },
  };
  engine.reserve(engine.arena);
  return engine;
}

const align64 = (at: number) => Math.ceil(at / 64) * 64;

/** Memory after the slots, allocated in sequence and released from the end. */
export class Arena {
  #at: number;
  /** The module whose memory it divides. */
  readonly engine: Engine;

  constructor(engine: Engine) {
    this.engine = engine;
    this.#at = engine.arena;
  }

  take(bytes: number): number {
    const at = this.#at;
    this.#at = align64(at + bytes + slack);
    this.engine.reserve(this.#at);
    return at;
  }

  /** Position of the next piece. */
  get mark(): number {
    return this.#at;
  }

  /** Releases everything allocated since a mark. */
  release(mark: number): void {
    this.#at = mark;
  }
}
