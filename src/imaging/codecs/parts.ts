// Reads in parts of some rows, for formats whose regions cost little more than their share of the image.

import type { Decoder, RowAccess } from "./codec.ts";
import type { Rectangle } from "./image-header.ts";

/** Divides a region at rows of the image that are multiples of `rows`. */
export function* partsOf(region: Rectangle, rows: number): Generator<Rectangle> {
  const end = region.y + region.height;
  for (let y = region.y; y < end; ) {
    const next = Math.min(end, (Math.floor(y / rows) + 1) * rows);
    yield { ...region, y, height: next - y };
    y = next;
  }
}

/** Returns access to rows for a format whose `decode` reads any region of its own. */
export function rowsByParts(
  { memory, decode }: Pick<Decoder, "memory" | "decode">,
  apart: RowAccess["apart"],
): RowAccess {
  return {
    apart,
    memory: (read, rows, fileSize) => memory({ ...read, region: { ...read.region, height: rows } }, fileSize),
    async decode(bytes, read, rows, take, sidecar) {
      let incomplete = false;
      for (const region of partsOf(read.region, rows)) {
        const part = await decode(bytes, { ...read, region }, sidecar);
        incomplete ||= part.incomplete === true;
        await take(part);
      }
      return incomplete;
    },
  };
}
