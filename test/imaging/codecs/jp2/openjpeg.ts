// The programs of OpenJPEG (Debian: libopenjp2-tools). What they make is kept (test/kept.ts).

import { converted } from "../../../kept.ts";
import { hasProgram } from "../../../programs.ts";

/** True if opj_compress and opj_decompress are installed; in CI tests fail without them. */
export const hasOpenJpegTools = hasProgram("opj_compress") && hasProgram("opj_decompress");

type Samples = "ppm" | "pgm" | "raw" | "rawl";
type Coded = "j2k" | "jp2";

/** Returns a file of the kind `to` that opj_compress makes of a picture of the kind `from`. */
export function opjCompress(
  input: Uint8Array,
  options: readonly string[],
  { from = "ppm", to = "j2k" }: { readonly from?: Samples; readonly to?: Coded } = {},
): Uint8Array {
  const files = { input, from: `in.${from}`, to: `out.${to}` };
  return converted("opj_compress", ["-i", files.from, "-o", files.to, ...options], files);
}

/** Returns what opj_decompress makes of a file. */
export function opjDecompress(
  input: Uint8Array,
  options: readonly string[] = [],
  { from = "j2k", to = "ppm" }: { readonly from?: Coded; readonly to?: Samples } = {},
): Uint8Array {
  const files = { input, from: `in.${from}`, to: `out.${to}` };
  return converted("opj_decompress", ["-i", files.from, "-o", files.to, ...options], files);
}
