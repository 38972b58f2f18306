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
  /** Throws ImagingError `unsupported` for a format that this build does not read. */
  byFormat(format: SourceFormat): Codec;
  /** Throws ImagingError `unsupported` for a format that this build does not write. */
  encoder(format: OutputFormat): Encoder;
  /** Kernels of the steps between decoding and encoding. */
  readonly kernels: Kernels;
  /** Transforms by profiles. */
  readonly colour: Colour;
  /** Overlays that this thread has. */
  readonly overlays: OverlayPixels;
  /** Hears of profiles that turned out not to be usable. */
  readonly ignoredProfile?: CodecHost["noteIgnoredProfile"];
}
