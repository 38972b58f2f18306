// What stands in front of the scan of a baseline JPEG: JFIF, segments of the caller, tables, frame and scan header (ITU T.81, B.2).

import { ServiceError } from "../../../errors.ts";
import { concatenated } from "../../../lib/concatenated.ts";
import type { Resolution } from "../../codec.ts";
import { withDensity } from "./density.ts";
import type { HuffmanTable, HuffmanTables } from "./huffman-codes.ts";
import { type QuantisationTables, zigzag } from "./quantisation.ts";

export interface BaselineHeader {
  readonly width: number;
  readonly height: number;
  /** Horizontal and vertical sampling factor of luma; undefined for one component. */
  readonly luma: readonly [number, number] | undefined;
  readonly quantisation: QuantisationTables;
  readonly huffman: HuffmanTables;
  readonly resolution?: Resolution;
  /** Whole segments, marker and length included, to stand behind the JFIF segment. */
  readonly extra?: readonly Uint8Array[];
}

/** All bytes up to the scan. Throws ServiceError `encode` for an extra segment that is none. */
export function baselineHeader(header: BaselineHeader): Uint8Array {
  const { width, height, luma, quantisation, huffman, extra = [] } = header;
  for (const segment of extra) checkSegment(segment);
  const components = luma
    ? [
        [1, luma[0] * 16 + luma[1], 0],
        [2, 0x11, 1],
        [3, 0x11, 1],
      ]
    : [[1, 0x11, 0]];
  const jfif = [0xff, 0xd8, 0xff, 0xe0, 0, 16, 0x4a, 0x46, 0x49, 0x46, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0];
  const parts: ArrayLike<number>[] = [
    withDensity(Uint8Array.from(jfif), header.resolution),
    ...extra,
    quantisationSegment(0, quantisation.luma),
    ...(luma ? [quantisationSegment(1, quantisation.chroma)] : []),
    segment(0xc0, [8, ...word(height), ...word(width), components.length, ...components.flat()]),
    huffmanSegment(0x00, huffman.dcLuma),
    huffmanSegment(0x10, huffman.acLuma),
    ...(luma ? [huffmanSegment(0x01, huffman.dcChroma), huffmanSegment(0x11, huffman.acChroma)] : []),
    segment(0xda, [
      components.length,
      ...components.flatMap(([id, , table]) => [id!, table! * 0x11]),
      ...[0, 63, 0], // all coefficients, whole
    ]),
  ];
  return concatenated(parts);
}

const word = (value: number) => [value >> 8, value & 255];

function segment(marker: number, body: readonly number[]): number[] {
  return [0xff, marker, ...word(body.length + 2), ...body];
}

function quantisationSegment(id: number, values: Uint8Array): number[] {
  return segment(0xdb, [id, ...zigzag.map((position) => values[position]!)]);
}

function huffmanSegment(id: number, { lengths, symbols }: HuffmanTable): number[] {
  return segment(0xc4, [id, ...lengths, ...symbols]);
}

/** APPn and COM are the segments that a caller may add. */
function checkSegment(bytes: Uint8Array): void {
  const marker = bytes[1] ?? 0;
  const length = (bytes[2] ?? 0) * 256 + (bytes[3] ?? 0);
  const named = bytes[0] === 0xff && ((marker >= 0xe0 && marker <= 0xef) || marker === 0xfe);
  if (named && length >= 2 && bytes.length === length + 2) return;
  throw new ServiceError(
    "encode",
    `Expected an APPn or COM segment whose length field tells its ${bytes.length - 2} bytes; received marker ` +
      `${marker.toString(16)} with length ${length}. Give whole segments of at most 65535 bytes behind the marker.`,
    { code: "bad_segment" },
  );
}
