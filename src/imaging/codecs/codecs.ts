// The imaging parts of a thread: decoders and encoders by format, and the kernels of the steps between them.

import type { Colour } from "../colour/transform.ts";
import type { Kernels } from "../pipeline/step.ts";
import type { OverlayPixels } from "../render/overlay-pixels.ts";
import type { CodecHost, Decoder, Encoder } from "./codec.ts";

export interface Codecs {
  /** Returns the decoder of a file by its first `headLength` bytes, or undefined if its format is unknown. */
  recognise(head: Uint8Array): Decoder | undefined;
  /** Throws ImagingError `unsupported` for a format that this build cannot read. */
  decoder(format: string): Decoder;
  /** Throws ImagingError `unsupported` for a format that this build cannot write. */
  encoder(format: string): Encoder;
  /** Kernels of the steps between decoding and encoding. */
  readonly kernels: Kernels;
  /** Colour transforms by profile. */
  readonly colour: Colour;
  /** Overlay pixels of this thread. */
  readonly overlays: OverlayPixels;
  /** Reports unusable profiles. */
  readonly ignoredProfile?: CodecHost["noteIgnoredProfile"];
}
