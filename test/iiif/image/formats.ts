// Formats as the server passes them to the grammar and to image information.

import type { Formats } from "../../../src/iiif/image/formats.ts";

export const formats: Formats = {
  jpg: { advertised: true },
  png: { advertised: true },
  tif: { advertised: true },
  webp: { advertised: true },
  jp2: { advertised: false },
};
