// The smallest format that is only written, as an example of a row of the table of formats: PGM and PPM of
// Netpbm, a line of text before the samples.

import { concatenate } from "../../../src/base/bytes/concatenate.ts";
import type { Format } from "../../../src/imaging/codecs/format.ts";

export const ppm = {
  title: "PPM",
  write: {
    mediaType: "image/x-portable-pixmap",
    extensions: ["ppm", "pnm"],
    advertised: true,
    optIn: false,
    forModels: true,
    nsPerPixel: 1,
    maxSide: 300,
    depths: [8],
    bilevel: false,
    alpha: false,
    rgbOnly: false,
    profiles: true,
    halvesChroma: false,
    quality: undefined,
    hidesLowBits: false,
    deflates: false,
    encoder: () => ({
      async encode({ width, height, bands, data }) {
        const head = `P${bands === 1 ? 5 : 6} ${width} ${height} 255\n`;
        return concatenate([new TextEncoder().encode(head), data as Uint8Array]);
      },
      embed: async (encoded) => encoded,
    }),
  },
} satisfies Format;
