// One instance of an emscripten-built module: kept between calls, dropped as soon as it cannot be trusted.

/** What every such module shows of its memory; replaced by the glue when the memory grows. */
interface Heap {
  readonly HEAPU8: Uint8Array;
}

/** WebAssembly memory never shrinks: an instance that has grown past this is not kept. */
const memoryBound = 256 * 1024 * 1024;

/**
 * Keeps what `create` gives. `use` runs synchronous work on it; after any throw, or when its memory has grown past
 * 256 MiB, the next call gets a new one.
 */
export function keepInstance<T extends Heap>(
  create: () => Promise<T>,
): { use<R>(work: (module: T) => R): Promise<R> } {
  let kept: Promise<T> | undefined;
  return {
    async use(work) {
      const current = (kept ??= create());
      try {
        const module = await current;
        const result = work(module);
        if (module.HEAPU8.byteLength > memoryBound && kept === current) kept = undefined;
        return result;
      } catch (error) {
        if (kept === current) kept = undefined;
        throw error;
      }
    },
  };
}

/** The hook by which emscripten glue takes a module that is already compiled. */
export function instantiateFrom(module: WebAssembly.Module) {
  return (
    imports: WebAssembly.Imports,
    done: (instance: WebAssembly.Instance) => void,
  ): WebAssembly.Exports => {
    const instance = new WebAssembly.Instance(module, imports);
    done(instance);
    return instance.exports;
  };
}
