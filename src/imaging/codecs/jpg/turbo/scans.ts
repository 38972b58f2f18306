// The number of scans of a JPEG file, which libjpeg-turbo does not limit in the versions that we have.

import { ImagingError } from "../../../errors.ts";

/** Maximum number of scans. More are an attack, since each costs a pass over all coefficients. */
const maxScans = 100;

/**
 * Counts scan headers from a position in a file: SOS with a length that fits its 1 to 4 components. Throws
 * ImagingError `decode`, code too_many_scans, for more than 100.
 */
export function confirmScans(file: Uint8Array, from: number): void {
  let count = 0;
  for (let at = file.indexOf(0xff, from); at >= 0; at = file.indexOf(0xff, at + 1)) {
    const components = file[at + 4] ?? 0;
    if (file[at + 1] !== 0xda || file[at + 2] !== 0 || file[at + 3] !== 6 + 2 * components) continue;
    if (components >= 1 && components <= 4 && ++count > maxScans)
      throw new ImagingError(
        "decode",
        `Expected at most ${maxScans} scans in a JPEG file; received more. Save the source file again.`,
        { code: "too_many_scans" },
      );
  }
}
