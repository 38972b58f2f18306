// The header of old-style JPEG: marker segments at any position, and fields in place of missing ones.

import { type ByteRange, type ByteSource, concatenate, ImagingError } from "../../../../base/index.ts";
import { damagedTif } from "../../damaged.ts";
import { type FrameHeader, frameKinds, isFrame, readFrameHeader } from "../../jpg/markers/frame.ts";
import { marker, type Segment, walkMarkers, word } from "../../jpg/markers/walk.ts";
import {
  adobeSegment,
  frameSegment,
  huffmanSegment,
  quantisationSegment,
  scanSegment,
  segment,
  startOfImage,
} from "../../jpg/markers/write.ts";
import type { Directory, TiffFile } from "../directory/ifd.ts";
import type { Picture } from "../directory/picture.ts";
import { refusalText } from "../directory/refusals.ts";
import { readSampling } from "../samples/ycc.ts";
import { joinedPieces } from "./pieces.ts";
import { huffmanTables, quantisationTables } from "./tables.ts";

/** The marker segments before the coded data. */
export interface Head {
  /** DQT, DHT and DAC, unchanged. */
  readonly tables: Uint8Array[];
  quantisers: boolean;
  huffman: boolean;
  /** MCUs between restart markers; 0 if there are none. */
  restart: number;
  frame?: FrameHeader;
  scan?: Uint8Array;
  /** Start of the coded data in the file, if a scan header determines it. */
  dataAt?: number;
}

const windowBytes = 2048;
const dac = 0xcc;
const tableCodes: readonly number[] = [marker.dqt, marker.dht, dac];

/**
 * Reads the marker segments at the beginning of a file range, up to a scan header, into `head`. Throws
 * ImagingError `decode`.
 */
export async function takeSegments(bytes: ByteSource, range: ByteRange, head: Head): Promise<void> {
  const source = joinedPieces(bytes, [range]);
  const [first = 0, second = 0] = await source.read(0, 2);
  if (first !== 0xff || second < 0xc0) return;
  const walk = walkMarkers(source, windowBytes);
  for await (const found of walk.segments(0, { fillBytesOnly: true })) {
    const { code, length } = found;
    if (code === marker.soi) continue;
    if (code === marker.eoi || length === undefined || found.end > range.length) return;
    take(head, found, await walk.body(found));
    if (code !== marker.sos) continue;
    head.dataAt = range.offset + found.end;
    return;
  }
}

function take(head: Head, found: Segment, body: Uint8Array): void {
  const { at, code, length } = found;
  if (isFrame(code)) {
    head.frame = readFrameHeader(body, { at, code, length });
    return;
  }
  if (tableCodes.includes(code)) head.tables.push(Uint8Array.from(segment(code, [...body])));
  if (code === marker.dqt) head.quantisers = true;
  if (code === marker.dht || code === dac) head.huffman = true;
  if (code === marker.dri && body.length >= 2) head.restart = word(body, 0);
  if (code === marker.sos) head.scan = Uint8Array.from(segment(code, [...body]));
}

/** A header that is complete except for the size of the image and the restart markers. */
export interface WholeHead {
  readonly frame: Pick<FrameHeader, "code" | "hMax" | "vMax"> & {
    readonly components: readonly {
      readonly id: number;
      readonly h: number;
      readonly v: number;
      readonly quantSelector: number;
    }[];
  };
  readonly tables: readonly ArrayLike<number>[];
  readonly scan: ArrayLike<number>;
}

const baseline = 0xc0;
const extended = 0xc1;

/**
 * Completes the header with values from the fields of the directory. Segments take precedence: many writers
 * have other values in the fields. Throws ImagingError `decode`, and `unsupported` for unsupported kinds of
 * JPEG.
 */
export async function completedHead(
  file: TiffFile,
  directory: Directory,
  picture: Picture,
  head: Head,
): Promise<WholeHead> {
  if (head.frame) refuseFrame(head.frame);
  const count = head.frame?.components.length ?? picture.samples;
  const { across, down } =
    head.frame || count === 1 ? { across: 1, down: 1 } : await readSampling(file, directory);
  const quantisers = head.quantisers ? undefined : await quantisationTables(file, directory, count);
  const dc = head.huffman ? undefined : await huffmanTables(file, directory, count, "JPEGDCTables");
  const ac = head.huffman ? undefined : await huffmanTables(file, directory, count, "JPEGACTables");
  const max = Math.max(dc?.tables.length ?? 0, ac?.tables.length ?? 0);
  const stated = head.frame ?? {
    code: max > 2 ? extended : baseline,
    hMax: across,
    vMax: down,
    components: Array.from({ length: count }, (_, i) => ({
      id: i + 1,
      h: i === 0 ? across : 1,
      v: i === 0 ? down : 1,
      quantSelector: i,
    })),
  };
  const components = stated.components.map((component, i) => ({
    ...component,
    quantSelector: quantisers?.selectors[i] ?? component.quantSelector,
  }));
  const scanned = components.map(({ id }, i) => ({
    id,
    dcSelector: dc?.selectors[i] ?? Math.min(i, 1),
    acSelector: ac?.selectors[i] ?? Math.min(i, 1),
  }));
  return {
    frame: { code: stated.code, hMax: stated.hMax, vMax: stated.vMax, components },
    tables: [
      ...head.tables,
      ...(quantisers?.tables ?? []).map((table, i) => quantisationSegment(i, table)),
      ...(dc?.tables ?? []).map((table, i) => huffmanSegment("dc", i, table)),
      ...(ac?.tables ?? []).map((table, i) => huffmanSegment("ac", i, table)),
    ],
    scan: head.scan && head.huffman ? head.scan : scanSegment(scanned),
  };
}

function refuseFrame({ code, precision, components }: FrameHeader): void {
  const received =
    frameKinds[code]?.refused ??
    (precision !== 8 ? `${precision} bits in each` : undefined) ??
    (components.length !== 1 && components.length !== 3 ? `${components.length} components` : undefined);
  if (received)
    throw new ImagingError(
      "unsupported",
      refusalText(["old-style JPEG of one or three components of 8 bits", received]),
    );
}

/**
 * Returns the head as bytes. `transform`: value of an Adobe segment for three components, so that decoders do
 * not guess from their names: 1 for luma and chroma, 0 for components without conversion.
 */
export function headBytes(
  { frame, tables, scan }: WholeHead,
  size: { readonly width: number; readonly height: number },
  restart: number,
  transform: 0 | 1,
): Uint8Array {
  return concatenate([
    startOfImage,
    ...(frame.components.length === 3 ? [adobeSegment(transform)] : []),
    ...tables,
    ...(restart > 0 ? [segment(marker.dri, [restart >> 8, restart & 255])] : []),
    frameSegment(frame.code, size, frame.components),
    scan,
  ]);
}

/** Returns the columns and rows of MCUs in a picture of this size (ITU-T T.81, A.2). */
export function mcusOf(
  { hMax, vMax, components }: WholeHead["frame"],
  { width, height }: { readonly width: number; readonly height: number },
) {
  const [across, down] = components.length === 1 ? [8, 8] : [8 * hMax, 8 * vMax];
  return {
    columns: Math.ceil(width / across),
    rows: Math.ceil(height / down),
    whole: (rows: number) => rows % down === 0,
  };
}

/** Creates an empty head. */
export const emptyHead = (): Head => ({ tables: [], quantisers: false, huffman: false, restart: 0 });

/** Checks that the sizes of a frame are possible for a picture of this size. */
export function checkSize({ frame }: Head, whole: WholeHead, picture: Picture, strips: number): void {
  if (!frame) return;
  const { width, height } = frame;
  const tooLow = strips === 1 && height > 0 && height < picture.height;
  if (tooLow || mcusOf(whole.frame, frame).columns !== mcusOf(whole.frame, picture).columns)
    throw damagedTif(
      `a JPEG stream of ${picture.width} by ${picture.height} pixels`,
      `${width} by ${height}`,
    );
}
