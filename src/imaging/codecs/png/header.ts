// The chunks of a PNG before its picture: IHDR, PLTE, tRNS, pHYs, iCCP, eXIf or a text with EXIF (PNG
// specification, third edition, 5 and 11).

import { type ByteSource, crc32, ImagingError } from "../../../base/index.ts";
import type { ColourFields } from "../../metadata/colour.ts";
import { type Exif, readExif } from "../../metadata/exif.ts";
import type { FoundMetadata } from "../../metadata/metadata.ts";
import { hasText, metadataBytes } from "../../metadata/metadata-bytes.ts";
import { damagedPng } from "../damaged.ts";
import type { Resolution } from "../image-header.ts";
import type { ReadRange } from "../ranges.ts";
import { isTextType, rawKeyword, takeRawProfile } from "./raw-profile.ts";

/** The first eight bytes of every PNG. */
export const signature = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);

/** Per colour type: samples of a stored pixel and the depths allowed (11.2.1). */
const colourTypes = {
  0: { name: "gray", samples: 1, depths: [1, 2, 4, 8, 16] },
  2: { name: "rgb", samples: 3, depths: [8, 16] },
  3: { name: "palette", samples: 1, depths: [1, 2, 4, 8] },
  4: { name: "gray with alpha", samples: 2, depths: [8, 16] },
  6: { name: "rgb with alpha", samples: 4, depths: [8, 16] },
} as const satisfies Record<number, { name: string; samples: number; depths: readonly number[] }>;

export type ColourType = keyof typeof colourTypes;

export interface PngHeader {
  readonly width: number;
  readonly height: number;
  /** Bits of a stored sample or palette index. */
  readonly bitDepth: number;
  readonly colourType: ColourType;
  readonly colourName: string;
  /** Stored samples of a pixel, before palette and transparency are applied. */
  readonly samples: number;
  readonly interlaced: boolean;
  /** Bands after palette and transparency are applied: 1 to 4. */
  readonly bands: number;
  /** RGB triples, 1 to 256. */
  readonly palette?: Uint8Array | undefined;
  /** The content of tRNS: an alpha per palette entry, or the one transparent colour as 16-bit numbers. */
  readonly transparency?: Uint8Array | undefined;
  readonly resolution?: Resolution | undefined;
  readonly orientation: number;
  /** Colour information of the file: the position of iCCP's content, other chunks, EXIF. */
  readonly profile?: { readonly offset: number; readonly length: number } | undefined;
  readonly cicp?: Uint8Array | undefined;
  readonly chunks?: ColourFields["chunks"] | undefined;
  readonly exif?: Exif | undefined;
  /** Start of the first IDAT chunk (its length field). */
  readonly dataStart: number;
}

/** Chunk types that are read, with their longest valid length; other chunks are skipped unread. */
const wanted: Readonly<Record<string, { readonly maxLength: number; readonly checkChunk: boolean }>> = {
  PLTE: { maxLength: 768, checkChunk: true },
  tRNS: { maxLength: 256, checkChunk: true },
  pHYs: { maxLength: 9, checkChunk: false },
  eXIf: { maxLength: 64 * 1024, checkChunk: false },
  sRGB: { maxLength: 1, checkChunk: false },
  gAMA: { maxLength: 4, checkChunk: false },
  cHRM: { maxLength: 32, checkChunk: false },
  cICP: { maxLength: 4, checkChunk: false },
};

/**
 * Keywords of texts in which ImageMagick and others store EXIF, and the size limits of such texts, stored and
 * inflated.
 */
const exifKeyword = `${rawKeyword}exif\0`;
const segmentKeyword = `${rawKeyword}APP1\0`;
const maxTextLength = 128 * 1024;

const firstRead = 16 * 1024;
const laterRead = 1024;
const readBudget = 256 * 1024;

/**
 * Returns the facts before the picture. Reads at most 256 KiB, usually 16. Does not search for eXIf after the
 * picture. Throws ImagingError `decode` if the file is damaged, `unsupported` for Apple's variant and for
 * headers too scattered.
 */
export async function readPngHeader(bytes: ByteSource): Promise<PngHeader> {
  const read = createWindow(bytes);
  const start = await read(0, 8 + 25);
  if (signature.some((byte, i) => start[i] !== byte)) throw damagedPng("its signature");
  const first = chunkHead(start.subarray(8));
  if (first?.type === "CgBI") {
    throw new ImagingError(
      "unsupported",
      "Expected a standard PNG, received Apple's CgBI variant: convert it first.",
      { code: "source_unsupported" },
    );
  }
  if (first?.type !== "IHDR" || first.length !== 13 || start.length < 33)
    throw damagedPng("its header chunk");
  const head = readImageHeader(checkChunk("IHDR", start.subarray(12, 33)));

  const { found, texts, profile, end } = await readChunks(bytes, read, 33);
  const palette = head.colourType === 3 ? readPalette(found.get("PLTE")) : undefined;
  const transparency = readTransparency(found.get("tRNS"), head.colourType, palette);
  const block = found.get("eXIf") ?? texts.exif;
  const exif = block && readExif(block);
  return {
    ...head,
    bands: (head.colourType === 3 ? 3 : head.samples) + (transparency ? 1 : 0),
    palette,
    transparency,
    resolution: readPhysical(found.get("pHYs")) ?? exif?.resolution,
    orientation: exif?.orientation ?? 1,
    profile,
    cicp: found.get("cICP"),
    chunks: readColourChunks(found),
    exif,
    dataStart: end,
  };
}

/** Chunks between the header chunk and the image data. */
interface Chunks {
  /** Contents of the {@link wanted} chunks. */
  readonly found: Map<string, Uint8Array>;
  /** EXIF in a text. */
  readonly texts: FoundMetadata;
  readonly profile: PngHeader["profile"];
  /** Start of the first IDAT chunk. */
  readonly end: number;
}

/** Reads the chunks from `start` up to the image data. Throws ImagingError `decode` if there is none. */
async function readChunks(bytes: ByteSource, read: ReadRange, start: number): Promise<Chunks> {
  const found = new Map<string, Uint8Array>();
  const texts: FoundMetadata = {};
  const inflater = metadataBytes(bytes, maxTextLength);
  let profile: PngHeader["profile"];
  for (let at = start; ; ) {
    const chunk = chunkHead(await read(at, 8));
    if (!chunk || chunk.type === "IEND") throw damagedPng("the end: there is no picture in it");
    const { type, length } = chunk;
    if (type === "IDAT") return { found, texts, profile, end: at };
    if (type === "iCCP") profile ??= { offset: at + 8, length };
    const want = wanted[type];
    if (want && length <= want.maxLength && !found.has(type))
      found.set(type, contentOf(type, await read(at + 4, length + 8), length, want.checkChunk));
    else if (want?.checkChunk) throw damagedPng(`its ${type} chunk`);
    else if (isTextType(type) && !texts.exif && length <= maxTextLength) {
      const keyword = await read(at + 8, Math.min(length, exifKeyword.length));
      if (hasText(keyword, exifKeyword) || hasText(keyword, segmentKeyword))
        await takeRawProfile(inflater, type === "zTXt", await read(at + 8, length), texts);
    }
    at += length + 12;
  }
}

/**
 * Returns the content of a chunk of `length` bytes in `body`, which is its type, content and checksum. Throws
 * ImagingError `decode` if it ends early.
 */
function contentOf(type: string, body: Uint8Array, length: number, isChecked: boolean): Uint8Array {
  if (body.length < length + 8) throw damagedPng("the end: there is no picture in it");
  return isChecked ? checkChunk(type, body) : body.subarray(4, -4);
}

/** sRGB, gAMA and cHRM (11.3.2), in units of 1/100000. */
function readColourChunks(found: ReadonlyMap<string, Uint8Array>): ColourFields["chunks"] {
  const values = (name: string, count: number): number[] | undefined => {
    const content = found.get(name);
    if (content?.length !== count * 4) return undefined;
    const view = new DataView(content.buffer, content.byteOffset, content.length);
    return Array.from({ length: count }, (_, i) => view.getUint32(i * 4) / 100_000);
  };
  const srgb = found.has("sRGB");
  const [gamma] = values("gAMA", 1) ?? [];
  if (!srgb && gamma === undefined) return undefined;
  return { srgb, gamma, chromaticities: values("cHRM", 8) };
}

/** Reads through one window, so that neighbouring chunks cost one read; never exceeds the budget. */
function createWindow(bytes: ByteSource): ReadRange {
  let window = new Uint8Array();
  let windowStart = 0;
  let spent = 0;
  return async (offset, length) => {
    const inside = offset - windowStart;
    if (inside < 0 || inside + length > window.length || window.length === 0) {
      const size = Math.max(length, spent === 0 ? firstRead : laterRead);
      spent += size;
      if (spent > readBudget) {
        throw new ImagingError(
          "unsupported",
          "Expected a PNG with few chunks before its picture, received very many: write it again without its text chunks.",
          { code: "source_unsupported" },
        );
      }
      window = new Uint8Array(await bytes.read(offset, size));
      windowStart = offset;
    }
    return window.subarray(offset - windowStart, offset - windowStart + length);
  };
}

function chunkHead(data: Uint8Array): { length: number; type: string } | undefined {
  if (data.length < 8) return undefined;
  const length = uint32(data, 0);
  const type = String.fromCharCode(...data.subarray(4, 8));
  if (length > 0x7fffffff || !/^[A-Za-z]{4}$/.test(type)) throw damagedPng("the head of a chunk");
  return { length, type };
}

/**
 * Returns the content of a chunk, given its type, content and checksum. Throws ImagingError `decode` if the
 * checksum differs.
 */
function checkChunk(type: string, body: Uint8Array): Uint8Array {
  if (crc32(body.subarray(0, -4)) !== uint32(body, body.length - 4))
    throw damagedPng(`the checksum of its ${type} chunk`);
  return body.subarray(4, -4);
}

function readImageHeader(data: Uint8Array) {
  const [width, height] = [uint32(data, 0), uint32(data, 4)];
  const [bitDepth = 0, colour = 0, compression, filter, interlace = 0] = data.subarray(8);
  const kind = (colourTypes as Record<number, (typeof colourTypes)[ColourType]>)[colour];
  if (width < 1 || height < 1 || width > 0x7fffffff || height > 0x7fffffff)
    throw damagedPng("its dimensions");
  if (!kind || !(kind.depths as readonly number[]).includes(bitDepth)) throw damagedPng("its colour type");
  if (compression !== 0 || filter !== 0 || interlace > 1) throw damagedPng("its header chunk");
  return {
    width,
    height,
    bitDepth,
    colourType: colour as ColourType,
    colourName: kind.name,
    samples: kind.samples,
    interlaced: interlace === 1,
  };
}

function readPalette(data: Uint8Array | undefined): Uint8Array {
  if (!data || data.length === 0 || data.length % 3 !== 0) throw damagedPng("its palette");
  return data;
}

function readTransparency(
  data: Uint8Array | undefined,
  colourType: ColourType,
  palette: Uint8Array | undefined,
): Uint8Array | undefined {
  if (!data || colourType === 4 || colourType === 6) return undefined;
  const fits = palette ? data.length * 3 <= palette.length : data.length === (colourType === 0 ? 2 : 6);
  if (!fits || data.length === 0) throw damagedPng("its transparency chunk");
  return data;
}

/**
 * pHYs counts pixels per metre when its unit is 1; without a unit it only gives the aspect ratio of pixels.
 */
function readPhysical(data: Uint8Array | undefined): Resolution | undefined {
  if (data?.length !== 9 || data[8] !== 1) return undefined;
  const [x, y] = [uint32(data, 0) / 100, uint32(data, 4) / 100];
  return x > 0 && y > 0 ? { x, y } : undefined;
}

function uint32(data: Uint8Array, at: number): number {
  return new DataView(data.buffer, data.byteOffset, data.byteLength).getUint32(at);
}
