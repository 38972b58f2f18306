// The kernels that pipeline steps run on, over one host.

import { createLookups } from "../pipeline/light-wasm.ts";
import { createResampler, type Resampler } from "../pipeline/resample-wasm.ts";
import { createRotator } from "../pipeline/rotate-wasm.ts";
import { createSharpener } from "../pipeline/sharpen-wasm.ts";
import type { Kernels } from "../pipeline/steps.ts";
import type { CodecHost } from "./codec.ts";

/** Instances of WebAssembly modules are made when first needed. */
export function createKernels(host: Pick<CodecHost, "wasm">): Kernels & Resampler {
  const pixels = () => host.wasm("pixels");
  return {
    ...createResampler(() => host.wasm("resample")),
    lookups: createLookups(pixels),
    sharpen: createSharpener(pixels),
    rotate: createRotator(pixels),
  };
}
