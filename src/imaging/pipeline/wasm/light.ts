// Lookups of light.ts as WebAssembly, some samples at a time.

import type { Lookups } from "../steps/light.ts";

/** Exports of the module; wasm/pixels/README.md documents the calls. */
interface Exports extends WebAssembly.Exports {
  readonly memory: WebAssembly.Memory;
  base(): number;
  bytesToWords(from: number, count: number, table: number, to: number): void;
  wordsToWords(from: number, count: number, table: number, to: number): void;
  wordsToBytes(from: number, count: number, table: number, to: number): void;
}

/** Samples at a time: with their results in the second cache. */
const chunk = 32768;
const tableBytes = 65536 * 2;
const page = 65536;

/** The instance is made when first needed and takes a third of a megabyte. */
export function createLookups(module: () => WebAssembly.Module): Lookups {
  let exports: Exports | undefined;
  const mapThrough =
    (call: "bytesToWords" | "wordsToWords" | "wordsToBytes") =>
    (from: Uint8Array | Uint16Array, table: Uint8Array | Uint16Array, to: Uint8Array | Uint16Array) => {
      exports ??= new WebAssembly.Instance(module()).exports as Exports;
      const at = { table: Math.ceil(exports.base() / 64) * 64, from: 0, to: 0 };
      at.from = at.table + tableBytes;
      at.to = at.from + 2 * chunk;
      const missing = at.to + 2 * chunk - exports.memory.buffer.byteLength;
      if (missing > 0) exports.memory.grow(Math.ceil(missing / page));
      const memory = new Uint8Array(exports.memory.buffer);
      memory.set(bytesOf(table), at.table);
      const [source, target] = [bytesOf(from), bytesOf(to)];
      const [wide, wideTo] = [from.BYTES_PER_ELEMENT, to.BYTES_PER_ELEMENT];
      for (let p = 0; p < from.length; p += chunk) {
        const count = Math.min(chunk, from.length - p);
        memory.set(source.subarray(p * wide, (p + count) * wide), at.from);
        exports[call](at.from, Math.ceil(count / 4) * 4, at.table, at.to);
        target.set(memory.subarray(at.to, at.to + count * wideTo), p * wideTo);
      }
    };
  return {
    bytesToWords: mapThrough("bytesToWords"),
    wordsToWords: mapThrough("wordsToWords"),
    wordsToBytes: mapThrough("wordsToBytes"),
  };
}

const bytesOf = ({ buffer, byteOffset, byteLength }: Uint8Array | Uint16Array) =>
  new Uint8Array(buffer, byteOffset, byteLength);
