// Packet headers in the main header or in tile-part headers (ITU-T T.800 A.7.4 and A.7.5).

import { concatenate } from "../../../../base/index.ts";
import { damagedJp2 } from "../../damaged.ts";
import { marker } from "../markers.ts";
import type { Segment } from "./segments.ts";

const bytesFrom = ({ body }: Segment, from: number) =>
  new Uint8Array(body.buffer, body.byteOffset + from, Math.max(0, body.byteLength - from));

/** Joins all segments of a kind in the order of their counters; undefined if there are none. */
function joinSegments(segments: readonly Segment[], kind: number): Uint8Array | undefined {
  const own = segments.filter((segment) => segment.kind === kind && segment.body.byteLength > 0);
  if (own.length === 0) return undefined;
  own.sort((a, b) => a.body.getUint8(0) - b.body.getUint8(0));
  return concatenate(own.map((segment) => bytesFrom(segment, 1)));
}

/**
 * PPM: returns the headers of each tile-part, in file order; undefined if there are none. Throws ImagingError
 * `decode`.
 */
export function packedInMain(segments: readonly Segment[]): Uint8Array[] | undefined {
  const all = joinSegments(segments, marker.ppm);
  if (!all) return undefined;
  const view = new DataView(all.buffer);
  const parts: Uint8Array[] = [];
  for (let at = 0; at < all.length; ) {
    const length = at + 4 <= all.length ? view.getUint32(at) : Number.POSITIVE_INFINITY;
    if (at + 4 + length > all.length) throw damagedJp2("complete packed packet headers, but they end early");
    parts.push(all.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return parts;
}

/** PPT: returns the headers of one tile-part; undefined if there are none. */
export const packedInTilePart = (segments: readonly Segment[]): Uint8Array | undefined =>
  joinSegments(segments, marker.ppt);
