// PackBits runs: TIFF 6.0 section 9.

import { damagedTif } from "../../damaged.ts";
import type { BlockReader, StoredBlock } from "./block.ts";

/**
 * Bytes of a run by its control byte: up to 127 literals, from 129 on repetitions of one byte; 128 starts
 * none.
 */
const runLengths = Uint8Array.from({ length: 256 }, (_, control) => {
  if (control < 128) return control + 1;
  return control === 128 ? 0 : 257 - control;
});

/** Unpacks a block. Reading throws ImagingError `decode` when the block has fewer bytes. */
export function packbits({ data, length }: StoredBlock): BlockReader {
  let at = 0;
  let total = 0;
  let left = 0; // remaining bytes of the run
  let literal = false;
  return {
    read(into) {
      let filled = 0;
      while (filled < into.length) {
        if (left === 0) {
          const control = data[at++] as number;
          literal = control <= 128;
          left = runLengths[control] as number;
        }
        if (at >= data.length) throw damagedTif(`${length} bytes in a PackBits block`, `${total + filled}`);
        const n = Math.min(left, into.length - filled, literal ? data.length - at : left);
        if (literal) {
          into.set(data.subarray(at, at + n), filled);
          at += n;
        } else into.fill(data[at] as number, filled, filled + n);
        filled += n;
        left -= n;
        if (!literal && left === 0) at++;
      }
      total += filled;
    },
  };
}
