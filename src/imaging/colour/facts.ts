// What an embedded profile means for a picture, from its first bytes.

import { type ByteSource, memoryBytes } from "../lib/byte-source.ts";
import type { Interpretation } from "../pipeline/pixels.ts";
import { type DeviceSpace, headBytes, isUnusable, type Profile, readHead, type Unusable } from "./icc.ts";
import { isSrgb, readShaper } from "./shaper.ts";
import { checkTable } from "./table-tags.ts";

/** As `ColourFacts` of codec.ts has them for a profile. */
export interface ProfileFacts {
  readonly from: "icc";
  readonly srgb: boolean;
  readonly ignored?: string;
}

/** The space that a profile for such samples is for; none fits Lab, which needs none. */
const spaceOf: Readonly<Record<Interpretation, DeviceSpace | undefined>> = {
  gray: "gray",
  rgb: "rgb",
  ycc: "rgb",
  cmyk: "cmyk",
  lab: undefined,
};

/** Profiles up to this size are read at once: one request where each costs. */
const readWhole = 32 * 1024;

/**
 * What the profile says of samples of this interpretation. Reads its header, tag table and, where it has no tables, its
 * curves: usually some 3 KB, 130 KB at most. Never throws for what is in it.
 */
export async function profileFacts(
  profile: ByteSource,
  interpretation: Interpretation,
): Promise<ProfileFacts> {
  const small = profile.size !== undefined && profile.size <= readWhole;
  const bytes = small ? memoryBytes(await profile.read(0, profile.size)) : profile;
  const found = await openProfile(bytes, interpretation);
  if (isUnusable(found)) return ignoredProfile(found.ignored, interpretation);
  if (found.model === "table") {
    const wrong = await checkTable(found, bytes);
    return wrong ? ignoredProfile(wrong.ignored, interpretation) : { from: "icc", srgb: false };
  }
  const shaper = await readShaper(found, bytes);
  if (isUnusable(shaper)) return ignoredProfile(shaper.ignored, interpretation);
  return { from: "icc", srgb: isSrgb(shaper) };
}

/** Facts of a picture whose profile is not used: its samples count as if it were not there. */
export function ignoredProfile(reason: string, interpretation: Interpretation): ProfileFacts {
  return { from: "icc", srgb: interpretation === "gray" || interpretation === "rgb", ignored: reason };
}

/** The profile, where its header is sound and it is for such samples. */
export async function openProfile(
  bytes: ByteSource,
  interpretation: Interpretation,
): Promise<Profile | Unusable> {
  const head = await bytes.read(0, Math.min(headBytes, bytes.size ?? headBytes));
  const profile = readHead(head, bytes.size ?? Number.POSITIVE_INFINITY);
  if (isUnusable(profile) || profile.space === spaceOf[interpretation]) return profile;
  return { ignored: `it is for ${names[profile.space]}, and the image is ${names[interpretation]}` };
}

const names = { gray: "gray", rgb: "RGB", ycc: "RGB", cmyk: "CMYK", lab: "Lab" } as const;
