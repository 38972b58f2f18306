// Unsupported kinds of TIFF images, and the messages about them.

import {
  type Compression,
  compressions,
  isJpeg2000,
  JPEG,
  OLD_JPEG,
  WEBP,
} from "../compression/compression.ts";
import { isSubsampled } from "../samples/ycc.ts";
import { type Photometric, photometrics } from "./photometrics.ts";
import type { Picture } from "./picture.ts";

const MAX_BILEVEL_WIDTH = 1 << 20;

/** Returns what was expected and what the image has instead, if it is unsupported. */
export function refusalOf(picture: Picture, format: number): Refusal | undefined {
  const { compression, photometric } = picture;
  const row = compressions[compression];
  if (!row || (!row.open && !row.whole && !row.stream))
    return ["a compression that is served", row ? `${row.name} compression` : `compression ${compression}`];
  const colour = photometrics[photometric];
  if (!colour?.samples)
    return [
      "a colour interpretation that is served",
      colour ? colour.name : `photometric interpretation ${photometric}`,
    ];
  const facts: Facts = { ...picture, format, row, colour: colour as Facts["colour"] };
  return rules.find(({ refuses }) => refuses(facts))?.says(facts);
}

/** The expected and the received value. */
export type Refusal = readonly [string, string];

/** Formats a refusal for the caller. */
export const refusalText = ([expected, received]: Refusal) =>
  `Expected a TIFF with ${expected}, received ${received}; convert the file to a kind that is served, such as deflate-compressed RGB.`;

/** An image whose compression and colours are known. */
interface Facts extends Picture {
  /** SampleFormat of the first sample. */
  readonly format: number;
  readonly row: Compression;
  readonly colour: Photometric & { readonly samples: number };
}

const upTo16: readonly number[] = Array.from({ length: 16 }, (_, i) => i + 1);
const upTo16And32: readonly number[] = [...upTo16, 32];
const differenced: readonly number[] = [8, 16, 32, 64];

/** Returns the supported depths for a kind of samples. */
function depthsOf({ float, signed, photometric, samples, colour, ycc }: Facts): readonly number[] {
  const isLab = colour.interpretation === "lab";
  if (float) return isLab ? [32] : [16, 24, 32, 64];
  if (photometric === 3) return samples > 1 ? [8] : [1, 2, 4, 8, 16];
  if (isLab || ycc || colour.interpretation === "cmyk") return [8, 16];
  return signed ? [8, 16, 32] : upTo16And32;
}

/** Formats "1, 2 and 4", or "1 to 16 and 32" for long lists. */
const depthText = (depths: readonly number[]) =>
  depths.length > upTo16.length ? "1 to 16 and 32" : depths.join(", ");

/** Rules of refusal, of which the first match applies; later ones may rely on those before. */
const rules: readonly {
  readonly refuses: (facts: Facts) => boolean;
  readonly says: (facts: Facts) => Refusal;
}[] = [
  {
    refuses: ({ samples, colour }) => samples < colour.samples,
    says: ({ samples, colour }) => [`${colour.samples} samples for ${colour.name}`, `${samples}`],
  },
  {
    refuses: ({ format }) => format < 1 || format > 4,
    says: ({ format }) => ["integer or floating-point samples", `sample format ${format}`],
  },
  {
    refuses: ({ signed, photometric, alpha, row }) =>
      signed && ((photometric !== 1 && photometric !== 2) || alpha !== "none" || row.whole !== undefined),
    says: ({ colour, alpha }) => [
      "signed samples only in BlackIsZero or RGB without alpha, uncompressed or without loss",
      `signed ${colour.name}${alpha === "none" ? "" : " with alpha"}`,
    ],
  },
  {
    refuses: (facts) => !depthsOf(facts).includes(facts.bits),
    says: (facts) => {
      const { float, signed, photometric, samples, bits } = facts;
      const kind = float ? "floating-point " : signed ? "signed " : "";
      const beside = photometric === 3 && samples > 1 ? " for a palette beside other samples" : "";
      return [`${kind}samples of ${depthText(depthsOf(facts))} bits${beside}`, `${bits} bits`];
    },
  },
  {
    refuses: ({ float, photometric }) => float && photometric === 3,
    says: () => ["integer indices of a palette", "floating-point samples"],
  },
  {
    refuses: ({ float, colour }) => float && colour.interpretation === "cmyk",
    says: () => ["integer CMYK samples", "floating-point samples"],
  },
  {
    refuses: ({ row, blockWidth }) => row.bilevel === true && blockWidth > MAX_BILEVEL_WIDTH,
    says: ({ row, blockWidth }) => [
      `at most ${MAX_BILEVEL_WIDTH} pixels in a row for ${row.name}`,
      `${blockWidth}`,
    ],
  },
  {
    refuses: ({ row, bits, samples }) => row.bilevel === true && (bits !== 1 || samples !== 1),
    says: ({ row, bits, samples }) => [`one sample of 1 bit for ${row.name}`, `${samples} of ${bits} bits`],
  },
  {
    refuses: ({ compression, photometric, planar }) =>
      compression === OLD_JPEG && (planar || (photometric !== 1 && photometric !== 6)),
    says: ({ colour, planar }) => [
      "BlackIsZero or YCbCr in interleaved old-style JPEG",
      planar ? "planes" : colour.name,
    ],
  },
  {
    refuses: ({ compression, width, blockWidth }) => compression === OLD_JPEG && blockWidth < width,
    says: () => ["one column of tiles in old-style JPEG", "several"],
  },
  {
    refuses: ({ compression, bits, photometric, planar }) =>
      compression === JPEG && (bits !== 8 || photometric > 6 || photometric === 3 || planar),
    says: ({ bits, colour, planar }) => [
      "8-bit gray, RGB, CMYK or YCbCr in interleaved JPEG",
      planar ? "planes" : `${bits}-bit ${colour.name}`,
    ],
  },
  {
    refuses: ({ compression, samples, colour, photometric }) =>
      compression === JPEG && samples !== colour.samples && !(photometric === 2 && samples === 4),
    says: ({ samples, colour }) => [`${colour.samples} samples of ${colour.name} in JPEG`, `${samples}`],
  },
  {
    refuses: ({ compression, bits, photometric, samples, planar }) =>
      compression === WEBP && (bits !== 8 || photometric !== 2 || samples > 4 || planar),
    says: ({ samples, colour, planar }) => [
      "8-bit RGB, with or without alpha, in interleaved WebP",
      planar ? "planes" : `${samples} samples of ${colour.name}`,
    ],
  },
  {
    refuses: ({ compression, bits, float, photometric, samples, planar }) =>
      isJpeg2000(compression) &&
      ((bits !== 8 && bits !== 16) ||
        float ||
        photometric > 6 ||
        photometric === 3 ||
        (photometric === 6 && samples > 4) ||
        planar),
    says: ({ bits, codedBits, float, colour, planar }) => [
      "gray, RGB, CMYK or YCbCr of 1 to 16 bits in interleaved JPEG 2000",
      planar ? "planes" : `${float ? "floating-point" : `${codedBits ?? bits}-bit`} ${colour.name}`,
    ],
  },
  {
    refuses: ({ ycc, bits, float }) => ycc !== undefined && (bits !== 8 || float),
    says: ({ bits }) => ["8-bit YCbCr", `${bits}-bit YCbCr`],
  },
  {
    refuses: ({ ycc, samples, planar, predictor }) =>
      ycc !== undefined && isSubsampled(ycc) && (samples !== 3 || planar || predictor !== 1),
    says: () => [
      "subsampled chroma beside luma, without predictor and further samples",
      "YCbCr that is stored otherwise",
    ],
  },
  {
    refuses: ({ predictor }) => predictor !== 1 && predictor !== 2 && predictor !== 3,
    says: ({ predictor }) => ["predictor 1, 2 or 3", `${predictor}`],
  },
  {
    refuses: ({ predictor, bits }) => predictor === 2 && !differenced.includes(bits),
    says: ({ bits }) => [
      `no predictor beside samples of other than ${differenced.join(", ")} bits`,
      `predictor 2 of ${bits} bits`,
    ],
  },
  {
    refuses: ({ predictor, float }) => predictor === 3 && !float,
    says: ({ bits }) => ["predictor 3 with floating-point samples only", `${bits}-bit integers`],
  },
  {
    // JPEG has only one bit order, whatever FillOrder says.
    refuses: ({ reversedBits, row, compression }) => reversedBits && !row.open && compression !== JPEG,
    says: ({ row }) => ["bits filled from the high end", `reversed bits in ${row.name}`],
  },
];
