// Instances of WebAssembly modules. Those of encoders and of our own modules are kept between calls while
// they are known to be sound. A decoder compiled from C gets a new one for each master: its memory may have
// been changed by the file that it read, in ways that no check can see.

import { ImagingError, type ImagingErrorOptions } from "../../base/index.ts";
import { wasmModules } from "./modules.ts";

/**
 * WebAssembly memory never shrinks: an instance that grew beyond this is dropped. Each worker keeps one for
 * each module, and a new one takes a millisecond.
 */
const cachedMemory = 32 * 1024 * 1024;

export interface InstanceKind<T> {
  create(): T | Promise<T>;
  /** Bytes of its linear memory. */
  memory(instance: T): number;
}

/**
 * Lends an instance to one call at a time; not for decoders compiled from C. It is kept for the next one,
 * except after any error (the state of a module is then undefined) or if its memory has grown beyond 32 MiB.
 */
export function cachedInstance<T>(kind: InstanceKind<T>) {
  let idle: T | undefined;
  return async <R>(work: (instance: T) => R | Promise<R>): Promise<R> => {
    const instance = idle ?? (await kind.create());
    idle = undefined;
    const result = await work(instance);
    if (kind.memory(instance) <= cachedMemory) idle = instance;
    return result;
  };
}

/**
 * Returns the import of a module with `lentPages`: a memory that grows up to `maxBytes`. The module fails to
 * allocate more.
 */
export function lentMemory(name: "avif-decode" | "jxl-decode", maxBytes: number): WebAssembly.Imports {
  const initial = wasmModules[name].lentPages;
  const maximum = Math.min(maxPages, Math.max(initial, Math.ceil(maxBytes / 65_536)));
  return { smalti: { memory: new WebAssembly.Memory({ initial, maximum }) } };
}

/** Pages of 64 KiB of the largest memory. */
const maxPages = 65_536;

/**
 * Options of emscripten's factories: a hook that makes the instance from a compiled module, and a console.
 */
export interface EmscriptenOptions {
  instantiateWasm(
    imports: WebAssembly.Imports,
    done: (instance: WebAssembly.Instance) => void,
  ): WebAssembly.Exports;
  print?(text: string): void;
  printErr?(text: string): void;
}

/**
 * Options for an emscripten factory that create the instance from a compiled module and silence its console.
 * `more`: imports besides those of the glue.
 */
export function emscriptenOptions(
  module: WebAssembly.Module,
  more: WebAssembly.Imports = {},
): EmscriptenOptions {
  return {
    instantiateWasm(imports, done) {
      const instance = new WebAssembly.Instance(module, { ...imports, ...more });
      done(instance);
      return instance.exports;
    },
    print: () => {},
    printErr: () => {},
  };
}

/**
 * Returns an ImagingError unchanged; any other value that a module threw (a number, a trap) as the cause of
 * one.
 */
export function asImagingError(
  error: unknown,
  kind: "decode" | "encode",
  message: string,
  options: ImagingErrorOptions = {},
): ImagingError {
  return error instanceof ImagingError
    ? error
    : new ImagingError(kind, message, { ...options, cause: error });
}
