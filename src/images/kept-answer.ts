// An answer as the render slot keeps it: the image and, in front of it where that is so, why its master's profile is not used.

import { concatenated } from "../lib/concatenated.ts";

/** No format that is written begins so. */
const label = new TextEncoder().encode("X-Ignored-Profile: ");
const newline = 0x0a;

export interface Answer {
  readonly bytes: Uint8Array;
  /** For people. */
  readonly ignoredProfile?: string | undefined;
}

/** The bytes to keep; those of the image itself where there is nothing to tell. The reason is of printable ASCII. */
export function toKept({ bytes, ignoredProfile }: Answer): Uint8Array {
  if (ignoredProfile === undefined) return bytes;
  return concatenated([label, new TextEncoder().encode(`${ignoredProfile}\n`), bytes]);
}

/** The inverse of {@link toKept}; the image is a view into `kept`. */
export function fromKept(kept: Uint8Array): Answer {
  if (label.some((byte, i) => kept[i] !== byte)) return { bytes: kept };
  const end = kept.indexOf(newline);
  const reason = new TextDecoder().decode(kept.subarray(label.length, end));
  return { bytes: kept.subarray(end + 1), ignoredProfile: reason };
}
