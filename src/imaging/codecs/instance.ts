// One instance of a WebAssembly module, kept between calls as long as it is known to be sound.

import { ImagingError, type ImagingErrorOptions } from "../errors.ts";

/** Memory of WebAssembly never shrinks: an instance that grew past this is not kept. */
const keptMemory = 256 * 1024 * 1024;

export interface InstanceKind<T> {
  create(): T | Promise<T>;
  /** Bytes of its linear memory. */
  memory(instance: T): number;
}

/**
 * Gives each piece of work an instance to itself. It is kept for the next one, except after any error (the inside
 * of a module is then undefined) or when its memory has grown past 256 MiB.
 */
export function keptInstance<T>(kind: InstanceKind<T>) {
  let idle: T | undefined;
  return async <R>(work: (instance: T) => R | Promise<R>): Promise<R> => {
    const instance = idle ?? (await kind.create());
    idle = undefined;
    const result = await work(instance);
    if (kind.memory(instance) <= keptMemory) idle = instance;
    return result;
  };
}

/** What emscripten's factories take: a hook that makes the instance from a compiled module, and a console. */
export interface EmscriptenOptions {
  instantiateWasm(
    imports: WebAssembly.Imports,
    done: (instance: WebAssembly.Instance) => void,
  ): WebAssembly.Exports;
  print?(text: string): void;
  printErr?(text: string): void;
}

/** Options for an emscripten factory that make the instance from a compiled module and keep its console quiet. */
export function emscriptenOptions(module: WebAssembly.Module): EmscriptenOptions {
  return {
    instantiateWasm(imports, done) {
      const instance = new WebAssembly.Instance(module, imports);
      done(instance);
      return instance.exports;
    },
    print: () => {},
    printErr: () => {},
  };
}

/** A ImagingError as it is; anything that a module threw (a number, a trap) as the cause of one. */
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
