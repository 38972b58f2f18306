// Consequences of an embedded profile for an image, from its first bytes.

import { type ByteSource, memoryBytes } from "../../base/index.ts";
import type { Interpretation } from "../pipeline/pixels.ts";
import { type DeviceSpace, headBytes, isUnusable, type Profile, readHead, type Unusable } from "./icc.ts";
import { isSrgb, neutralOf, readShaper } from "./shaper.ts";
import { checkTable } from "./table-tags.ts";

/** See `ColourFacts` of codec.ts. */
export interface ProfileFacts {
  readonly from: "icc";
  readonly srgb: boolean;
  readonly ignored?: string;
  readonly neutral?: true;
}

/** The space of the profiles that fit such samples; none fits Lab, which needs none. */
const spaceOf: Readonly<Record<Interpretation, DeviceSpace | undefined>> = {
  gray: "gray",
  rgb: "rgb",
  ycc: "rgb",
  cmyk: "cmyk",
  lab: undefined,
};

/** Profiles up to this size are read in one request. */
const readWhole = 32 * 1024;

/**
 * Returns the facts of the profile for samples of this interpretation. Reads its header, tag table and, if it
 * has no tables, its curves: usually about 3 KB, at most 130 KB. Never throws because of its contents.
 */
export async function profileFacts(
  profile: ByteSource,
  interpretation: Interpretation,
): Promise<ProfileFacts> {
  const small = profile.size !== undefined && profile.size <= readWhole;
  const bytes = small ? memoryBytes(await profile.read(0, profile.size)) : profile;
  const found = await openProfile(bytes, interpretation);
  if (isUnusable(found)) return ignoredProfile(found.ignored, interpretation);
  const neutral = isNeutral(found, interpretation) ? ({ neutral: true } as const) : {};
  if (found.model === "table") {
    const wrong = await checkTable(found, bytes);
    return wrong ? ignoredProfile(wrong.ignored, interpretation) : { from: "icc", srgb: false, ...neutral };
  }
  const shaper = await readShaper(found, bytes);
  if (isUnusable(shaper)) return ignoredProfile(shaper.ignored, interpretation);
  return { from: "icc", srgb: isSrgb(neutral.neutral ? neutralOf(shaper) : shaper), ...neutral };
}

/**
 * True for an RGB profile of a gray image, which applies to equal red, green and blue, as browsers and
 * ImageMagick have it.
 */
export const isNeutral = ({ space }: Pick<Profile, "space">, interpretation: Interpretation): boolean =>
  space === "rgb" && interpretation === "gray";

/** Facts of an image whose profile is ignored: its samples count as if there were none. */
export function ignoredProfile(reason: string, interpretation: Interpretation): ProfileFacts {
  return { from: "icc", srgb: interpretation === "gray" || interpretation === "rgb", ignored: reason };
}

/** Returns the profile, if its header is valid and it is for such samples. */
export async function openProfile(
  bytes: ByteSource,
  interpretation: Interpretation,
): Promise<Profile | Unusable> {
  const head = await bytes.read(0, Math.min(headBytes, bytes.size ?? headBytes));
  const profile = readHead(head, bytes.size ?? Number.POSITIVE_INFINITY);
  if (isUnusable(profile) || profile.space === spaceOf[interpretation]) return profile;
  if (isNeutral(profile, interpretation)) return profile;
  return { ignored: `it is for ${names[profile.space]}, and the image is ${names[interpretation]}` };
}

const names = { gray: "gray", rgb: "RGB", ycc: "RGB", cmyk: "CMYK", lab: "Lab" } as const;
