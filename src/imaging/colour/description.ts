// Description of an ICC profile for people: its text, version and spaces (ICC.1:2001-04, 6.5.17; ICC.1:2022,
// 7.2, 9.2.41, 10.15).

import { headBytes, toPrintable } from "./icc.ts";

export interface ProfileDescription {
  /** Absent if the profile has no readable description. */
  readonly description?: string;
  /** "2.4.0". */
  readonly version: string;
  /** Four letters each, without trailing spaces: "mntr", "RGB", "XYZ". */
  readonly deviceClass: string;
  readonly space: string;
  readonly connection: string;
  readonly size: number;
}

const header = 128;
const entry = 12;
const maxTags = Math.floor((headBytes - header - 4) / entry);
/** Longer descriptions are cut. */
const maxLength = 200;

/**
 * Reads the description of a profile; undefined for bytes that are no profile. Never throws because of its
 * contents.
 */
export function describeProfile(profile: Uint8Array): ProfileDescription | undefined {
  if (profile.length < header + 4) return undefined;
  const view = new DataView(profile.buffer, profile.byteOffset, profile.length);
  const letters = (at: number) => toPrintable(String.fromCharCode(...profile.subarray(at, at + 4)));
  if (letters(36) !== "acsp") return undefined;
  const [major = 0, minor = 0] = profile.subarray(8, 10);
  const description = descriptionIn(view, profile);
  return {
    ...(description && { description }),
    version: `${major}.${minor >> 4}.${minor & 15}`,
    deviceClass: letters(12),
    space: letters(16),
    connection: letters(20),
    size: profile.length,
  };
}

function descriptionIn(view: DataView, profile: Uint8Array): string | undefined {
  const count = Math.min(view.getUint32(header), maxTags);
  for (let i = 0, at = header + 4; i < count && at + entry <= profile.length; i++, at += entry) {
    if (view.getUint32(at) !== 0x64657363 /* desc */) continue;
    const start = view.getUint32(at + 4);
    const end = Math.min(profile.length, start + view.getUint32(at + 8));
    return start + 12 <= end ? textOf(profile.subarray(start, end)) : undefined;
  }
  return undefined;
}

/** A textDescriptionType, or the first text of a multiLocalizedUnicodeType. */
function textOf(tag: Uint8Array): string | undefined {
  const view = new DataView(tag.buffer, tag.byteOffset, tag.length);
  const type = view.getUint32(0);
  if (type === 0x64657363 /* desc */) {
    const length = view.getUint32(8);
    return cleanText(String.fromCharCode(...tag.subarray(12, 12 + Math.min(length, maxLength))));
  }
  if (type !== 0x6d6c7563 /* mluc */ || tag.length < 28) return undefined;
  const [length, start] = [view.getUint32(20), view.getUint32(24)];
  if (start > tag.length) return undefined;
  const text = tag.subarray(start, Math.min(tag.length, start + Math.min(length, 2 * maxLength)));
  return cleanText(new TextDecoder("utf-16be").decode(text));
}

/** Up to the terminating zero, on one line. */
const cleanText = (text: string) =>
  (text.split("\0")[0] ?? "")
    .replace(/\p{C}+/gu, " ")
    .trim()
    .slice(0, maxLength) || undefined;
