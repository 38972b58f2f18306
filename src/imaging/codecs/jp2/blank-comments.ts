// Comments in a codestream of JPEG 2000, and what follows it (ITU-T T.800, annex A).

import { type BlankingStep, type BlankingWalk, blanking } from "../blanking.ts";
import { marker } from "./markers.ts";

/** Returns a function that clears the comments of a codestream that begins at an offset of what passes by. */
export const blankComments = (start: number): ReturnType<typeof blanking> => blanking(walkCodestream(start));

function* walkCodestream(start: number): BlankingWalk {
  yield { pass: start };
  /** Bytes of the tile-part to its end. */
  let left = Number.POSITIVE_INFINITY;
  for (;;) {
    const code = yield* readShort();
    if (code === marker.soc) continue;
    if (code === marker.eoc || code < 0xff00) return;
    left -= 2;
    if (code === marker.sod) {
      yield { pass: left };
      left = Number.POSITIVE_INFINITY;
      continue;
    }
    let length = (yield* readShort()) - 2;
    if (code === marker.sot) {
      yield { pass: 2 };
      const size = (yield* readShort()) * 0x10000 + (yield* readShort());
      // 0: up to the end of the codestream.
      left = size === 0 ? Number.POSITIVE_INFINITY : size - 10;
      length -= 6;
    }
    left -= length + (code === marker.sot ? 0 : 2);
    yield code === marker.com ? { clear: length } : { pass: length };
  }
}

function* readShort(): Generator<BlankingStep, number, number> {
  return (yield { pass: 1 }) * 256 + (yield { pass: 1 });
}
