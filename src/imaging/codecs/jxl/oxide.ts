// The module "jxl-decode": jxl-oxide. The glue of its package has one instance for each thread, and ours one
// for each master.

import { ImagingError } from "../../../base/index.ts";
import type { Rectangle } from "../image-header.ts";
import { lentMemory } from "../instance.ts";

/** What we use of its exports. Results end with the index of an error in the table, and 1 if there is one. */
interface Exports {
  readonly memory: WebAssembly.Memory;
  readonly __wbindgen_export_2: WebAssembly.Table;
  __wbindgen_start(): void;
  __wbindgen_malloc(length: number, alignment: number): number;
  __wbindgen_free(at: number, length: number, alignment: number): void;
  __externref_table_alloc(): number;
  jxlimage_new(): number;
  jxlimage_feedBytes(image: number, at: number, length: number): readonly [number, number, number];
  jxlimage_tryInit(image: number): readonly [number, number, number];
  jxlimage_num_loaded_keyframes(image: number): number;
  jxlimage_set_rendering_region(image: number, region: unknown): void;
  jxlimage_render(image: number, frame: number): readonly [number, number, number];
  renderresult_encodeToPng(frame: number): readonly [number, number, number, number];
}

/** Returns a region of the first frame as a PNG file. Throws an error of any kind if the file is damaged. */
export type DecodeRegion = (region: Rectangle) => Uint8Array;

/**
 * Opens a codestream in an instance of its own, which takes up to `maxBytes`. Throws ImagingError `decode` if
 * its first frame is not complete, and an error of any kind if it is damaged.
 */
export function openImage(
  module: WebAssembly.Module,
  codestream: Uint8Array,
  maxBytes: number,
): DecodeRegion {
  const wasm = instantiate(module, maxBytes);
  const image = wasm.jxlimage_new();
  const at = wasm.__wbindgen_malloc(codestream.length, 1) >>> 0;
  new Uint8Array(wasm.memory.buffer).set(codestream, at);
  const [, ...failure] = wasm.jxlimage_feedBytes(image, at, codestream.length);
  confirm(wasm, failure);
  const [isReady, ...refusal] = wasm.jxlimage_tryInit(image);
  confirm(wasm, refusal);
  if (!isReady || wasm.jxlimage_num_loaded_keyframes(image) === 0)
    throw new ImagingError(
      "decode",
      "Expected a whole JPEG XL file; this one ends early. It may be damaged.",
    );
  return ({ x, y, width, height }) => {
    wasm.jxlimage_set_rendering_region(image, { left: x, top: y, width, height });
    const [frame, ...failure] = wasm.jxlimage_render(image, 0);
    confirm(wasm, failure);
    const [start, length, ...refusal] = wasm.renderresult_encodeToPng(frame);
    confirm(wasm, refusal);
    const png = new Uint8Array(wasm.memory.buffer).slice(start >>> 0, (start >>> 0) + length);
    wasm.__wbindgen_free(start, length, 1);
    return png;
  };
}

/** Throws the error of a call that failed. */
function confirm(wasm: Exports, [index = 0, isError = 0]: readonly number[]): void {
  if (isError) throw new Error(String(wasm.__wbindgen_export_2.get(index)));
}

type Region = Readonly<Record<"left" | "top" | "width" | "height", number>>;

function instantiate(module: WebAssembly.Module, maxBytes: number): Exports {
  let wasm: Exports | undefined;
  const text = (at: number, length: number) =>
    new TextDecoder().decode(new Uint8Array(wasm!.memory.buffer).slice(at >>> 0, (at >>> 0) + length));
  /** Calls by the beginning of their names, which end in a hash. Others ask what kind of browser this is. */
  const known: Readonly<Record<string, (...args: never[]) => unknown>> = {
    __wbindgen_string_new: text,
    __wbindgen_throw: (at: number, length: number) => {
      throw new Error(text(at, length));
    },
    __wbg_left_: ({ left }: Region) => left,
    __wbg_top_: ({ top }: Region) => top,
    __wbg_width_: ({ width }: Region) => width,
    __wbg_height_: ({ height }: Region) => height,
    __wbg_static_accessor_GLOBAL_THIS_: () => {
      const index = wasm!.__externref_table_alloc();
      wasm!.__wbindgen_export_2.set(index, {});
      return index;
    },
    __wbindgen_init_externref_table: () => {
      const table = wasm!.__wbindgen_export_2;
      const first = table.grow(4);
      table.set(0, undefined);
      for (const [i, value] of [undefined, null, true, false].entries()) table.set(first + i, value);
    },
  };
  const callOf = (name: string) => Object.keys(known).find((start) => name.startsWith(start));
  const calls = WebAssembly.Module.imports(module).flatMap(({ name, kind }) =>
    kind === "function" ? [[name, known[callOf(name) ?? ""] ?? (() => 0)] as const] : [],
  );
  const imports = { wbg: Object.fromEntries(calls), ...lentMemory("jxl-decode", maxBytes) };
  wasm = new WebAssembly.Instance(module, imports as WebAssembly.Imports).exports as unknown as Exports;
  wasm.__wbindgen_start();
  return wasm;
}
