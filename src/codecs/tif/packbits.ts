// PackBits runs: TIFF 6.0 section 9.

import { damaged } from "./ifd.ts";

/** The first `length` unpacked bytes. Throws ServiceError `decode` when there are fewer. */
export function packbits(data: Uint8Array, length: number): Uint8Array {
  const out = new Uint8Array(length);
  let at = 0;
  let filled = 0;
  while (filled < length && at < data.length) {
    const control = data[at++] as number;
    if (control === 128) continue;
    const run = control < 128 ? control + 1 : 257 - control;
    if (control < 128) {
      out.set(data.subarray(at, Math.min(at + run, at + length - filled)), filled);
      filled += Math.min(run, data.length - at);
      at += run;
    } else if (at < data.length) {
      out.fill(data[at++] as number, filled, filled + run);
      filled += run;
    }
  }
  if (filled < length) throw damaged(`${length} bytes in a PackBits block`, `${filled}`);
  return out;
}
