// Codestreams built byte by byte, whose packets have no code-blocks: all their samples are in the middle of
// the range.

import { memoryBytes } from "../../../../src/base/bytes/byte-source.ts";
import { createCodecs } from "../../../../src/imaging/codecs/index.ts";
import { testHost } from "../../../host.ts";
import { u16, u32 } from "./files.ts";

export const segment = (marker: number, body: readonly number[]): number[] => [
  ...u16(marker),
  ...u16(2 + body.length),
  ...body,
];

interface Coding {
  readonly layers?: number;
  readonly transforms?: boolean;
  readonly levels?: number;
  /** Exponent of the sides of precincts; absent: as large as they can be. */
  readonly precinct?: number;
}

/** The body of COD for 5/3 and code-blocks of 64 samples. */
export const coding = ({ layers = 1, transforms = false, levels = 0, precinct }: Coding): number[] => [
  precinct === undefined ? 0 : 1,
  0,
  ...u16(layers),
  transforms ? 1 : 0,
  levels,
  4,
  4,
  0,
  1,
  ...(precinct === undefined ? [] : new Array<number>(levels + 1).fill((precinct << 4) | precinct)),
];

/** A square picture of one tile, up to its first tile-part. */
export function header({
  side,
  steps = [1],
  more = [],
  ...how
}: Coding & {
  readonly side: number;
  /** Pixels per sample along each axis, by component. */
  readonly steps?: readonly number[];
  /** Further segments. */
  readonly more?: readonly number[];
}): number[] {
  const square = (value: number) => [...u32(value), ...u32(value)];
  const components = steps.flatMap((step) => [7, step, step]);
  return [
    ...u16(0xff4f),
    ...segment(0xff51, [
      0,
      0,
      ...square(side),
      ...square(0),
      ...square(side),
      ...square(0),
      ...u16(steps.length),
      ...components,
    ]),
    ...segment(0xff52, coding(how)),
    ...segment(0xff5c, [0x40, ...new Array<number>(3 * (how.levels ?? 0) + 1).fill(0x40)]),
    ...more,
  ];
}

/** A tile-part of the first tile with the given number of bytes of data. */
export const tilePart = (length: number, segments: readonly number[] = []): number[] => [
  ...segment(0xff90, [0, 0, ...u32(14 + segments.length + length), 0, 0]),
  ...segments,
  ...u16(0xff93),
  ...new Array<number>(length).fill(0),
];

/** The whole picture, at 1/scaleFactor. */
export async function decode(parts: readonly (readonly number[])[], scaleFactor = 1) {
  const bytes = memoryBytes(Uint8Array.from([...parts.flat(), 0xff, 0xd9]));
  const codec = createCodecs(testHost).decoder("jp2");
  const found = await codec.probe(bytes, 1);
  const region = { x: 0, y: 0, width: found.width, height: found.height };
  return codec.decode(bytes, { header: found, page: 1, region, scaleFactor });
}
