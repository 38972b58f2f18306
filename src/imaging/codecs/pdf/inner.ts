// The image inside of a page as a file of its own: a section of the PDF, with the colours that the page gives
// it.

import { type ByteSource, memoryBytes, type NativeZlib, sectionOf } from "../../../base/index.ts";
import { colourFacts } from "../../metadata/colour.ts";
import type { Metadata, MetadataKinds } from "../../metadata/metadata.ts";
import type { Decoder } from "../codec.ts";
import { damagedPdf } from "../damaged.ts";
import type { ImageHeader, Resolution } from "../image-header.ts";
import type { MasterPage } from "../plan.ts";
import { decodeStream } from "./directory/filters.ts";
import type { PageImage } from "./page/page-image.ts";

/** The formats of images that lie in a PDF as whole files. */
export type InnerFormat = PageImage["format"];

/** `ImageHeader.details` of a page that is one image, in addition to those of the image's format. */
type InnerDetails = {
  readonly pdfFormat: InnerFormat;
  /** Offset and length of the image in the file. */
  readonly pdfSection: readonly [offset: number, length: number];
  /** Offset and length of its profile in the file; the last number is 1 if it is compressed. */
  readonly pdfProfile?: readonly [offset: number, length: number, deflated: number];
};

const detailsOf = ({ details }: ImageHeader) => details as InnerDetails | undefined;

/** Returns the format of the image that a page is; undefined for any other page. */
export const innerFormat = (header: ImageHeader): InnerFormat | undefined => detailsOf(header)?.pdfFormat;

/** Returns the header of the image by itself, as its own decoder has made it but for its colours. */
export const innerHeader = (header: ImageHeader): ImageHeader => ({
  ...header,
  format: innerFormat(header) ?? header.format,
  pages: 1,
});

/** Returns what a decoder of the image reads in place of a page. */
export const innerRead = <Read extends MasterPage>(read: Read): Read => ({
  ...read,
  page: 1,
  header: innerHeader(read.header),
  ...("version" in read && { version: read.version && `${read.version} ${read.page}` }),
});

/** Returns the bytes of the image. */
export function innerBytes(bytes: ByteSource, header: ImageHeader): ByteSource {
  const [offset, length] = detailsOf(header)?.pdfSection ?? [0, 0];
  return sectionOf(bytes, offset, length);
}

export const innerLength = (header: ImageHeader): number => detailsOf(header)?.pdfSection[1] ?? 0;

export const innerOffset = (header: ImageHeader): number => detailsOf(header)?.pdfSection[0] ?? 0;

/** True if the page gives its image a profile. */
export const hasOwnProfile = (header: ImageHeader): boolean => detailsOf(header)?.pdfProfile !== undefined;

const bandsOf = { gray: 1, rgb: 3, ycc: 3, cmyk: 4, lab: 3 } as const;
const perCentimetre = 1 / 2.54;

/**
 * Returns the header of a page that is one image; a reason if the image's own file contradicts the page.
 * Throws what the image's decoder throws.
 */
export async function readInnerHeader(
  bytes: ByteSource,
  { format, stream, width, height, orientation, density, colour }: PageImage,
  { decoder, zlib }: { readonly decoder: Decoder; readonly zlib: NativeZlib | undefined },
): Promise<ImageHeader | { readonly reason: string }> {
  const { offset, length, isCut } = stream;
  const inner = await decoder.probe(sectionOf(bytes, offset, length), 1);
  if (inner.unsupported !== undefined) return { reason: "its image is of an unusual kind" };
  if (inner.width !== width || inner.height !== height) return { reason: "its image has another size" };
  const { components, profile, isInverted } = colour;
  const bands = bandsOf[inner.interpretation];
  if (
    (components ?? bands) !== bands ||
    inner.bands !== bands ||
    isInverted !== (inner.interpretation === "cmyk" && format === "jpg")
  )
    return { reason: "its image has colours of an unusual kind" };
  const deflated = profile?.dictionary.get("Filter") ? 1 : 0;
  const details: InnerDetails = {
    pdfFormat: format,
    pdfSection: [offset, length],
    ...(profile && { pdfProfile: [profile.offset, profile.length, deflated] }),
  };
  const { colour: own, ...facts } = inner;
  const header: ImageHeader = {
    ...facts,
    format: "pdf",
    orientation,
    resolution: resolutionOf(density),
    ...(isCut && { incomplete: true }),
    details: { ...inner.details, ...details },
  };
  // Without a colour space of the page, that of the image counts; otherwise its own profile does not.
  if (components === undefined) return { ...header, colour: own };
  const icc = await readProfile(bytes, header, zlib);
  return { ...header, colour: icc && (await colourFacts({ icc: memoryBytes(icc) }, inner.interpretation)) };
}

const resolutionOf = ([x, y]: PageImage["density"]): Resolution => ({
  x: x * perCentimetre,
  y: y * perCentimetre,
});

/** Bytes of an inflated profile. */
const maxProfile = 8 * 2 ** 20;

/** Returns the profile that a page gives its image; undefined if it gives none. Throws `decode`. */
async function readProfile(
  bytes: ByteSource,
  header: ImageHeader,
  zlib: NativeZlib | undefined,
): Promise<Uint8Array | undefined> {
  const [offset, length, deflated] = detailsOf(header)?.pdfProfile ?? [];
  if (offset === undefined || length === undefined) return undefined;
  const filter = deflated ? ([["Filter", { name: "FlateDecode" }]] as const) : [];
  const profile = await decodeStream(new Map(filter), await bytes.read(offset, length), maxProfile, zlib);
  if (!profile) throw damagedPdf(`a profile of at most ${maxProfile} bytes`, "a longer one");
  return profile;
}

/** Reads the metadata of an image, with the profile that its page gives it. */
export async function readInnerMetadata(
  bytes: ByteSource,
  header: ImageHeader,
  {
    decoder,
    zlib,
    kinds,
  }: {
    readonly decoder: Decoder;
    readonly zlib: NativeZlib | undefined;
    readonly kinds: MetadataKinds | undefined;
  },
): Promise<Metadata> {
  const own = await decoder.metadata?.read(innerBytes(bytes, header), innerHeader(header), kinds);
  if (header.colour?.from !== "icc" && own?.icc === undefined) return own ?? {};
  const given = await readProfile(bytes, header, zlib);
  return { ...own, icc: given ?? (header.colour?.from === "icc" ? own?.icc : undefined) };
}
