// Identifies the deflate implementation: zlibs of other runtimes, versions and processors compress the same
// bytes differently.

import { sha256, toHex } from "../../base/index.ts";
import type { CodecHost } from "./codec.ts";
import { level as pngLevel } from "./png/encode.ts";
import { level as tiffLevel } from "./tif/encode.ts";

/** Bytes of each kind of data in the sample: several deflate windows and blocks. */
const partLength = 96 * 1024;

/**
 * Data in which deflate implementations differ: short and long matches near and far, literals, runs. The same
 * bytes everywhere.
 */
function sample(): Uint8Array {
  const data = new Uint8Array(3 * partLength);
  let state = 1;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state;
  };
  for (let i = 0; i < partLength; i++) data[i] = random() >>> (i & 4096 ? 24 : 29);
  for (let at = partLength; at < 2 * partLength; ) {
    const from = Math.max(0, at - 1 - (random() >>> 17));
    const length = 3 + (random() >>> 25);
    data.copyWithin(at, from, Math.min(from + length, at));
    at += length;
  }
  for (let i = 2 * partLength; i < data.length; i++) data[i] = (i * i) >> 14;
  return data;
}

/**
 * Returns a function that names the output of `deflate`: the digest of a fixed sample, compressed at the
 * levels of our encoders. Equal names mean equal bytes, as far as a sample shows.
 */
export function deflateIdentity({ deflate }: Pick<CodecHost, "deflate">): () => Promise<string> {
  // Stores the name and not the promise: on workerd no request may wait for the work of another.
  let name: string | undefined;
  return async () => {
    if (name !== undefined) return name;
    const digests: string[] = [];
    for (const level of [pngLevel, tiffLevel])
      digests.push(toHex(await sha256(await deflate(sample(), level))).slice(0, 16));
    name = digests.join("-");
    return name;
  };
}
