// What becomes of a master's colours and metadata in an answer: the policies image.metadata and image.color.

import type { ImageRequest } from "../../iiif/image/request.ts";
import type { ImageHeader } from "../../imaging/codecs/image-header.ts";
import type { Embedding } from "../../imaging/codecs/plan.ts";
import type { CodecFacts, OutputPolicy } from "./policy.ts";

interface Answer {
  readonly header: ImageHeader;
  readonly request: Pick<ImageRequest, "quality">;
  readonly policy: Pick<OutputPolicy, "metadata" | "color">;
  readonly encoder: Pick<CodecFacts["encoder"], "rgbOnly">;
  /** The answer is a substitute: what the master says of itself may hold small pictures of it, and is for those with access. */
  readonly confined?: boolean;
}

/** Whether an answer has one band of colour: a gray master's has, and that of quality gray or bitonal. */
const isGray = ({ header, request }: Answer) =>
  header.interpretation === "gray" || request.quality === "gray" || request.quality === "bitonal";

/**
 * Whether the master's own colours are left as they are and told by its profile. Not where that does not fit the answer:
 * a colour profile on gray, a gray one on what a format can only write as RGB, levels where only black and white are left.
 */
function keepsColours(answer: Answer): boolean {
  const { header, request, policy, encoder } = answer;
  if (policy.color !== "respect-icc") return false;
  if (header.interpretation === "rgb") return !isGray(answer);
  return header.interpretation === "gray" && request.quality !== "bitonal" && !encoder.rgbOnly;
}

/** Whether the master's colours become sRGB (gray: in its tone curve). */
export const convertsColours = (answer: Answer): boolean => !keepsColours(answer);

/** What is embedded in the answer; undefined: nothing. Gray in sRGB's tone curve needs no profile: it is what viewers assume. */
export function embeddingOf(answer: Answer): Embedding | undefined {
  const { header, policy, confined = false } = answer;
  const preserve = policy.metadata === "preserve";
  const profile = profileOf(answer);
  if (!preserve && !profile) return undefined;
  return {
    ...(profile && { profile }),
    metadata: preserve && !confined,
    ...(preserve && { orientation: header.orientation }),
  };
}

function profileOf(answer: Answer): Embedding["profile"] {
  const { colour } = answer.header;
  if (!keepsColours(answer)) return isGray(answer) ? undefined : "srgb";
  if (!colour || colour.ignored !== undefined) return undefined;
  if (colour.from === "icc" || !colour.srgb) return "source";
  return isGray(answer) ? undefined : "srgb";
}
