// What becomes of the colours of an image in a JPEG answer, in words: the policy image.color applied to what its file says.

import { convertsColours } from "../plan/metadata-policy.ts";
import type { Known } from "./known.ts";

/** undefined where the header is not known. */
export function profileUse({
  header,
  settings: { policy },
}: Pick<Known, "header" | "settings">): string | undefined {
  if (!header) return undefined;
  const { colour, interpretation } = header;
  const target = interpretation === "gray" ? "gray in the tone curve of sRGB" : "sRGB";
  // JPEG holds gray and RGB with their profiles, so it shows what the policy means.
  const converts = convertsColours({ header, request: { quality: "default" }, policy, encoder: {} });
  if (!converts) {
    if (!colour || colour.ignored !== undefined) return "kept as they are, without a profile";
    return colour.srgb
      ? "kept as they are: they are sRGB"
      : "kept as they are, and told by a profile in answers";
  }
  if (colour?.ignored !== undefined)
    return `the profile is ignored; ${withoutProfile(interpretation, target)}`;
  if (!colour) return withoutProfile(interpretation, target);
  return colour.srgb ? `left as they are, which is ${target}` : `converted to ${target}`;
}

function withoutProfile(interpretation: string, target: string): string {
  if (interpretation === "cmyk") return "converted to sRGB as inks of SWOP on coated paper";
  if (interpretation === "lab") return "converted from CIELAB to sRGB";
  return `left as they are, which counts as ${target}`;
}
