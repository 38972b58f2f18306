// One code-block from the bytes of its pieces to coefficients in a slot of the module's memory.

import { ImagingError } from "../../../errors.ts";
import type { ReadRanges } from "../../ranges.ts";
import { damaged } from "../codestream.ts";
import type { Band } from "../stream/geometry.ts";
import { blockStyle, type Coding } from "../stream/parameters.ts";
import type { CodeBlock } from "../stream/precinct.ts";
import type { Arena, Engine } from "./engine.ts";

/** How the blocks of a sub-band are coded. */
export interface BandCoding {
  readonly coding: Coding;
  readonly orientation: Band["orientation"];
  /** Mb of equation E-2: bit-planes of the sub-band, without those of a region of interest. */
  readonly planes: number;
  /** Bit-planes by which a region of interest is shifted up. */
  readonly shift: number;
  /** The lowest bit-planes that are left out; 0 for HT. */
  readonly skipped: number;
}

/** Tables of contexts by orientation. */
const orientations = { LL: 0, LH: 0, HL: 1, HH: 2 } as const;

/** Magnitudes have 31 bits, one of them a fraction. */
const mostPlanes = 30;

/** Throws ImagingError `decode`, and `unsupported` for more bit-planes than 30. */
export function decodeBlock(
  engine: Engine,
  arena: Arena,
  block: CodeBlock,
  band: BandCoding,
  bytes: ReadRanges,
  out: number,
): void {
  const mark = arena.mark;
  const width = block.x1 - block.x0;
  const height = block.y1 - block.y0;
  const planes = band.planes + band.shift - block.zeroPlanes;
  if (planes < 1) throw damaged(`code-blocks of at least one bit-plane, received one of ${planes}`);
  if (planes > mostPlanes)
    throw new ImagingError(
      "unsupported",
      `Expected JPEG 2000 code-blocks of at most ${mostPlanes} bit-planes, received one of ${planes}; convert the file.`,
    );
  const isHt = (band.coding.style & blockStyle.highThroughput) !== 0;
  const { data, segments } = gather(engine, arena, block, bytes, isHt ? 0 : 2);
  if (!isHt) decodePart1(engine, arena, data, segments, planes, band, width, height, out);
  else if (!decodeHt(engine, data, segments, planes, band, width, height, out))
    throw damaged("HT code-blocks that their segments fit, received another");
  if (band.shift > 0) engine.run.shiftDown(out, width * height, band.shift);
  arena.release(mark);
}

interface CodeSegment {
  passes: number;
  length: number;
}

/** The segments of a block one behind the other, each followed by `gap` bytes of 0xFF. */
function gather(engine: Engine, arena: Arena, { pieces }: CodeBlock, bytes: ReadRanges, gap: number) {
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
  arena.take(0); // bytes in front of the data may be read
  const data = arena.take(total + gap * segments.length);
  const memory = engine.bytes();
  let at = data;
  for (const [i, piece] of pieces.entries()) {
    const part = bytes.bytesOf(piece);
    if (part.length < piece.length) throw damaged("complete code-blocks, but the file ends early");
    memory.set(part, at);
    at += piece.length;
    if (i + 1 === pieces.length || pieces[i + 1]!.begins) {
      memory.fill(0xff, at, at + gap);
      at += gap;
    }
  }
  return { data, segments };
}

function decodePart1(
  engine: Engine,
  arena: Arena,
  data: number,
  segments: readonly CodeSegment[],
  planes: number,
  { coding, orientation, skipped }: BandCoding,
  width: number,
  height: number,
  out: number,
): void {
  const table = arena.take(8 * segments.length);
  const view = new DataView(engine.bytes().buffer);
  segments.forEach(({ passes, length }, i) => {
    view.setUint32(table + 8 * i, passes, true);
    view.setUint32(table + 8 * i + 4, length, true);
  });
  const { run, work } = engine;
  const number = orientations[orientation];
  const { style } = coding;
  run.decodeBlock(data, table, segments.length, width, height, planes, skipped, number, style, work, out);
}

/**
 * T.814: cleanup in the first segment, refinement in the second; three passes before the first cleanup are a
 * zero plane each.
 */
function decodeHt(
  engine: Engine,
  data: number,
  [cleanup, refinement, ...others]: readonly CodeSegment[],
  planes: number,
  { coding }: BandCoding,
  width: number,
  height: number,
  out: number,
): boolean {
  if (!cleanup || others.length > 0) return false;
  const before = (cleanup.passes - 1) / 3;
  const plane = planes - 1 - before;
  if (plane < 0 || !Number.isInteger(before)) return false;
  const causal = coding.style & blockStyle.causal ? 1 : 0;
  const { run, work } = engine;
  const passes = 1 + (refinement?.passes ?? 0);
  const lengths = [cleanup.length, refinement?.length ?? 0] as const;
  return run.decodeHtBlock(data, ...lengths, passes, width, height, plane, causal, work, out) === 1;
}
