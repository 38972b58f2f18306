// Reads the facts in the header of a JPEG file, up to the first scan (ITU-T T.81, annex B; JFIF 1.02).

import { type ByteSource, ImagingError } from "../../../../base/index.ts";
import { type ColourFields, colourFacts, joinPieces } from "../../../metadata/colour.ts";
import { type Exif, readExif } from "../../../metadata/exif.ts";
import { damagedJpgHeader } from "../../damaged.ts";
import type { ImageHeader, Resolution } from "../../image-header.ts";
import { type FrameHeader, frameKinds, frameOfHeight, readFrameHeader } from "./frame.ts";
import { findLineCount, maxSearchLength } from "./line-count.ts";
import { isNamed, type MarkerWalk, marker, type Segment, walkMarkers, word } from "./walk.ts";

/** `ImageHeader.details` of a JPEG: facts that the decoder needs in addition to the general ones. */
export type JpegDetails = {
  /** File offset of the frame header's marker. */
  readonly frameOffset: number;
  /**
   * Rows of full-size pixels in one row of interleaved MCUs: 8 times the largest vertical sampling factor.
   */
  readonly mcuHeight: number;
  /** True if there is more than one scan: decoding then holds the coefficients of the whole image. */
  readonly multiscan: boolean;
  /** Subsampling of the components: none; chroma by at most half along an axis; or anything more. */
  readonly subsampling: "none" | "halved" | "more";
  readonly arithmetic: boolean;
  /** True if the height is stated after the first scan, not in the frame header. */
  readonly lateHeight?: true;
};

/** Returns the details of a header that {@link readJpegHeader} made. */
export function detailsOf(header: ImageHeader): JpegDetails {
  return header.details as JpegDetails;
}

/** Small windows, since the walk looks at a few bytes of each segment. */
const windowBytes = 2048;
/** libjpeg's limit on a side in pixels, below the format's 65535. */
export const maxSide = 65500;

/** Values collected from the segments before the first scan. */
interface HeaderSegments {
  frame: FrameHeader | undefined;
  hierarchical: boolean;
  /** Resolution in the JFIF segment. */
  density: Resolution | undefined;
  exif: Exif | undefined;
  hasGainMap: boolean;
  readonly profile: ProfilePart[];
}

/** Marks of a map to a high dynamic range: of ISO 21496-1 in APP2, and of Ultra HDR 1.0 in XMP. */
const gainMapName = "urn:iso:std:iso:ts:21496:-1\0";
const xmpName = "http://ns.adobe.com/xap/1.0/\0";
const gainMapProperty = "hdrgm:Version";
/** Bytes at the front of XMP that are searched for it. */
const searchedBytes = 1024;

/**
 * Reads the header of a JPEG file: 2 KiB of each segment before the first scan, the whole EXIF segment, and
 * the part of a profile that says its kind. Throws ImagingError `decode`, code `not_an_image` if the file is
 * no JPEG, `damaged_header` if the header is broken. Valid files of an unsupported kind are returned with
 * `unsupported` set.
 */
export async function readJpegHeader(bytes: ByteSource): Promise<ImageHeader> {
  const walk = walkMarkers(bytes, windowBytes);
  if (!(await walk.isImage()))
    throw new ImagingError(
      "decode",
      "Expected a JPEG file, which begins with the bytes FF D8; received something else. Check the source file.",
      { code: "not_an_image" },
    );
  const seen: HeaderSegments = {
    frame: undefined,
    hierarchical: false,
    density: undefined,
    exif: undefined,
    hasGainMap: false,
    profile: [],
  };
  for await (const segment of walk.segments(2)) {
    const { code, length, end } = segment;
    if (code === marker.soi || code === marker.eoi)
      throw damagedJpgHeader(
        "a frame and a scan",
        code === marker.eoi ? "the end of the image" : "a second start",
      );
    if (length === undefined) throw damagedJpgHeader("a segment", "the end of the file");
    if (code === marker.sos) {
      if (!seen.frame) throw damagedJpgHeader("a frame header before the first scan", "none");
      const [components = 0] = await walk.body(segment, 1);
      return describeBefore(bytes, seen, seen.frame, { components, dataAt: end });
    }
    await takeSegment(seen, { ...segment, length }, walk, bytes);
    // JPEG-LS and hierarchical files are refused, and other rules apply after their frame header.
    if (seen.frame && (frameKinds[seen.frame.code]?.refused || seen.hierarchical))
      return describeFrame(seen.frame, { ...seen, lateHeight: false, multiscan: false });
  }
  throw damagedJpgHeader("a scan", "the end of the file");
}

/** Adds what a segment before the first scan says to `seen`. */
async function takeSegment(
  seen: HeaderSegments,
  segment: Segment & { readonly length: number },
  walk: MarkerWalk,
  bytes: ByteSource,
): Promise<void> {
  const { at, code, length } = segment;
  if (code in frameKinds) {
    if (seen.frame && !seen.hierarchical) throw damagedJpgHeader("one frame header", "two");
    seen.frame ??= readFrameHeader(await walk.body(segment), segment);
    return;
  }
  if (code === marker.dhp) seen.hierarchical = true;
  if ((code > 0x01 && code < 0xc0) || (code >= 0xf0 && code <= 0xfd))
    throw damagedJpgHeader(
      "a marker of ITU-T T.81",
      `the reserved marker ${code.toString(16).toUpperCase()}`,
    );
  if (code < marker.app0 || code > marker.app15) return;
  const head = await walk.body(segment, 14);
  if (code === marker.app1 || code === marker.app2)
    seen.hasGainMap ||= await marksGainMap(segment, head, walk);
  if (code === marker.app0 && isNamed(head, "JFIF\0", 14)) seen.density ??= jfifDensity(head);
  else if (code === marker.app1 && isNamed(head, "Exif\0", 14))
    seen.exif ??= readExif(await bytes.read(at + 4, length - 2));
  else if (code === marker.app2 && isNamed(head, "ICC_PROFILE\0", 14))
    seen.profile.push({ number: head[12]!, count: head[13]!, offset: at + 18, length: length - 16 });
}

/** True if a segment says that the file has a gain map; one of an image behind the first has none. */
async function marksGainMap(segment: Segment, head: Uint8Array, walk: MarkerWalk): Promise<boolean> {
  if (isNamed(head, gainMapName.slice(0, 14), 14))
    return isNamed(await walk.body(segment, gainMapName.length), gainMapName, gainMapName.length);
  if (!isNamed(head, xmpName.slice(0, 14), 14)) return false;
  const front = await walk.body(segment, searchedBytes);
  return new TextDecoder("latin1").decode(front).includes(gainMapProperty);
}

/**
 * Returns the facts of a file, given the number of components in its first scan and the position of its data.
 */
async function describeBefore(
  bytes: ByteSource,
  seen: HeaderSegments,
  frame: FrameHeader,
  scan: { readonly components: number; readonly dataAt: number },
): Promise<ImageHeader> {
  const lateHeight = frame.height === 0;
  const height = lateHeight ? ((await findLineCount(bytes, scan.dataAt)) ?? 0) : frame.height;
  const multiscan = scan.components < frame.components.length;
  const header = describeFrame(frameOfHeight(frame, height), { ...seen, lateHeight, multiscan });
  const icc = seen.profile.length > 0 ? joinProfile(bytes, seen.profile) : undefined;
  return { ...header, colour: await colourFacts({ icc, exif: seen.exif }, header.interpretation) };
}

/** A part of a profile, which is split over segments (ICC.1:2022, annex B.4). */
interface ProfilePart {
  /** Number of the part, from 1. */
  readonly number: number;
  readonly count: number;
  readonly offset: number;
  readonly length: number;
}

/**
 * Returns the profile in the order of its parts, whatever the order of the segments; if the numbers of the
 * parts are wrong, the reason why it is ignored.
 */
function joinProfile(bytes: ByteSource, parts: readonly ProfilePart[]): NonNullable<ColourFields["icc"]> {
  const ordered = [...parts].sort((a, b) => a.number - b.number);
  if (ordered.some(({ number, count }, i) => number !== i + 1 || count !== parts.length))
    return {
      ignored:
        `it is damaged: expected parts 1 to ${parts[0]!.count}, received ${ordered.map(({ number }) => number).join(", ")}`.slice(
          0,
          200,
        ),
    };
  return joinPieces(bytes, ordered);
}

/**
 * Returns the density of a JFIF segment in pixels per centimetre; undefined for unit 0, which only states the
 * shape of pixels.
 */
function jfifDensity(body: Uint8Array): Resolution | undefined {
  const x = word(body, 8);
  const y = word(body, 10);
  const factor = { 1: 1 / 2.54, 2: 1 }[body[7]!];
  return factor && x && y ? { x: x * factor, y: y * factor } : undefined;
}

/** Facts of a file that its frame header does not state. */
interface HeaderContext extends Pick<HeaderSegments, "hierarchical" | "density" | "exif" | "hasGainMap"> {
  readonly lateHeight: boolean;
  readonly multiscan: boolean;
}

const interpretations = { 1: "gray", 3: "rgb", 4: "cmyk" } as const;

function subsamplingOf({ components, hMax, vMax }: FrameHeader): JpegDetails["subsampling"] {
  const [first = 1, ...others] = components.map(({ h, v }) => Math.max(hMax / h, vMax / v));
  const max = Math.max(1, ...others);
  if (first > 1 || max > 2) return "more";
  return max > 1 ? "halved" : "none";
}

function describeFrame(frame: FrameHeader, around: HeaderContext): ImageHeader {
  const kind = frameKinds[frame.code]!;
  const components = frame.components.length;
  const interpretation = interpretations[components as 1 | 3 | 4] ?? "rgb";
  const arithmetic = kind.arithmetic ?? false;
  const details: JpegDetails = {
    frameOffset: frame.at,
    mcuHeight: 8 * frame.vMax,
    subsampling: subsamplingOf(frame),
    multiscan: around.multiscan || kind.variant.includes("progressive"),
    arithmetic,
    ...(around.lateHeight && { lateHeight: true }),
  };
  const refused = findRefusal(frame, around.hierarchical);
  return {
    format: "jpg",
    width: frame.width,
    height: frame.height,
    bands: { gray: 1, rgb: 3, cmyk: 4 }[interpretation],
    depth: frame.precision > 8 ? 16 : 8,
    interpretation,
    orientation: around.exif?.orientation ?? 1,
    pages: 1,
    variant: frame.precision === 8 ? kind.variant : `${frame.precision}-bit ${kind.variant}`,
    resolution: around.density ?? around.exif?.resolution,
    ...(around.hasGainMap && { gainMap: true as const }),
    unsupported: refused && `The source file is ${refused}, which cannot be decoded. Convert it.`,
    details,
  };
}

/**
 * Returns the reason why a valid file cannot be decoded, worded to follow "The source file is"; undefined if
 * it can be decoded.
 */
function findRefusal(frame: FrameHeader, hierarchical: boolean): string | undefined {
  const kind = frameKinds[frame.code]!;
  const components = frame.components.length;
  if (kind.refused) return kind.refused;
  if (hierarchical) return "hierarchical JPEG";
  if (frame.precision !== 8) return `JPEG with ${frame.precision} bits per sample`;
  if (!(components in interpretations)) return `JPEG with ${components} components`;
  if (frame.height === 0)
    return `JPEG without a height, in its frame header or behind a first scan of at most ${maxSearchLength >> 20} MiB`;
  if (frame.width > maxSide || frame.height > maxSide) return `JPEG with a side above ${maxSide} pixels`;
  return undefined;
}

/** Returns the error for a file that is not the one whose header was read. */
export function mismatchError(): ImagingError {
  return new ImagingError(
    "decode",
    "Expected the frame size of the JPEG header that was read before; received another. Try again.",
    { code: "header_mismatch" },
  );
}
