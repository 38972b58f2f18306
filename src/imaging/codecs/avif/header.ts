// Header facts of an AVIF file: size, depth, colours and orientation of its primary image (ISO/IEC 23008-12,
// 6.5; AV1 Image File Format; AV1-ISOBMFF, 2.3).

import { type ByteRange, type ByteSource, ImagingError, type Size } from "../../../base/index.ts";
import { isHdr } from "../../colour/code-points.ts";
import { colourFacts, joinPieces } from "../../metadata/colour.ts";
import { readExif } from "../../metadata/exif.ts";
import type { Box } from "../boxes.ts";
import { damagedAvif } from "../damaged.ts";
import { fourCC, type HeaderBytes, headerBytes } from "../header-bytes.ts";
import type { ImageHeader } from "../image-header.ts";
import { type AvifFile, contentOf, type Item, readBoxes } from "./boxes.ts";

export interface AvifHeader {
  readonly file: AvifFile;
  readonly size: Size;
  readonly bits: number;
  readonly isGray: boolean;
  readonly hasAlpha: boolean;
  /** "4:4:4", "4:2:2", "4:2:0" or "4:0:0". */
  readonly subsampling: string;
  /** Image items that the primary image is made of: itself, or those of a grid. */
  readonly cells: readonly number[];
  readonly orientation: number;
  readonly profile?: ByteRange | undefined;
  /** ColourPrimaries and TransferCharacteristics of ITU-T H.273. */
  readonly codePoints?: readonly [primaries: number, transfer: number] | undefined;
  /** Type of the primary image if it is not one that AVIF has. */
  readonly foreign?: number | undefined;
}

const types = { av1: fourCC("av01"), grid: fourCC("grid"), gainMap: fourCC("tmap") } as const;
/** Reasons for which other image items are refused. */
const foreignTypes: Readonly<Record<number, string>> = {
  [fourCC("hvc1")]: "HEIC: its image is coded by HEVC, whose patents forbid a free decoder",
  [fourCC("jpeg")]: "an HEIF file with JPEG images",
  [fourCC("avc1")]: "an HEIF file whose image is coded by H.264",
};

/** Reads the boxes of a file, and the facts of its primary image. Throws ImagingError `decode`. */
export async function readAvifHeader(bytes: ByteSource): Promise<AvifHeader> {
  const head = await headerBytes(bytes);
  const file = await readBoxes(head);
  const { primary, items, references } = file;
  const type = (items.get(primary) as Item).type;
  const ofCells = references.find((each) => each.type === fourCC("dimg") && each.from === primary);
  const cells = type === types.grid ? (ofCells?.to ?? []) : [primary];
  const own = propertiesOf(file, primary);
  const ofFirst = propertiesOf(file, cells[0] ?? primary);
  const coding = ofFirst("av1C")[0];
  const cellType = items.get(cells[0] ?? primary)?.type;
  const foreign = cellType === types.av1 ? undefined : cellType;
  if (!foreign && !coding) throw damagedAvif("a configuration of AV1");
  const flags = coding && !foreign ? await readCodingFlags(head, coding) : 0;
  const isGray = (flags & 0x10) !== 0;
  return {
    file,
    size: await readSize(head, own("ispe")[0]),
    bits: (flags & 0x40) === 0 ? 8 : flags & 0x20 ? 12 : 10,
    isGray,
    hasAlpha: await findAlpha(head, file, [primary, ...cells]),
    subsampling: isGray ? "4:0:0" : (flags & 8) === 0 ? "4:4:4" : flags & 4 ? "4:2:0" : "4:2:2",
    cells,
    orientation: await readOrientation(head, own),
    ...(await readColour(head, own("colr").length > 0 ? own("colr") : ofFirst("colr"))),
    foreign,
  };
}

/** Returns the byte of a configuration of AV1 with the depth and the subsampling. */
async function readCodingFlags(head: HeaderBytes, coding: Box): Promise<number> {
  const view = await contentOf(head, coding, 4);
  if (view.byteLength < 3) throw damagedAvif("a configuration of AV1");
  return view.getUint8(2);
}

/** Returns a function that finds the properties of a type that an item has. */
const propertiesOf = ({ properties }: AvifFile, item: number) => {
  const own = properties.get(item) ?? [];
  return (type: string): readonly Box[] => own.filter((property) => property.type === fourCC(type));
};

async function readSize(head: HeaderBytes, property: Box | undefined): Promise<Size> {
  if (!property) throw damagedAvif("the size of its image");
  const view = await contentOf(head, property);
  if (view.byteLength < 12) throw damagedAvif("the size of its image");
  const [width, height] = [view.getUint32(4), view.getUint32(8)];
  if (width === 0 || height === 0) throw damagedAvif("a size of at least 1");
  return { width, height };
}

const alphaNames = ["urn:mpeg:mpegB:cicp:systems:auxiliary:alpha", "urn:mpeg:hevc:2015:auxid:1"];

/** True if an item is the alpha of one of these. */
async function findAlpha(head: HeaderBytes, file: AvifFile, images: readonly number[]): Promise<boolean> {
  const wanted = new Set(images);
  for (const { type, from, to } of file.references) {
    if (type !== fourCC("auxl") || !to.some((item) => wanted.has(item))) continue;
    const [kind] = propertiesOf(file, from)("auxC");
    const view = kind && (await contentOf(head, kind, 64));
    const name =
      view &&
      String.fromCharCode(...new Uint8Array(view.buffer, view.byteOffset, view.byteLength).subarray(4));
    if (name && alphaNames.some((alpha) => name.startsWith(alpha))) return true;
  }
  return false;
}

/** EXIF orientations by quarter turns against the clock, and by those with a mirror from top to bottom. */
const orientations = { turned: [1, 8, 3, 6], mirrored: [4, 5, 2, 7] } as const;

async function readOrientation(head: HeaderBytes, own: (type: string) => readonly Box[]): Promise<number> {
  const readValue = async (type: string) => {
    const [property] = own(type);
    return property?.length ? (await contentOf(head, property, 1)).getUint8(0) : undefined;
  };
  const quarters = ((await readValue("irot")) ?? 0) & 3;
  const axis = await readValue("imir");
  if (axis === undefined) return orientations.turned[quarters]!;
  // A mirror from side to side is half a turn and one from top to bottom.
  return orientations.mirrored[(quarters + (axis & 1 ? 2 : 0)) & 3]!;
}

/** Values of H.273 that say nothing: those of sRGB are usual. */
const unspecified = 2;

async function readColour(
  head: HeaderBytes,
  labels: readonly Box[],
): Promise<Pick<AvifHeader, "profile" | "codePoints">> {
  const found: { -readonly [K in "profile" | "codePoints"]?: AvifHeader[K] } = {};
  for (const label of labels) {
    const view = await contentOf(head, label, 11);
    if (view.byteLength < 4) continue;
    const kind = view.getUint32(0);
    if (kind === fourCC("prof") || kind === fourCC("rICC"))
      found.profile ??= { offset: label.body + 4, length: (label.length ?? 4) - 4 };
    else if (kind === fourCC("nclx") && view.byteLength >= 8) {
      const [primaries, transfer] = [4, 6].map((at) => Math.min(255, view.getUint16(at))) as [number, number];
      found.codePoints ??= [
        primaries === unspecified ? 1 : primaries,
        transfer === unspecified ? 13 : transfer,
      ];
    }
  }
  return found;
}

/** Largest side and area that the decoder accepts. */
const limits = { side: 32_768, area: 2 ** 28 } as const;
const exifLimit = 64 * 1024;

/** Returns the header facts. Throws ImagingError `decode`, and `not-found` for a page other than 1. */
export async function avifHeader(bytes: ByteSource, page: number): Promise<ImageHeader> {
  if (page !== 1)
    throw new ImagingError(
      "not-found",
      `Expected page 1, the only one of an AVIF picture, received ${page}.`,
      {
        code: "page_not_found",
      },
    );
  const found = await readAvifHeader(bytes);
  const { size, bits, isGray, hasAlpha, orientation, profile, codePoints, cells, file, subsampling } = found;
  const interpretation = isGray ? "gray" : "rgb";
  const icc = profile && joinPieces(bytes, [profile]);
  const cicp = icc || !codePoints ? undefined : Uint8Array.of(...codePoints, 0, 1);
  const colour = await colourFacts({ icc, cicp }, interpretation);
  const exif = await itemBytes(bytes, file, isExif, exifLimit);
  const resolution = exif && readExif(exif.subarray(4)).resolution;
  const unsupported = refusalOf(found);
  return {
    format: "avif",
    ...size,
    bands: (isGray ? 1 : 3) + (hasAlpha ? 1 : 0),
    depth: bits > 8 ? 16 : 8,
    interpretation,
    orientation,
    pages: 1,
    variant: `${bits} bit ${subsampling}${cells.length > 1 ? `, grid of ${cells.length}` : ""}`,
    ...(resolution && { resolution }),
    ...(colour && !(colour.from === "cicp" && colour.srgb && !colour.ignored) && { colour }),
    ...(codePoints && !icc && isHdr(codePoints[1]) && { hdr: true as const }),
    ...([...file.items.values()].some(({ type }) => type === types.gainMap) && { gainMap: true as const }),
    ...(unsupported && { unsupported }),
  };
}

export const isExif = ({ type }: Item): boolean => type === fourCC("Exif");
export const isXmp = ({ contentType }: Item): boolean => contentType === "application/rdf+xml";

/** Returns the bytes of the first item of a kind; undefined without one, or for more than `limit` bytes. */
export async function itemBytes(
  bytes: ByteSource,
  { items, locations, inside }: AvifFile,
  isWanted: (item: Item) => boolean,
  limit: number,
): Promise<Uint8Array | undefined> {
  const [item] = [...items].find(([, each]) => isWanted(each)) ?? [];
  const location = item === undefined ? undefined : locations.get(item);
  if (!location) return undefined;
  const from = location.isInside ? inside : 0;
  const source = joinPieces(
    bytes,
    location.ranges.map(({ offset, length }) => ({ offset: from + offset, length })),
  );
  return source.size === undefined || source.size > limit ? undefined : source.read(0, source.size);
}

function refusalOf({ foreign, size: { width, height } }: AvifHeader): string | undefined {
  if (foreign !== undefined)
    return `This file is ${foreignTypes[foreign] ?? "an HEIF file of a kind that is not read"}. Convert it to AVIF, JPEG or TIFF.`;
  if (Math.max(width, height) > limits.side || width * height > limits.area)
    return `The AVIF image of ${width}x${height} is larger than the ${limits.side} pixels on a side or ${limits.area} in all that are read; convert it to a tiled TIFF.`;
  return undefined;
}
