// The boxes of a JP2 or JPH file that a decoder must know (ITU-T T.800 Annex I; T.814 for JPH).

import { ImagingError } from "../../../base/index.ts";
import { readExif } from "../../metadata/exif.ts";
import { xmpOrientation } from "../../metadata/xmp.ts";
import { type Box, boxWalk } from "../boxes.ts";
import { damagedJp2 } from "../damaged.ts";
import { fourCC, type HeaderBytes } from "../header-bytes.ts";
import type { Resolution } from "../image-header.ts";
import { type ColourLabel, maxLabels, readLabel } from "./labels.ts";

export interface Palette {
  readonly entries: number;
  /** Depth of each column in bits. */
  readonly bits: readonly number[];
  /** Entry after entry, column after column. */
  readonly values: Uint16Array;
}

/** Source of a channel: a component unchanged, or through a column of the palette. */
export interface Mapping {
  readonly component: number;
  readonly column?: number;
}

/** A row of cdef. */
export interface ChannelDefinition {
  readonly channel: number;
  readonly type: number;
  readonly association: number;
}

export interface Boxes {
  readonly codestream: { readonly start: number; readonly length?: number | undefined };
  readonly size?: { readonly width: number; readonly height: number };
  /** What colr boxes of known kinds say, in their order. */
  readonly labels: readonly ColourLabel[];
  readonly palette?: Palette;
  readonly mapping?: readonly Mapping[];
  readonly definitions?: readonly ChannelDefinition[];
  readonly resolution?: Resolution | undefined;
  readonly orientation: number;
}

/**
 * Boxes with the orientation, by the identifier of a uuid box: "JpgTiffExif->JP2" and Adobe's, in which
 * writers store an EXIF block, and XMP's (XMP specification part 3, 1.1.6).
 */
const orientationBoxes = [
  { kind: "exif", id: [0x4a706754, 0x69666645, 0x7869662d, 0x3e4a5032], read: exifOrientation },
  { kind: "exif", id: [0x0537cdab, 0x9d0c4431, 0xa72afa56, 0x1f2a113e], read: exifOrientation },
  { kind: "xmp", id: [0xbe7acfcb, 0x97a942e8, 0x9c719994, 0x91e3afac], read: xmpOrientation },
] as const;
const metadataLimit = 64 * 1024;

type Found = { -readonly [K in Exclude<keyof Boxes, "labels">]?: Boxes[K] } & {
  readonly labels: ColourLabel[];
};

/** Walks the boxes by their headers. Throws ImagingError `decode`. */
export async function readBoxes(file: HeaderBytes): Promise<Boxes> {
  const found: Found = { labels: [] };
  const stated: { [K in OrientationBox["kind"]]?: number | undefined } = {};
  try {
    for await (const box of walk(file, 0, file.size)) {
      if (box.type === fourCC("jp2h")) {
        if (!found.size) await readHeaderBox(file, box, found);
      } else if (box.type === fourCC("jp2c")) {
        found.codestream ??= { start: box.body, length: box.length };
      } else if (box.type === fourCC("uuid") && stated.exif === undefined) {
        const { kind, orientation } = (await readOrientation(file, box)) ?? {};
        if (kind) stated[kind] ??= orientation;
      }
    }
  } catch (error) {
    // If the length of jp2c is wrong, the data after it is not a box.
    if (!found.codestream || !(error instanceof ImagingError) || error.kind !== "decode") throw error;
  }
  const { codestream, size } = found;
  if (!codestream || !size) throw damagedJp2("a jp2h box with ihdr and a jp2c box, found them not");
  return { ...found, orientation: stated.exif ?? stated.xmp ?? 1, codestream, size };
}

/** Walks boxes; throws ImagingError `decode`. */
export const walk = boxWalk(damagedJp2);

async function readHeaderBox(file: HeaderBytes, parent: Box, found: Found): Promise<void> {
  const end = parent.length === undefined ? undefined : parent.body + parent.length;
  for await (const { type, body, length = 0 } of walk(file, parent.body, end)) {
    const view = async (bytes: number) => {
      const part = bytes <= length ? await file.view(body, bytes) : undefined;
      if (!part) throw damagedJp2("complete boxes in jp2h, but one ends early");
      return part;
    };
    if (type === fourCC("ihdr")) {
      const v = await view(14);
      found.size ??= { height: v.getUint32(0), width: v.getUint32(4) };
    } else if (type === fourCC("colr")) {
      if (found.labels.length < maxLabels) addLabel(found.labels, await readLabel(view, body, length));
    } else if (type === fourCC("pclr")) {
      found.palette ??= readPalette(await view(Math.min(length, 3 + 255 * 3 + 1024 * 4 * 2)));
    } else if (type === fourCC("cmap")) {
      const v = await view(Math.min(length - (length % 4), 4 * 255));
      found.mapping ??= rows(v, 4, 0, (at) => ({
        component: v.getUint16(at),
        ...(v.getUint8(at + 2) === 1 && { column: v.getUint8(at + 3) }),
      }));
    } else if (type === fourCC("cdef")) {
      const v = await view(Math.min(length - ((length - 2) % 6), 2 + 6 * 255));
      found.definitions ??= rows(v, 6, 2, (at) => ({
        channel: v.getUint16(at),
        type: v.getUint16(at + 2),
        association: v.getUint16(at + 4),
      }));
    } else if (type === fourCC("res ")) {
      found.resolution ??= await readResolution(file, body, length);
    }
  }
}

/** Adds a label to those of a file; the first of several profiles counts. */
function addLabel(labels: ColourLabel[], label: ColourLabel | undefined): void {
  if (label && !(label.profile && labels.some(({ profile }) => profile))) labels.push(label);
}

function rows<T>(view: DataView, size: number, start: number, read: (at: number) => T): T[] {
  const list: T[] = [];
  for (let at = start; at + size <= view.byteLength; at += size) list.push(read(at));
  return list;
}

function readPalette(view: DataView): Palette {
  const entries = view.getUint16(0);
  const columns = view.getUint8(2);
  if (!entries || entries > 1024 || !columns || columns > 4 || view.byteLength < 3 + columns)
    throw damagedJp2("a palette of 1 to 1024 entries and 1 to 4 columns, received another");
  const bits = Array.from({ length: columns }, (_, c) => (view.getUint8(3 + c) & 0x7f) + 1);
  const values = new Uint16Array(entries * columns);
  let at = 3 + columns;
  for (let i = 0; i < values.length; i++) {
    const wide = (bits[i % columns] as number) > 8;
    if (at + (wide ? 2 : 1) > view.byteLength) throw damagedJp2("a complete palette, but it ends early");
    values[i] = wide ? view.getUint16(at) : view.getUint8(at);
    at += wide ? 2 : 1;
  }
  return { entries, bits, values };
}

/**
 * Returns pixels per centimetre: the capture resolution, or else the display one; boxes have pixels per
 * metre.
 */
async function readResolution(
  file: HeaderBytes,
  body: number,
  length: number,
): Promise<Resolution | undefined> {
  const read = new Map<number, Resolution>();
  for await (const box of walk(file, body, body + length)) {
    const v = (box.length ?? 0) >= 10 ? await file.view(box.body, 10) : undefined;
    if (!v) continue;
    const value = (numerator: number, exponent: number) =>
      ((v.getUint16(numerator) / v.getUint16(numerator + 2)) * 10 ** v.getInt8(exponent)) / 100;
    const [y, x] = [value(0, 8), value(4, 9)];
    if (x > 0 && y > 0 && Number.isFinite(x) && Number.isFinite(y)) read.set(box.type, { x, y });
  }
  return read.get(fourCC("resc")) ?? read.get(fourCC("resd"));
}

interface OrientationBox {
  readonly kind: (typeof orientationBoxes)[number]["kind"];
  readonly orientation: number | undefined;
}

async function readOrientation(
  file: HeaderBytes,
  { body, length = 0 }: Box,
): Promise<OrientationBox | undefined> {
  if (length < 16 + 8 || length > metadataLimit) return undefined;
  const id = await file.view(body, 16);
  const found = id && orientationBoxes.find((box) => box.id.every((word, i) => id.getUint32(4 * i) === word));
  if (!found || length > file.remaining()) return undefined;
  const block = await file.view(body + 16, length - 16);
  if (!block) return undefined;
  const bytes = new Uint8Array(block.buffer, block.byteOffset, block.byteLength);
  return { kind: found.kind, orientation: found.read(bytes) };
}

function exifOrientation(block: Uint8Array): number {
  return readExif(block).orientation;
}
