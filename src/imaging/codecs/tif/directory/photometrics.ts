// PhotometricInterpretation: the meaning of samples as colours (TIFF 6.0 sections 3 to 6, 16, 20 to 23, and
// extensions).

import type { Interpretation } from "../../../pipeline/pixels.ts";

/** Colour meaning of samples: stored colour samples and the result, or only a name if unsupported. */
export interface Photometric {
  readonly name: string;
  readonly samples?: number;
  readonly interpretation?: Interpretation;
}

export const photometrics: Readonly<Record<number, Photometric>> = {
  0: { name: "WhiteIsZero", samples: 1, interpretation: "gray" },
  1: { name: "BlackIsZero", samples: 1, interpretation: "gray" },
  2: { name: "RGB", samples: 3, interpretation: "rgb" },
  3: { name: "palette", samples: 1, interpretation: "rgb" },
  4: { name: "transparency mask" },
  5: { name: "CMYK", samples: 4, interpretation: "cmyk" },
  6: { name: "YCbCr", samples: 3, interpretation: "rgb" },
  8: { name: "CIELab", samples: 3, interpretation: "lab" },
  9: { name: "ICCLab", samples: 3, interpretation: "lab" },
  10: { name: "ITULab" },
  32803: { name: "colour filter array" },
  32844: { name: "LogL" },
  32845: { name: "LogLuv" },
  34892: { name: "linear raw" },
};
