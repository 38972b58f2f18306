// The kernels that run pipeline steps, created for one host.

import type { CodecHost } from "../codecs/codec.ts";
import type { Kernels } from "../pipeline/step.ts";
import { createLookups } from "../pipeline/wasm/light.ts";
import { createResampler } from "../pipeline/wasm/resample.ts";
import { createRotator } from "../pipeline/wasm/rotate.ts";
import { createSharpener } from "../pipeline/wasm/sharpen.ts";

/** Creates the kernels. WebAssembly modules are instantiated when first needed. */
export function createKernels(host: Pick<CodecHost, "wasm">): Kernels {
  const pixels = () => host.wasm("pixels");
  return {
    ...createResampler(() => host.wasm("resample")),
    lookups: createLookups(pixels),
    sharpen: createSharpener(pixels),
    rotate: createRotator(pixels),
  };
}
