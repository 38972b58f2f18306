// Input of a plan: facts of the master, resolved request, policy, decoder and the format to write.

import type { Size } from "../../base/index.ts";
import type { Decoder } from "../codecs/codec.ts";
import type { Writing } from "../codecs/format.ts";
import type { ImageHeader, Rectangle } from "../codecs/image-header.ts";
import type { OverlayLayout } from "../pipeline/steps/overlay-layout.ts";
import type { OverlayImage } from "../render/overlay-pixels.ts";
import type { OutputPolicy } from "./policy.ts";

/** Rotation, quality and format of a derivative. */
export interface Rendition {
  /** Mirrored first, then turned clockwise; `degrees` is from 0 to below 360. */
  readonly rotation: { readonly mirror: boolean; readonly degrees: number };
  readonly quality: "default" | "color" | "gray" | "bitonal";
  readonly format: string;
}

/** Region to read and size of the derivative before rotation, on the upright image. */
export interface Extent {
  readonly region: Rectangle;
  readonly size: Size;
  /** A power of two if the scale is exactly that on both axes, on a grid from the image's origin. */
  readonly scaleFactor?: number;
  /** What the derivative is made of if access limits the detail; then `scaleFactor` is absent. */
  readonly detail?: Detail;
}

/** The pixels of one rendering of the whole image, from which alone a derivative is made. */
export interface Detail {
  /** Size of the whole image at that scale. */
  readonly grid: Size;
  /** The part of it that the derivative shows: whole pixels, at least as many as the derivative has. */
  readonly cells: Rectangle;
}

export interface PlanInput {
  readonly header: ImageHeader;
  /** Page number, from 1. */
  readonly page: number;
  /** Length of the master in bytes. */
  readonly fileSize: number;
  /** See {@link ReadRequest.whole}. */
  readonly whole?: boolean;
  readonly request: Rendition;
  readonly geometry: Extent;
  readonly policy: OutputPolicy;
  /** Overlay of the derivative; absent if it has none. */
  readonly overlay?: { readonly image: OverlayImage; readonly settings: OverlayLayout } | undefined;
  /** True if the derivative is a substitute; see `embeddingOf`. */
  readonly confined?: boolean;
  readonly decoder: Pick<Decoder, "hasWindow" | "scales" | "memory" | "rows" | "sidecar">;
  readonly encoder: Writing;
}
