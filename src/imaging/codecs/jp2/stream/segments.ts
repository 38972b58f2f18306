// Marker segments of a codestream in memory (ITU-T T.800 A.1 and A.2).

import { damagedJp2 } from "../../damaged.ts";
import { isBare } from "../codestream.ts";

export interface Segment {
  readonly kind: number;
  /** Its parameters, after the length. */
  readonly body: DataView;
}

/**
 * Reads the segments from `at` on, up to a marker of `end`. Returns its position, or undefined if the bytes
 * end before. Throws ImagingError `decode` for anything but a marker segment.
 */
export function segmentsUntil(
  bytes: Uint8Array,
  at: number,
  end: number,
): { readonly segments: readonly Segment[]; readonly end: number | undefined } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const segments: Segment[] = [];
  while (at + 2 <= bytes.length) {
    const kind = view.getUint16(at);
    if (kind === end) return { segments, end: at };
    if (isBare(kind)) {
      at += 2;
      continue;
    }
    if (at + 4 > bytes.length) break;
    const length = view.getUint16(at + 2);
    if (kind < 0xff4f || length < 2)
      throw damagedJp2("marker segments in front of the data, received something else");
    if (at + 2 + length > bytes.length) break;
    segments.push({ kind, body: new DataView(bytes.buffer, bytes.byteOffset + at + 4, length - 2) });
    at += 2 + length;
  }
  return { segments, end: undefined };
}
