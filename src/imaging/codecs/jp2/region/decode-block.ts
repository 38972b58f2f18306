// Decodes one code-block from the bytes of its pieces to coefficients in a slot of the module's memory.

import { ImagingError, type Size } from "../../../../base/index.ts";
import { damagedJp2 } from "../../damaged.ts";
import type { ReadRanges } from "../../ranges.ts";
import { blockStyles } from "../markers.ts";
import type { Band } from "../stream/geometry.ts";
import { htKinds, lastSet } from "../stream/ht-segments.ts";
import type { Coding } from "../stream/parameters.ts";
import type { CodeBlock } from "../stream/precinct.ts";
import type { Arena, Engine } from "./engine.ts";

/** Coding of the blocks of a sub-band. */
export interface BandCoding {
  readonly coding: Coding;
  readonly orientation: Band["orientation"];
  /** Mb of equation E-2: bit-planes of the sub-band, without those of a region of interest. */
  readonly planes: number;
  /** Bit-planes that a region of interest is shifted up by. */
  readonly shift: number;
  /** Number of lowest bit-planes that are omitted; 0 for HT. */
  readonly skipped: number;
}

/** Context tables by orientation. */
const orientations = { LL: 0, LH: 0, HL: 1, HH: 2 } as const;

/** Bits of the style that decoding by Part 1 knows. */
const part1Styles = blockStyles.highThroughput - 1;

/** Magnitudes have 31 bits, one of them a fraction. */
const maxPlanes = 30;

/** Throws ImagingError `decode`, and `unsupported` for more bit-planes than 30. */
export function decodeBlock(
  arena: Arena,
  block: CodeBlock,
  band: BandCoding,
  bytes: ReadRanges,
  out: number,
): void {
  const { engine, mark } = arena;
  const size = { width: block.x1 - block.x0, height: block.y1 - block.y0 };
  const planes = band.planes + band.shift - block.zeroPlanes;
  if (planes < 1) throw damagedJp2(`code-blocks of at least one bit-plane, received one of ${planes}`);
  if (planes > maxPlanes)
    throw new ImagingError(
      "unsupported",
      `Expected JPEG 2000 code-blocks of at most ${maxPlanes} bit-planes, received one of ${planes}; convert the file.`,
    );
  const isHt = (band.coding.style & blockStyles.highThroughput) !== 0 && block.kind !== htKinds.part1;
  const coded = gather(arena, block, bytes, isHt ? 0 : 2, planes);
  if (!isHt) decodePart1(arena, coded, band, size, out);
  else if (!decodeHt(engine, coded, band, size, out))
    throw damagedJp2("HT code-blocks that their segments fit, received another");
  if (band.shift > 0) engine.run.shiftDown(out, size.width * size.height, band.shift);
  arena.release(mark);
}

interface CodeSegment {
  passes: number;
  length: number;
}

/** The data of a code-block at a position of the module's memory. */
interface CodedBlock {
  readonly data: number;
  readonly segments: readonly CodeSegment[];
  readonly planes: number;
}

/**
 * Copies the segments of a block of `planes` bit-planes in sequence, each followed by `gap` bytes of 0xFF.
 */
function gather(
  arena: Arena,
  { pieces }: CodeBlock,
  bytes: ReadRanges,
  gap: number,
  planes: number,
): CodedBlock {
  const segments: CodeSegment[] = [];
  let total = 0;
  for (const { passes, length, begins } of pieces) {
    if (begins) segments.push({ passes, length });
    else {
      const last = segments[segments.length - 1]!;
      last.passes += passes;
      last.length += length;
    }
    total += length;
  }
  arena.take(0); // bytes before the data may be read
  const data = arena.take(total + gap * segments.length);
  const memory = arena.engine.bytes();
  let at = data;
  for (let i = 0; i < pieces.length; i++) {
    const piece = pieces[i]!;
    if (!bytes.copyTo(piece, memory, at)) throw damagedJp2("complete code-blocks, but the file ends early");
    at += piece.length;
    if (gap > 0 && (i + 1 === pieces.length || pieces[i + 1]!.begins)) {
      memory.fill(0xff, at, at + gap);
      at += gap;
    }
  }
  return { data, segments, planes };
}

function decodePart1(
  arena: Arena,
  { data, segments, planes }: CodedBlock,
  { coding, orientation, skipped }: BandCoding,
  { width, height }: Size,
  out: number,
): void {
  const { engine } = arena;
  const table = arena.take(8 * segments.length);
  const view = new DataView(engine.bytes().buffer);
  segments.forEach(({ passes, length }, i) => {
    view.setUint32(table + 8 * i, passes, true);
    view.setUint32(table + 8 * i + 4, length, true);
  });
  const { run, work } = engine;
  const number = orientations[orientation];
  const style = coding.style & part1Styles;
  run.decodeBlock(data, table, segments.length, width, height, planes, skipped, number, style, work, out);
}

/** Decodes the last HT set (T.814 7.1). Returns false if the block is damaged. */
function decodeHt(
  engine: Engine,
  { data, segments, planes }: CodedBlock,
  { coding }: BandCoding,
  { width, height }: Size,
  out: number,
): boolean {
  const set = lastSet(segments);
  if (set === "none") engine.bytes().fill(0, out, out + 4 * width * height);
  if (set === "none" || !set) return set === "none";
  const { cleanup, refinement, passes } = set;
  const plane = planes - 1 - set.before / 3;
  if (plane < 0) return false;
  const causal = coding.style & blockStyles.causal ? 1 : 0;
  const { run, work } = engine;
  const at = data + set.at;
  return run.decodeHtBlock(at, cleanup, refinement, passes, width, height, plane, causal, work, out) === 1;
}
