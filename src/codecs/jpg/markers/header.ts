// The header of a JPEG file: a walk over its marker segments up to the first scan (ITU-T T.81, annex B; JFIF 1.02).

import { ServiceError } from "../../../errors.ts";
import { type ByteSource, blockwise } from "../../../lib/byte-source.ts";
import type { ImageHeader, Resolution } from "../../codec.ts";
import { colourFacts, piecewise, type Told } from "../../colour.ts";
import { type Exif, readExif } from "../../exif.ts";
import { findLineCount, longestSearch } from "./line-count.ts";

/** What the decoder needs beside the general facts; `ImageHeader.details` of a JPEG. */
export type JpegDetails = {
  /** Where the frame header's marker stands in the file. */
  readonly frameOffset: number;
  /** Rows of full-size pixels in one row of interleaved MCUs: 8 times the largest vertical sampling factor. */
  readonly mcuHeight: number;
  /** More than one scan: coefficients of the whole picture are kept while decoding. */
  readonly multiscan: boolean;
  /** How much smaller than the picture components are: none is, colour by half on an axis at most, or any by more. */
  readonly subsampling: "none" | "halved" | "more";
  readonly arithmetic: boolean;
  /** The height stands behind the first scan, not in the frame header. */
  readonly lateHeight?: true;
  /** Colour transform of the Adobe segment: 0 none, 1 YCbCr, 2 YCCK; -1 where there is no such segment. */
  readonly adobe: number;
};

/** Kinds of frame by the low byte of their marker; `refused` says why a kind cannot be decoded. */
export const frames: Readonly<Record<number, { variant: string; arithmetic?: true; refused?: string }>> = {
  192: { variant: "baseline" },
  193: { variant: "extended" },
  194: { variant: "progressive" },
  195: { variant: "lossless", refused: "lossless JPEG" },
  197: { variant: "hierarchical", refused: "hierarchical JPEG" },
  198: { variant: "hierarchical progressive", refused: "hierarchical JPEG" },
  199: { variant: "hierarchical lossless", refused: "hierarchical JPEG" },
  201: { variant: "arithmetic", arithmetic: true },
  202: { variant: "arithmetic progressive", arithmetic: true },
  203: { variant: "arithmetic lossless", arithmetic: true, refused: "lossless JPEG" },
  205: { variant: "arithmetic hierarchical", arithmetic: true, refused: "hierarchical JPEG" },
  206: { variant: "arithmetic hierarchical progressive", arithmetic: true, refused: "hierarchical JPEG" },
  207: { variant: "arithmetic hierarchical lossless", arithmetic: true, refused: "hierarchical JPEG" },
  247: { variant: "jpeg-ls", refused: "JPEG-LS" },
};

const marker = {
  soi: 0xd8,
  eoi: 0xd9,
  sos: 0xda,
  dhp: 0xde,
  app0: 0xe0,
  app1: 0xe1,
  app2: 0xe2,
  app14: 0xee,
};

/** Markers that stand alone: TEM and the eight restart markers. */
const isAlone = (code: number) => code === 0x01 || (code >= 0xd0 && code <= 0xd7);

/** Small blocks, since a walk touches a few bytes of each segment. */
const blockSize = 2048;
const maxSegments = 2000;
const maxGarbage = 64 * 1024;
/** libjpeg's own bound on a side, below the format's 65535. */
export const maxSide = 65500;

interface Frame {
  readonly offset: number;
  readonly code: number;
  readonly precision: number;
  readonly width: number;
  readonly height: number;
  /** Horizontal and vertical sampling factor of each component. */
  readonly sampling: readonly (readonly [number, number])[];
}

/**
 * Reads the header of a JPEG file: 2 KiB for each segment in front of the first scan, the EXIF segment whole, and of a
 * profile what tells its kind. Throws ServiceError `decode`, code `not_an_image` where the file is no JPEG, `damaged_header` where the header is
 * broken; sound files of a kind that cannot be decoded come back with `unsupported` set.
 */
export async function readJpegHeader(bytes: ByteSource): Promise<ImageHeader> {
  const blocks = blockwise(bytes, blockSize);
  const start = await blocks.read(0, 2);
  if (start[0] !== 0xff || start[1] !== marker.soi)
    throw new ServiceError(
      "decode",
      "Expected a JPEG file, which begins with the bytes FF D8; received something else. Check the source file.",
      { code: "not_an_image" },
    );

  let frame: Frame | undefined;
  let hierarchical = false;
  let adobe = -1;
  let density: Resolution | undefined;
  let exif: Exif | undefined;
  const profile: ProfilePart[] = [];
  let garbage = 0;
  let at = 2;
  const coloured = async (header: ImageHeader): Promise<ImageHeader> => {
    const icc = profile.length > 0 ? joined(bytes, profile) : undefined;
    return { ...header, colour: await colourFacts({ icc, exif }, header.interpretation) };
  };

  for (let segments = 0; segments < maxSegments; segments++) {
    const found = await findMarker(blocks, at, maxGarbage - garbage);
    garbage += found - at;
    at = found;
    const head = await blocks.read(at, 18);
    const code = head[1] ?? 0;
    if (isAlone(code)) {
      at += 2;
      continue;
    }
    if (code === marker.soi || code === marker.eoi)
      throw damaged("a frame and a scan", code === marker.eoi ? "the end of the image" : "a second start");
    if (head.length < 4) throw damaged("a segment", "the end of the file");
    const length = head[2]! * 256 + head[3]!;
    if (length < 2) throw damaged("a segment length of 2 or more", String(length));

    if (code === marker.sos) {
      if (!frame) throw damaged("a frame header before the first scan", "none");
      const multiscan = (head[4] ?? 0) < frame.sampling.length;
      const lateHeight = frame.height === 0;
      if (lateHeight) frame = { ...frame, height: (await findLineCount(bytes, at + 2 + length)) ?? 0 };
      return coloured(describe(frame, { lateHeight, hierarchical, adobe, multiscan, density, exif }));
    }
    if (code in frames) {
      if (frame && !hierarchical) throw damaged("one frame header", "two");
      frame ??= await readFrame(blocks, at, code, length);
    } else if (code === marker.dhp) hierarchical = true;
    else if (code === marker.app0 && isNamed(head, length, "JFIF\0", 14)) density ??= jfifDensity(head);
    else if (code === marker.app1 && isNamed(head, length, "Exif\0", 14))
      exif ??= readExif(await bytes.read(at + 4, length - 2));
    else if (code === marker.app2 && isNamed(head, length, "ICC_PROFILE\0", 14))
      profile.push({ number: head[16]!, count: head[17]!, offset: at + 18, length: length - 16 });
    else if (code === marker.app14 && isNamed(head, length, "Adobe", 12)) adobe = head[15] ?? 0;
    else if ((code > 0x01 && code < 0xc0) || (code >= 0xf0 && code <= 0xfd))
      throw damaged("a marker of ITU-T T.81", `the reserved marker ${code.toString(16).toUpperCase()}`);

    // JPEG-LS and hierarchical files need no more: what follows their frame header has other rules
    if (frame && (frames[frame.code]?.refused || hierarchical))
      return describe(frame, { lateHeight: false, hierarchical, adobe, multiscan: false, density, exif });
    at += 2 + length;
  }
  throw damaged(`at most ${maxSegments} segments before the first scan`, "more");
}

/** A part of a profile, which is cut into segments (ICC.1:2022, annex B.4). */
interface ProfilePart {
  /** 1-based. */
  readonly number: number;
  readonly count: number;
  readonly offset: number;
  readonly length: number;
}

/** The profile in the order of its parts, whatever that of the segments. */
function joined(bytes: ByteSource, parts: readonly ProfilePart[]): NonNullable<Told["icc"]> {
  const ordered = [...parts].sort((a, b) => a.number - b.number);
  if (ordered.some(({ number, count }, i) => number !== i + 1 || count !== parts.length))
    return {
      ignored:
        `it is damaged: expected parts 1 to ${parts[0]!.count}, received ${ordered.map(({ number }) => number).join(", ")}`.slice(
          0,
          200,
        ),
    };
  return piecewise(bytes, ordered);
}

/** The next marker at or after `from`, over fill bytes and stray ones, as libjpeg finds it. */
async function findMarker(bytes: ByteSource, from: number, limit: number): Promise<number> {
  for (let at = from; at - from <= limit; ) {
    const chunk = await bytes.read(at, at === from ? 16 : blockSize);
    if (chunk.length < 2) throw damaged("a scan", "the end of the file");
    for (let i = 0; i + 1 < chunk.length; i++) {
      if (chunk[i] === 0xff && chunk[i + 1] !== 0xff && chunk[i + 1] !== 0x00) return at + i;
    }
    at += chunk.length - 1;
  }
  throw damaged("marker segments", "other bytes between them");
}

async function readFrame(bytes: ByteSource, offset: number, code: number, length: number): Promise<Frame> {
  const body = await bytes.read(offset + 4, length - 2);
  const count = body[5] ?? 0;
  if (body.length < length - 2) throw damaged("a frame header", "the end of the file");
  if (length !== 8 + 3 * count || count === 0)
    throw damaged(`a frame header of ${8 + 3 * count} bytes for ${count} components`, `${length} bytes`);
  const view = new DataView(body.buffer, body.byteOffset);
  const sampling = Array.from({ length: count }, (_, i) => {
    const factors = body[7 + 3 * i]!;
    return [factors >> 4, factors & 15] as const;
  });
  if (sampling.some(([h, v]) => h < 1 || h > 4 || v < 1 || v > 4))
    throw damaged("sampling factors from 1 to 4", sampling.map(([h, v]) => `${h}x${v}`).join(", "));
  const width = view.getUint16(3);
  if (width === 0) throw damaged("a width of 1 or more", "0");
  return { offset, code, precision: body[0]!, width, height: view.getUint16(1), sampling };
}

/** Whether a segment carries this identifier and is at least `least` bytes long without its length field. */
function isNamed(head: Uint8Array, length: number, name: string, least: number): boolean {
  if (length - 2 < least || head.length < 4 + name.length) return false;
  for (let i = 0; i < name.length; i++) if (head[4 + i] !== name.charCodeAt(i)) return false;
  return true;
}

/** Density of a JFIF segment; unit 0 gives the pixel's shape only. */
function jfifDensity(head: Uint8Array): Resolution | undefined {
  if (head.length < 16) return undefined;
  const x = head[12]! * 256 + head[13]!;
  const y = head[14]! * 256 + head[15]!;
  const factor = { 1: 1 / 2.54, 2: 1 }[head[11]!];
  return factor && x && y ? { x: x * factor, y: y * factor } : undefined;
}

interface Surroundings {
  readonly lateHeight: boolean;
  readonly hierarchical: boolean;
  readonly adobe: number;
  readonly multiscan: boolean;
  readonly density?: Resolution;
  readonly exif?: Exif;
}

const interpretations = { 1: "gray", 3: "rgb", 4: "cmyk" } as const;

function subsamplingOf(sampling: Frame["sampling"]): JpegDetails["subsampling"] {
  const across = Math.max(...sampling.map(([h]) => h));
  const down = Math.max(...sampling.map(([, v]) => v));
  const [first = 1, ...others] = sampling.map(([h, v]) => Math.max(across / h, down / v));
  const most = Math.max(1, ...others);
  if (first > 1 || most > 2) return "more";
  return most > 1 ? "halved" : "none";
}

function describe(frame: Frame, around: Surroundings): ImageHeader {
  const kind = frames[frame.code]!;
  const components = frame.sampling.length;
  const interpretation = interpretations[components as 1 | 3 | 4] ?? "rgb";
  const arithmetic = kind.arithmetic ?? false;
  const details: JpegDetails = {
    frameOffset: frame.offset,
    mcuHeight: 8 * Math.max(...frame.sampling.map(([, v]) => v)),
    subsampling: subsamplingOf(frame.sampling),
    multiscan: around.multiscan || kind.variant.includes("progressive"),
    arithmetic,
    ...(around.lateHeight && { lateHeight: true }),
    adobe: around.adobe,
  };
  const refused = refusal(frame, around.hierarchical, arithmetic);
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
    unsupported: refused && `The source file is ${refused}, which cannot be decoded. Convert it.`,
    details,
  };
}

/** Why a sound file cannot be decoded, if so: what it is, to be read after "The source file is". */
function refusal(frame: Frame, hierarchical: boolean, arithmetic: boolean): string | undefined {
  const kind = frames[frame.code]!;
  const components = frame.sampling.length;
  if (kind.refused) return kind.refused;
  if (hierarchical) return "hierarchical JPEG";
  if (frame.precision !== 8) return `JPEG with ${frame.precision} bits per sample`;
  if (!(components in interpretations)) return `JPEG with ${components} components`;
  if (arithmetic && components === 4) return "arithmetic-coded CMYK JPEG";
  if (frame.height === 0)
    return `JPEG without a height, in its frame header or behind a first scan of at most ${longestSearch >> 20} MiB`;
  if (frame.width > maxSide || frame.height > maxSide) return `JPEG with a side above ${maxSide} pixels`;
  return undefined;
}

function damaged(expected: string, received: string): ServiceError {
  return new ServiceError(
    "decode",
    `Expected ${expected} in the header of the JPEG file; received ${received}. Replace the source file.`,
    { code: "damaged_header" },
  );
}
