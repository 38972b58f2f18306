// An instance of the module "jp2k" whose memory holds values that would show in any result that they reached.

import type { Jp2kModule } from "../../../src/imaging/codecs/jp2/region/module.ts";
import { ownModule } from "../own-modules.ts";

const bytes = 2 << 20;
/** Larger, as i32 and as f32, than all values in tests. */
const foreign = 0x7e7e7e7e;

interface Instance {
  readonly run: Jp2kModule;
  readonly ints: Int32Array;
  readonly floats: Float32Array;
  readonly words: Uint16Array;
  readonly bytes: Uint8Array;
  /** Forgets all areas and fills them with foreign values. */
  clear(): void;
  /** The address of an area of `size` bytes, with 64 or more foreign ones before and behind it. */
  area(size: number): number;
  /**
   * Returns foreign values that were changed outside the given areas, each of which has slack of 64 bytes.
   */
  spoilt(areas: readonly (readonly [at: number, size: number])[]): number[];
}

/** A new instance. */
export async function createInstance(): Promise<Instance> {
  const run = new WebAssembly.Instance(await ownModule("jp2k")).exports as unknown as Jp2kModule;
  run.memory.grow(bytes / 65536);
  const start = Math.ceil(run.base() / 64) * 64;
  const ints = new Int32Array(run.memory.buffer);
  let next = start;
  ints.fill(foreign, start / 4);
  return {
    run,
    ints,
    floats: new Float32Array(run.memory.buffer),
    words: new Uint16Array(run.memory.buffer),
    bytes: new Uint8Array(run.memory.buffer),
    clear() {
      ints.fill(foreign, start / 4, next / 4 + 64);
      next = start;
    },
    area(size) {
      const at = next + 128;
      next = at + Math.ceil(size / 64) * 64;
      return at;
    },
    spoilt(areas) {
      const found: number[] = [];
      for (let at = start; at < next + 128; at += 4)
        if (ints[at / 4] !== foreign && !areas.some(([from, size]) => at >= from && at < from + size + 64))
          found.push(at);
      return found;
    },
  };
}
