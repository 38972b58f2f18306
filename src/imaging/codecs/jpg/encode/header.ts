// The header of a baseline JPEG written by our encoder: JFIF, tables, frame and scan header
// (ITU-T T.81, B.2).

import { concatenate } from "../../../../base/index.ts";
import type { Resolution } from "../../image-header.ts";
import { densityFields } from "../markers/density.ts";
import { definitionOf, type HuffmanTable, type HuffmanTables } from "../markers/huffman-codes.ts";
import { type QuantisationTables, zigzag } from "../markers/quantisation.ts";
import {
  endOfImage,
  frameSegment,
  huffmanSegment,
  jfifSegment,
  quantisationSegment,
  scanSegment,
  startOfImage,
} from "../markers/write.ts";

export interface BaselineHeader {
  readonly width: number;
  readonly height: number;
  /** Horizontal and vertical sampling factor of luma; undefined for one component. */
  readonly luma: readonly [number, number] | undefined;
  readonly quantisation: QuantisationTables;
  readonly huffman: HuffmanTables;
  readonly resolution?: Resolution | undefined;
  /**
   * True for the abbreviated format (ITU-T T.81, B.4): neither a JFIF segment nor tables, which a stream of
   * {@link tableStream} has.
   */
  readonly abbreviated?: boolean | undefined;
}

/** Returns all bytes up to the scan. */
export function baselineHeader(header: BaselineHeader): Uint8Array {
  const { luma, abbreviated } = header;
  const components = luma
    ? [component(1, luma[0], luma[1], 0), component(2, 1, 1, 1), component(3, 1, 1, 1)]
    : [component(1, 1, 1, 0)];
  const parts: ArrayLike<number>[] = [
    startOfImage,
    ...(abbreviated ? [] : [jfifSegment(densityFields(header.resolution))]),
    ...(abbreviated ? [] : quantisationOf(header)),
    frameSegment(0xc0, header, components),
    ...(abbreviated ? [] : huffmanOf(header)),
    scanSegment(components),
  ];
  return concatenate(parts);
}

type Tables = Pick<BaselineHeader, "luma" | "quantisation" | "huffman">;

/** Returns the tables alone, as an abbreviated stream (ITU-T T.81, B.5). */
export function tableStream(tables: Tables): Uint8Array {
  return concatenate([startOfImage, ...quantisationOf(tables), ...huffmanOf(tables), endOfImage]);
}

const quantisationOf = ({ luma, quantisation }: Tables) => [
  quantisationTable(0, quantisation.luma),
  ...(luma ? [quantisationTable(1, quantisation.chroma)] : []),
];

const huffmanOf = ({ luma, huffman }: Tables) => [
  ...huffmanTables(0, huffman.dcLuma, huffman.acLuma),
  ...(luma ? huffmanTables(1, huffman.dcChroma, huffman.acChroma) : []),
];

/** Returns a component that uses the same number for all its tables. */
const component = (id: number, h: number, v: number, table: 0 | 1) => ({
  id,
  h,
  v,
  quantSelector: table,
  dcSelector: table,
  acSelector: table,
});

const inZigzag = (table: Uint8Array) => zigzag.map((position) => table[position]!);

/**
 * Segments by table: all tiles of a service have the same quantisation tables, and most have the same Huffman
 * tables.
 */
const known = [new WeakMap<object, Uint8Array>(), new WeakMap<object, Uint8Array>()] as const;

function segmentOf<T extends object>(selector: 0 | 1, table: T, write: (table: T) => number[]): Uint8Array {
  let segment = known[selector].get(table);
  if (!segment) {
    segment = Uint8Array.from(write(table));
    known[selector].set(table, segment);
  }
  return segment;
}

const quantisationTable = (selector: 0 | 1, table: Uint8Array) =>
  segmentOf(selector, table, () => quantisationSegment(selector, inZigzag(table)));

function huffmanTables(selector: 0 | 1, dc: HuffmanTable, ac: HuffmanTable): Uint8Array[] {
  return [
    segmentOf(selector, dc, (table) => huffmanSegment("dc", selector, definitionOf(table))),
    segmentOf(selector, ac, (table) => huffmanSegment("ac", selector, definitionOf(table))),
  ];
}

/**
 * Throws ImagingError `encode` unless the bytes are a whole APPn or COM segment; a caller may add only those.
 */
