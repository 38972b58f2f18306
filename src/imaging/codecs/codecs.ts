// The imaging parts of a thread: the codecs by format, and the kernels of the steps between them.

import type { Colour } from "../colour/transform.ts";
import type { Kernels } from "../pipeline/step.ts";
import type { OverlayPixels } from "../render/overlay-pixels.ts";
import type { Codec, CodecHost, Encoder } from "./codec.ts";
import type { SourceFormat } from "./image-header.ts";
import type { OutputFormat } from "./plan.ts";

export interface Codecs {
  /** Returns the format of a file by its first 64 bytes, or undefined if it is unknown. */
  recognise(head: Uint8Array): Codec | undefined;
  /** Throws ImagingError `unsupported` for a format that this build cannot read. */
  byFormat(format: SourceFormat): Codec;
  /** Throws ImagingError `unsupported` for a format that this build cannot write. */
  encoder(format: OutputFormat): Encoder;
  /** Kernels of the steps between decoding and encoding. */
  readonly kernels: Kernels;
  /** Colour transforms by profile. */
  readonly colour: Colour;
  /** Overlay pixels of this thread. */
  readonly overlays: OverlayPixels;
  /** Reports unusable profiles. */
  readonly ignoredProfile?: CodecHost["noteIgnoredProfile"];
}
