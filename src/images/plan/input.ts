// What a plan is made of: the facts of a master, the request as it was resolved, the policy, and the two codecs.

import type { Geometry } from "../../iiif/image/geometry.ts";
import type { ImageRequest } from "../../iiif/image/request.ts";
import type { ImageHeader } from "../../imaging/codecs/image-header.ts";
import type { Overlay } from "../overlay/overlay.ts";
import type { CodecFacts, OutputPolicy } from "./policy.ts";

export interface PlanInput {
  readonly header: ImageHeader;
  /** 1-based. */
  readonly page: number;
  /** Length of the master in bytes. */
  readonly fileSize: number;
  /** As {@link ReadRequest.whole}. */
  readonly whole?: boolean;
  readonly request: ImageRequest;
  readonly geometry: Geometry;
  readonly policy: OutputPolicy;
  /** What is laid on the answer; absent: nothing. */
  readonly overlay?: Pick<Overlay, "image" | "settings"> | undefined;
  /** As in `embeddingOf`. */
  readonly confined?: boolean;
  /** The codecs of the master and of the answer. */
  readonly decoder: CodecFacts["decoder"];
  readonly encoder: CodecFacts["encoder"];
}
