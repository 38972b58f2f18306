// Describes in words how the colours of an image are handled in a JPEG derivative: the policy image.color
// applied to the facts of its file.

import { convertsColours } from "../../imaging/index.ts";
import type { DiagnosisFacts } from "./known.ts";

/** Returns the description; undefined if the header is unknown. */
export function profileUse({
  header,
  settings: { policy },
}: Pick<DiagnosisFacts, "header" | "settings">): string | undefined {
  if (!header) return undefined;
  const { colour, interpretation } = header;
  const target = interpretation === "gray" ? "gray in the tone curve of sRGB" : "sRGB";
  // JPEG supports gray and RGB with their profiles, so it shows the effect of the policy alone.
  const encoder = { rgbOnly: false, profiles: true };
  const converts = convertsColours({ header, request: { quality: "default" }, policy, encoder });
  if (!converts) {
    if (!colour || colour.ignored !== undefined) return "kept as they are, without a profile";
    return colour.srgb ? "kept as they are: they are sRGB" : "kept as they are, with a profile in responses";
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
