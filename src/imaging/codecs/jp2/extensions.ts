// What a codestream may have of JPEG 2000 Part 2 (ITU-T T.801 Annex A) and cannot be decoded without.

import { ImagingError } from "../../../base/index.ts";
import { blockStyles, marker } from "./markers.ts";

/** Segments of T.801 table A.2 that change the samples. */
const segments: ReadonlyMap<number, string> = new Map([
  [0xff70, "a DC offset (DCO)"],
  [0xff71, "visual masking (VMS)"],
  [0xff72, "decompositions of its own (DFS)"],
  [0xff73, "decompositions of its own (ADS)"],
  [0xff74, "component transforms of its own (MCT)"],
  [0xff75, "component transforms of its own (MCC)"],
  [0xff77, "component transforms of its own (MCO)"],
  [0xff78, "component depths of its own (CBD)"],
  [0xff79, "wavelets of its own (ATK)"],
]);
const nlt = 0xff76;

/**
 * Returns what Part 1 (T.800) and Part 15 (T.814) do not have of a marker segment; undefined if there is
 * nothing. `body`: its parameters, or at least their first 12 bytes.
 */
export function extensionIn(kind: number, body: DataView, components: number): string | undefined {
  const byte = (at: number) => (at < body.byteLength ? body.getUint8(at) : 0);
  const wide = components > 256 ? 2 : 1;
  if (kind === marker.cod) {
    if (byte(0) > 7) return "code-blocks that begin elsewhere (Scod)";
    if (byte(1) > 4) return "a progression of Part 2";
    if (byte(4) > 1) return "a component transform of Part 2";
    return codingExtension(byte(5), byte(8), byte(9));
  }
  if (kind === marker.coc) return codingExtension(byte(wide + 1), byte(wide + 4), byte(wide + 5));
  if (kind === marker.qcd || kind === marker.qcc) {
    const style = byte(kind === marker.qcd ? 0 : wide) & 31;
    return style > 2 ? "a quantisation of Part 2" : undefined;
  }
  // None, or one for signed samples that are not.
  if (kind === nlt)
    return byte(3) === 0 || (byte(3) === 3 && byte(2) < 128) ? undefined : "non-linear samples (NLT)";
  return segments.get(kind);
}

/** Reads SPcod and SPcoc: levels, style of code-blocks, wavelet. */
function codingExtension(levels: number, style: number, wavelet: number): string | undefined {
  const { highThroughput, mixed, bypass, terminatesAll } = blockStyles;
  if (levels > 127) return "decompositions of its own (DFS)";
  if (wavelet > 1) return "a wavelet of Part 2";
  if ((style & mixed) !== 0 && (style & (highThroughput | bypass | terminatesAll)) !== highThroughput)
    return "HT code-blocks mixed with those of several segments";
  return undefined;
}

/** Text for the caller; "; convert the file." follows. */
export const refuseExtension = (name: string): string =>
  `Expected a JPEG 2000 codestream of Part 1 or Part 15, received one with ${name}`;

/** Throws ImagingError `unsupported` for a segment that cannot be decoded. */
export function checkSegment(kind: number, body: DataView, components: number): void {
  const name = extensionIn(kind, body, components);
  if (name) throw new ImagingError("unsupported", `${refuseExtension(name)}; convert the file.`);
}
