// The colours that a page gives its image (ISO 32000-2, sections 8.6 and 8.9.5.2).

import type { PdfFile, PdfStream } from "../directory/file.ts";
import { filtersOf } from "../directory/filters.ts";
import { arrayOf, countOf, nameOf, type PdfDictionary } from "../syntax/values.ts";
import type { Other } from "./content.ts";

/** Bytes of a profile that is used. */
const maxProfile = 4 * 2 ** 20;

/** Colour of an image according to the page. */
export interface PageColour {
  /** Number of components; absent if the image itself says. */
  readonly components?: number;
  /** An ICC profile. */
  readonly profile?: PdfStream;
  /** Samples of 0 are full ink, as in the files of Adobe. */
  readonly isInverted: boolean;
}

/** Names of device colour spaces by the number of their components. */
const components: ReadonlyMap<string, number> = new Map([
  ["DeviceGray", 1],
  ["CalGray", 1],
  ["DeviceRGB", 3],
  ["CalRGB", 3],
  ["DeviceCMYK", 4],
]);

/** Reads the colours of an image by its dictionary, or why its own decoder cannot give it them. */
export async function readColour(
  file: PdfFile,
  dictionary: PdfDictionary,
  format: "jpg" | "jp2",
): Promise<PageColour | Other> {
  const unusual = { reason: "its image has colours of an unusual kind" };
  const space = await file.resolve(dictionary.get("ColorSpace"));
  const decode = arrayOf(await file.resolve(dictionary.get("Decode")));
  const isUsual = !decode || decode.every((value, i) => value === i % 2);
  const isInverted = decode?.length === 8 && decode.every((value, i) => value === 1 - (i % 2));
  if (!isUsual && !isInverted) return unusual;
  // A JPEG 2000 file may say itself what its colours are.
  if (space === null) return format === "jp2" && isUsual ? { isInverted: false } : unusual;
  const [family, stream] = arrayOf(space) ?? [space];
  const name = nameOf(await file.resolve(family));
  const profile = name === "ICCBased" ? await file.stream(stream) : undefined;
  const count = profile
    ? countOf(await file.resolve(profile.dictionary.get("N")))
    : components.get(name ?? "");
  if (count === undefined || ![1, 3, 4].includes(count) || isInverted !== (count === 4 && format === "jpg"))
    return unusual;
  const isUsable =
    profile &&
    !profile.isCut &&
    profile.length <= maxProfile &&
    filtersOf(profile.dictionary).every((each) => each === "FlateDecode");
  return { components: count, isInverted, ...(isUsable && { profile }) };
}
