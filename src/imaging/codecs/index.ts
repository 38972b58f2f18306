// The decoders and encoders of a thread, one for each row of the table of formats.

import { createColour } from "../colour/transform.ts";
import { createOverlayPixels } from "../render/overlay-pixels.ts";
import type { CodecHost, Decoder, Encoder } from "./codec.ts";
import type { Codecs } from "./codecs.ts";
import { readingOf, recogniseFormat, writingOf } from "./formats.ts";
import { createTools } from "./tools.ts";

/**
 * Creates those of a host. Each is made when it is first asked for, and then stays, like the instances of its
 * WebAssembly modules.
 */
export function createCodecs(host: CodecHost): Codecs {
  const tools = createTools(host);
  const decoders = new Map<string, Decoder>();
  const encoders = new Map<string, Encoder>();
  const decoder = (format: string) => {
    const made = decoders.get(format) ?? readingOf(format).decoder(tools);
    decoders.set(format, made);
    return made;
  };
  return {
    kernels: tools.kernels,
    colour: createColour(host),
    overlays: createOverlayPixels(tools.kernels, () => host.wasm("lcms")),
    ignoredProfile: host.noteIgnoredProfile,
    recognise(head) {
      const format = recogniseFormat(head);
      return format === undefined ? undefined : decoder(format);
    },
    decoder,
    encoder(format) {
      const made = encoders.get(format) ?? writingOf(format).encoder(tools);
      encoders.set(format, made);
      return made;
    },
  };
}
