// The decoding instance of the module, with its decoded code-blocks.

import { ImagingError } from "../../../../base/index.ts";
import { blockSlots } from "./block-slots.ts";
import { createEngine } from "./engine.ts";
import type { Workbench } from "./planes.ts";

/** One workbench for all codecs that decode JPEG 2000 in a thread: a second one would double its memory. */
export type SharedWorkbench = ReturnType<typeof workbench>;

/** Creates a workbench on first use, and again after any error except an ImagingError. */
export function workbench(module: () => WebAssembly.Module) {
  let made: Workbench | undefined;
  const bench = (): Workbench => {
    if (!made) {
      const engine = createEngine(module());
      made = { engine, slots: blockSlots(engine) };
    }
    return made;
  };
  return {
    async use<T>(work: (bench: () => Workbench) => Promise<T>): Promise<T> {
      try {
        return await work(bench);
      } catch (error) {
        // After a trap the memory of a module is in an unknown state.
        if (!(error instanceof ImagingError)) made = undefined;
        throw error;
      }
    },
  };
}
