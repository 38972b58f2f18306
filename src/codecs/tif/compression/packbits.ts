// PackBits runs: TIFF 6.0 section 9.

import { damaged } from "../directory/ifd.ts";
import type { BlockReader, Stored } from "./block.ts";

/** Unpacks a block. Reading throws ServiceError `decode` when the block has fewer bytes. */
export function packbits({ data, length }: Stored): BlockReader {
  let at = 0;
  let total = 0;
  let left = 0; // bytes of the run that are still to come
  let literal = false;
  return {
    read(into) {
      let filled = 0;
      while (filled < into.length) {
        if (left === 0) {
          if (at >= data.length) throw damaged(`${length} bytes in a PackBits block`, `${total + filled}`);
          const control = data[at++] as number;
          if (control === 128) continue;
          literal = control < 128;
          left = literal ? control + 1 : 257 - control;
        }
        const n = Math.min(left, into.length - filled, literal ? data.length - at : left);
        if (at >= data.length) throw damaged(`${length} bytes in a PackBits block`, `${total + filled}`);
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
