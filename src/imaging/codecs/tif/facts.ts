// Storage of a page of a TIFF (TIFF 6.0, sections 3 to 8, 14, 15, 18 to 21).

import type { ByteSource, Size } from "../../../base/index.ts";
import type { FileFacts } from "../file-facts.ts";
import type { ImageHeader } from "../image-header.ts";
import { compressions } from "./compression/compression.ts";
import {
  type Directory,
  openTiff,
  readDirectory,
  readField,
  readNumber,
  type TiffFile,
} from "./directory/ifd.ts";
import { photometrics } from "./directory/photometrics.ts";
import { readPicture } from "./directory/read-picture.ts";
import { stagesOf } from "./directory/stages.ts";
import { tags } from "./directory/tags.ts";

const predictors: Readonly<Record<number, NonNullable<FileFacts["predictor"]>>> = {
  1: "none",
  2: "horizontal",
  3: "floating point",
};
/** Values of Compression that are always lossless, or always lossy; the others may be either. */
const lossless: ReadonlySet<number> = new Set([1, 2, 3, 4, 5, 8, 32773, 32946, 34925, 50000]);
const lossy: ReadonlySet<number> = new Set([6, 7, 34892]);
const jpegs: ReadonlySet<number> = new Set([6, 7]);

/** Returns facts of a page's directory. Throws ImagingError `decode`. */
export async function tiffFacts(bytes: ByteSource, header: ImageHeader): Promise<FileFacts> {
  const file = await openTiff(bytes);
  const stages = stagesOf(header);
  const directory = await readDirectory(file, stages[0]?.offset ?? file.first);
  const picture = await readPicture(file, directory);
  const { compression, photometric, samples, bits, tiled, blockWidth, blockHeight, alpha } = picture;
  const entries = photometric === 3 ? directory.entries.get(tags.ColorMap)?.count : undefined;
  return {
    container: file.big ? "BigTIFF" : "TIFF",
    byteOrder: file.littleEndian ? "little endian" : "big endian",
    bits: Array.from({ length: samples }, () => bits),
    sampleFormat: picture.float ? "floating point" : picture.signed ? "signed integer" : "unsigned integer",
    colours: photometrics[photometric]?.name ?? `photometric interpretation ${photometric}`,
    ...(entries !== undefined && { paletteEntries: Math.floor(entries / 3) }),
    ...(alpha !== "none" && {
      transparency: alpha === "associated" ? "associated alpha" : "unassociated alpha",
    }),
    compression: compressions[compression]?.name ?? `compression ${compression}`,
    ...((lossless.has(compression) || lossy.has(compression)) && { lossless: lossless.has(compression) }),
    ...(directory.entries.has(tags.Predictor) && { predictor: predictors[picture.predictor] ?? "none" }),
    layout: tiled ? "tiles" : "strips",
    block: { width: blockWidth, height: blockHeight },
    blocks: Math.ceil(picture.width / blockWidth) * Math.ceil(picture.height / blockHeight),
    ...(samples > 1 && { planar: picture.planar }),
    ...(photometric === 6 && (await subsampling(file, directory, jpegs.has(compression)))),
    levels: await Promise.all(stages.slice(1).map(({ offset }) => sizeAt(file, offset))),
  };
}

/** Returns the size of a directory's picture. */
async function sizeAt(file: TiffFile, offset: number): Promise<Size> {
  const directory = await readDirectory(file, offset);
  const side = async (tag: number) => (await readNumber(file, directory, tag)) ?? 0;
  return { width: await side(tags.ImageWidth), height: await side(tags.ImageLength) };
}

const samplings: Readonly<Record<string, string>> = {
  "1,1": "4:4:4",
  "2,1": "4:2:2",
  "2,2": "4:2:0",
  "1,2": "4:4:0",
  "4,1": "4:1:1",
  "4,2": "4:1:0",
};

/**
 * According to the field; without it chroma is halved both ways, or as the JPEG data say (TIFF 6.0, section
 * 21).
 */
async function subsampling(
  file: TiffFile,
  directory: Directory,
  jpeg: boolean,
): Promise<Pick<FileFacts, "subsampling"> | undefined> {
  const stated = await readField(file, directory, tags.YCbCrSubSampling, 2);
  if (!stated && jpeg) return undefined;
  const factors = (stated ?? [2, 2]).join(",");
  return { subsampling: samplings[factors] ?? factors.replace(",", "x") };
}
