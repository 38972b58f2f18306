// Input of a plan: facts of the master, resolved request, policy, and the two codecs.

import type { Geometry, ImageRequest } from "../../../iiif/index.ts";
import type { ImageHeader } from "../../../imaging/index.ts";
import type { Overlay } from "../overlay/overlay.ts";
import type { CodecFacts, OutputPolicy } from "./policy.ts";

export interface PlanInput {
  readonly header: ImageHeader;
  /** Page number, from 1. */
  readonly page: number;
  /** Length of the master in bytes. */
  readonly fileSize: number;
  /** See {@link ReadRequest.whole}. */
  readonly whole?: boolean;
  readonly request: ImageRequest;
  readonly geometry: Geometry;
  readonly policy: OutputPolicy;
  /** Overlay of the derivative; absent if it has none. */
  readonly overlay?: Pick<Overlay, "image" | "settings"> | undefined;
  /** True if the derivative is a substitute; see `embeddingOf`. */
  readonly confined?: boolean;
  /** Decoder of the master, and how the format of the derivative is written. */
  readonly decoder: CodecFacts["decoder"];
  readonly encoder: CodecFacts["encoder"];
}
