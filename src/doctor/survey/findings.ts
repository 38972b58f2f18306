// Findings of a survey that the image doctor does not have.

import type { Finding } from "../../base/index.ts";
import { embedProfile } from "../image/findings/commands.ts";
import type { DiagnosisFacts } from "../image/known.ts";

/** Yields findings that are normal for one image, but worth knowing of a collection. */
export function* surveyFindings({ header }: DiagnosisFacts): Iterable<Finding> {
  if (!header || header.unsupported) return;
  const hasProfile = header.colour !== undefined;
  if (hasProfile && header.interpretation === "cmyk")
    yield { level: "note", code: "cmyk", text: "The picture is CMYK: responses are converted to sRGB." };
  if (!hasProfile && header.interpretation === "rgb")
    yield {
      level: "note",
      code: "no_profile",
      text: "The file has no colour profile, so its colours are taken for sRGB.",
      advice: "If it was scanned in another colour space, embed its profile, which is PROFILE.icc here.",
      command: embedProfile,
    };
}
