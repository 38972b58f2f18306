// The bytes of a stored image, as they get into another container.

import { concatenate } from "../../../src/base/index.ts";
import type { StoredImage } from "../../../src/imaging/codecs/stored-image.ts";
import { seeded } from "../../seeded.ts";

/** Returns the parts of a file in their order, passed in pieces of 1 to 2,000 bytes. */
export function passed(file: Uint8Array, { parts, blank }: Pick<StoredImage, "parts" | "blank">): Uint8Array {
  const below = seeded(7);
  const whole = concatenate(parts.map(({ offset, length }) => file.subarray(offset, offset + length)));
  const change = blank?.() ?? ((part: Uint8Array) => part);
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < whole.length; ) {
    const end = Math.min(whole.length, at + 1 + below(below(2) === 0 ? 5 : 2000));
    pieces.push(change(whole.subarray(at, end)));
    at = end;
  }
  return concatenate(pieces);
}
