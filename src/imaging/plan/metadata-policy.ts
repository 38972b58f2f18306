// Handling of a master's colours and metadata in a derivative: the policies image.metadata and image.color.

import type { Writing } from "../codecs/format.ts";
import type { ImageHeader } from "../codecs/image-header.ts";
import type { Embedding } from "../codecs/plan.ts";
import type { Rendition } from "./input.ts";
import type { OutputPolicy } from "./policy.ts";

interface EmbeddingInput {
  readonly header: ImageHeader;
  readonly request: Pick<Rendition, "quality">;
  readonly policy: Pick<OutputPolicy, "metadata" | "color">;
  readonly encoder: Pick<Writing, "rgbOnly" | "profiles">;
  /**
   * True if the derivative is a substitute: metadata of the master are then not embedded, since they may
   * contain thumbnails of it, and are only for readers with access.
   */
  readonly confined?: boolean;
}

/** True if a derivative has a single colour band: the master is gray, or the quality is gray or bitonal. */
const isGray = ({ header, request }: EmbeddingInput) =>
  header.interpretation === "gray" || request.quality === "gray" || request.quality === "bitonal";

/**
 * True if the master's own colours are kept and described by its profile. False if that does not fit the
 * derivative: a colour profile on gray (of the request or of the master itself), a gray profile on a format
 * that writes gray as RGB, or a bitonal derivative.
 */
function keepsColours(input: EmbeddingInput): boolean {
  const { header, request, policy, encoder } = input;
  if (policy.color !== "respect-icc" || !encoder.profiles) return false;
  if (header.interpretation === "rgb") return !isGray(input);
  if (header.colour?.neutral) return false;
  return header.interpretation === "gray" && request.quality !== "bitonal" && !encoder.rgbOnly;
}

/** True if the colours are converted to sRGB (gray: to its tone curve). */
export const convertsColours = (input: EmbeddingInput): boolean => !keepsColours(input);

/**
 * Returns the profile and metadata to embed in the derivative; undefined if there are none. Gray in the tone
 * curve of sRGB needs no profile: viewers assume it.
 */
export function embeddingOf(input: EmbeddingInput): Embedding | undefined {
  const { header, policy, confined = false } = input;
  const preserve = policy.metadata === "preserve";
  const profile = profileOf(input);
  if (!preserve && !profile) return undefined;
  return {
    ...(profile && { profile }),
    metadata: preserve && !confined,
    ...(preserve && { orientation: header.orientation }),
  };
}

function profileOf(input: EmbeddingInput): Embedding["profile"] {
  const { colour } = input.header;
  if (!keepsColours(input)) return isGray(input) ? undefined : "srgb";
  if (!colour || colour.ignored !== undefined) return undefined;
  if (colour.from === "icc" || !colour.srgb) return "source";
  return isGray(input) ? undefined : "srgb";
}
