// Memory layout of one resampling: contents of the rows, and position and size of every buffer
// (wasm/resample/README.md).

import type { PackedTaps } from "./resample-taps.ts";

/** Contents of rows in the ring, by the module's numbers: 8-bit samples, i16 box cells, f32 cells. */
export const kinds = { bytes: 0, words: 1, floats: 2 } as const;
export type Kind = keyof typeof kinds;
const sampleBytes = { bytes: 1, words: 2, floats: 4 } as const satisfies Record<Kind, number>;
/** Maximum of bytes in a box whose sum fits 16 bits. */
const maxInWords = 257;

/** Interleaved samples with a row stride in samples. */
export interface Samples {
  readonly data: Uint8Array | Uint16Array;
  readonly width: number;
  readonly height: number;
  readonly bands: number;
  readonly stride: number;
  readonly weighted: boolean;
}

/** Output rows are made in groups. */
export const groupRows = 4;
/** Samples between rows that are copied with them. */
const maxBetween = 1024;
/** Vectors read and write up to here beyond a buffer. */
const slack = 128;
/** Bytes of the rows in the ring; with the two below, they fit the second cache. */
const ringBytes = 192 << 10;
/** Bytes of staged rows. */
const stagedBytes = 64 << 10;
/** Bytes of rows that wait to be taken out. */
const outBytes = 64 << 10;

/** Integers for plain 8-bit samples, if the box is small; the same for every window of an image. */
export function kindOf({ data, weighted }: Samples, box: number): Kind {
  if (weighted || data.BYTES_PER_ELEMENT === 2 || box > maxInWords) return "floats";
  return box === 1 ? "bytes" : "words";
}

/** Offsets from the heap's base, and the sizes that go with them. */
export interface Layout {
  readonly box: { readonly x: number; readonly y: number };
  readonly kind: Kind;
  readonly xStarts: number;
  readonly xWeights: number;
  readonly yStarts: number;
  readonly yWeights: number;
  readonly pointers: number;
  readonly staged: number;
  readonly stagedRows: number;
  readonly sums: number;
  readonly ring: number;
  readonly ringStride: number;
  readonly ringRows: number;
  readonly lines: number;
  readonly lineStride: number;
  readonly quads: number;
  readonly group: number;
  readonly groupStride: number;
  readonly out: number;
  readonly outRows: number;
  readonly bytes: number;
}

/** Returns the layout for weights of `across` and `down` over cells of `box` pixels. */
export function layOut(
  from: Samples,
  across: PackedTaps,
  down: PackedTaps,
  box: Layout["box"],
  kind: Kind,
): Layout {
  const depth = from.data.BYTES_PER_ELEMENT;
  const asTheyCome = kind === "bytes";
  const rowSamples = from.width * from.bands;
  const cellSamples = Math.ceil(from.width / box.x) * from.bands;
  const boxed = box.x > 1 || box.y > 1;
  let bytes = 0;
  const take = (length: number): number => {
    const at = bytes;
    bytes = align(at + length + slack);
    return at;
  };
  // rows that are used unchanged are copied in one piece with the bytes between them, unless these are many
  // or the rows would share few cache lines
  const { stride } = from;
  const asTheyLie = asTheyCome && stride % 4096 >= 64 && stride <= rowSamples + maxBetween;
  const ringStride = asTheyLie ? stride : apart(cellSamples * sampleBytes[kind]);
  const ringRows = Math.max(reachOfGroups(down), asTheyCome ? Math.floor(ringBytes / ringStride) : 0);
  const stagedRows = Math.max(1, Math.floor(stagedBytes / (rowSamples * depth)));
  const lineStride = apart((cellSamples + 32) * (kind === "floats" ? 4 : 2));
  const rowBytes = across.size * from.bands * depth;
  const outRows = Math.max(groupRows, Math.floor(outBytes / rowBytes / groupRows) * groupRows);
  return {
    box,
    kind,
    xStarts: take(across.starts.byteLength),
    xWeights: take(across.weights.byteLength),
    yStarts: take(down.starts.byteLength),
    yWeights: take(down.weights.byteLength),
    pointers: take(down.count * groupRows * 4),
    staged: take(asTheyCome ? 0 : stagedRows * rowSamples * depth),
    stagedRows,
    sums: take(boxed ? rowSamples * (from.weighted && depth === 2 ? 8 : 4) : 0),
    ring: take(ringRows * ringStride),
    ringStride,
    ringRows,
    lines: take(groupRows * lineStride),
    lineStride,
    quads: take((cellSamples + across.count * from.bands) * 16),
    group: take(groupRows * apart(rowBytes)),
    groupStride: apart(rowBytes),
    out: take(outRows * rowBytes),
    outRows,
    get bytes() {
      return bytes;
    },
  };
}

/** Up to the next line of the cache. */
export const align = (offset: number): number => Math.ceil(offset / 64) * 64;

/**
 * Returns a stride with room for vectors at the end of rows. It is not a power of two, or rows would share a
 * few cache lines.
 */
const apart = (length: number): number => Math.ceil((length + slack) / 128) * 128 + 64;

/** Cell rows that a group of output rows reaches at most. */
function reachOfGroups({ size, count, starts }: PackedTaps): number {
  let reach = 0;
  for (let row = 0; row < size; row += groupRows)
    reach = Math.max(reach, starts[Math.min(row + groupRows, size) - 1]! + count - starts[row]!);
  return reach;
}
