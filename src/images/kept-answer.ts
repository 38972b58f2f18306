// A derivative as the render slot holds it: the image and, in front of it, what else is known of it.

import { concatenated } from "../imaging/lib/concatenated.ts";

export interface Answer {
  readonly bytes: Uint8Array;
  /** Why the profile of its master is not used, where that is so; for people. */
  readonly ignoredProfile?: string | undefined;
  /** Its master ended early, is damaged, or changed meanwhile: it is shared with who asks at the same time, and not kept. */
  readonly incomplete?: boolean | undefined;
}

/** No format that is written begins so. */
const labels = { ignoredProfile: "X-Ignored-Profile: ", incomplete: "X-Incomplete: " } as const;
const newline = 0x0a;
const encoder = new TextEncoder();

/** The bytes to keep; those of the image itself where nothing else is known of it. The reason is of printable ASCII. */
export function toKept({ bytes, ignoredProfile, incomplete }: Answer): Uint8Array {
  const lines = [
    ...(ignoredProfile === undefined ? [] : [`${labels.ignoredProfile}${ignoredProfile}\n`]),
    ...(incomplete ? [`${labels.incomplete}yes\n`] : []),
  ];
  return lines.length === 0 ? bytes : concatenated([encoder.encode(lines.join("")), bytes]);
}

/** The inverse of {@link toKept}; the image is a view into `kept`. */
export function fromKept(kept: Uint8Array): Answer {
  const known: { -readonly [K in keyof typeof labels]?: string } = {};
  let bytes = kept;
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
