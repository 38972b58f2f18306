// The number of scans of a JPEG file, which libjpeg-turbo does not limit in the versions that we have.

import { ImagingError } from "../../../../base/index.ts";
import type { ImageHeader } from "../../image-header.ts";
import { detailsOf } from "../markers/header.ts";

/** Maximum number of scans. More are an attack, since each costs a pass over all coefficients. */
const maxScans = 100;
/** Number of scans that a file of any size may have; encoders write at most a dozen. */
const leastLimit = 20;
/** Pixels that all scans together may pass over, about two seconds of work. */
const maxPasses = maxScans * 2 ** 26;

/** Throws ImagingError `decode`, code too_many_scans, for a file of more scans than its size allows. */
export function confirmScans(file: Uint8Array, header: ImageHeader): void {
  const { multiscan, frameOffset } = detailsOf(header);
  if (!multiscan) return; // what follows its one scan is not read
  const limit = Math.max(
    leastLimit,
    Math.min(maxScans, Math.floor(maxPasses / (header.width * header.height))),
  );
  if (countScans(file, frameOffset, limit) <= limit) return;
  throw new ImagingError(
    "decode",
    `Expected at most ${limit} scans in a JPEG file of this size; received more. Save the source file again.`,
    { code: "too_many_scans" },
  );
}

/**
 * Counts scan headers from a position in a file: SOS with a length that fits its 1 to 4 components. Stops
 * counting above a limit.
 */
function countScans(file: Uint8Array, from: number, limit: number): number {
  let count = 0;
  for (let at = file.indexOf(0xff, from); at >= 0; at = file.indexOf(0xff, at + 1)) {
    const components = file[at + 4] ?? 0;
    if (file[at + 1] !== 0xda || file[at + 2] !== 0 || file[at + 3] !== 6 + 2 * components) continue;
    if (components >= 1 && components <= 4 && ++count > limit) break;
  }
  return count;
}
