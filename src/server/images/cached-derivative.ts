// A derivative in the form that the render slot stores: notes about it, followed by the image.

import { concatenate } from "../../base/index.ts";

export interface CachedDerivative {
  readonly bytes: Uint8Array;
  /** Reason why the profile of its master is ignored, if it is; for people. */
  readonly ignoredProfile?: string | undefined;
  /**
   * True if its master ended early, is damaged, or changed during the read. Such a derivative is shared with
   * simultaneous requests, but not cached.
   */
  readonly incomplete?: boolean | undefined;
}

/** Prefixes of the notes; no format that is written begins with one. */
const labels = { ignoredProfile: "X-Ignored-Profile: ", incomplete: "X-Incomplete: " } as const;
const newline = 0x0a;
const encoder = new TextEncoder();

/**
 * Returns the bytes to cache: those of the image itself if there are no notes. `ignoredProfile` must be
 * printable ASCII.
 */
export function toEntry({ bytes, ignoredProfile, incomplete }: CachedDerivative): Uint8Array {
  const lines = [
    ...(ignoredProfile === undefined ? [] : [`${labels.ignoredProfile}${ignoredProfile}\n`]),
    ...(incomplete ? [`${labels.incomplete}yes\n`] : []),
  ];
  return lines.length === 0 ? bytes : concatenate([encoder.encode(lines.join("")), bytes]);
}

/**
 * Splits cached bytes into image and notes, the inverse of {@link toEntry}. The image is a view into `entry`.
 */
export function fromEntry(entry: Uint8Array): CachedDerivative {
  const known: { -readonly [K in keyof typeof labels]?: string } = {};
  let bytes = entry;
  for (const [name, label] of Object.entries(labels)) {
    if (!beginsWith(bytes, label)) continue;
    const end = bytes.indexOf(newline);
    known[name as keyof typeof labels] = new TextDecoder().decode(bytes.subarray(label.length, end));
    bytes = bytes.subarray(end + 1);
  }
  const { ignoredProfile, incomplete } = known;
  return {
    bytes,
    ...(ignoredProfile !== undefined && { ignoredProfile }),
    ...(incomplete !== undefined && { incomplete: true }),
  };
}

function beginsWith(bytes: Uint8Array, text: string): boolean {
  for (let i = 0; i < text.length; i++) if (bytes[i] !== text.charCodeAt(i)) return false;
  return true;
}
