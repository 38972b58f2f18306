// Opening files for the tests of this folder.

import { memoryBytes } from "../../../../src/base/bytes/byte-source.ts";
import { createEngine, type Engine, openJpeg } from "../../../../src/imaging/codecs/jpg/region/index.ts";
import { createResampler } from "../../../../src/imaging/pipeline/wasm/resample.ts";
import { ownModule } from "../../../wasm/own-modules.ts";

export const module = await ownModule("jpeg-decode");
export const engine: Engine = createEngine(module);
const resample = await ownModule("resample");
export const { resamplePlane } = createResampler(() => resample);

/** A reader that has its index, which was read `chunkSize` bytes at a time. */
export async function openIndexed(file: Uint8Array, chunkSize?: number) {
  const reader = await openJpeg(() => engine, memoryBytes(file), { chunkSize });
  if (!reader) throw new Error("not a file for this decoder");
  await reader.buildAccessPoints();
  return reader;
}

export type Reader = Awaited<ReturnType<typeof openIndexed>>;

export const whole = ({ frame }: Reader) => ({ x: 0, y: 0, width: frame.width, height: frame.height });

/** Returns the number of differing bytes; all of them if the lengths differ. */
export function differences(a: Uint8Array, b: Uint8Array): number {
  if (a.length !== b.length) return Math.max(a.length, b.length);
  let count = 0;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) count++;
  return count;
}
