// Codeword segments of HT code-blocks in packet headers (ITU-T T.814 B.3): passes without data until the
// first cleanup, then sets of a cleanup and of up to two refinement passes.

import { damagedJp2 } from "../../damaged.ts";
import type { HeaderBits } from "./header-bits.ts";

/** What the packets so far say of a code-block: nothing, or that it is coded by HT, or as in Part 1. */
export const htKinds = { unknown: 0, ht: 1, part1: 2 } as const;
export type HtKind = (typeof htKinds)[keyof typeof htKinds];

/** A code-block before a packet. */
export interface HtBlock {
  readonly passes: number;
  readonly kind: number;
  /** Lblock of T.800 B.10.7.1. */
  readonly lengthBits: number;
  /** True if blocks of Part 1 may be among those of HT. */
  readonly mixed: boolean;
}

/** Passes of a packet and their bytes. */
export interface HtPiece {
  readonly passes: number;
  readonly length: number;
  readonly begins: boolean;
}

/** Reads the lengths of `coming` passes. Throws HeaderEnd, and ImagingError `decode`. */
export function readHtPieces(
  bits: HeaderBits,
  block: HtBlock,
  coming: number,
): { readonly kind: HtKind; readonly pieces: readonly HtPiece[] } {
  const { passes, kind, lengthBits } = block;
  if (kind === htKinds.unknown) return readFirst(bits, block, coming);
  if (kind === htKinds.part1) {
    const length = bits.number(lengthBits + log2(coming));
    return { kind, pieces: [{ passes: coming, length, begins: false }] };
  }
  return { kind: htKinds.ht, pieces: readSets(bits, passes, coming, lengthBits) };
}

const log2 = (value: number) => 31 - Math.clz32(value);

/** A length of more bits than those of the passes up to the last cleanup is one of all passes. */
function readFirst(bits: HeaderBits, block: HtBlock, coming: number): ReturnType<typeof readHtPieces> {
  const { passes, lengthBits, mixed } = block;
  const refining = (passes + coming - 1) % 3;
  const upTo = coming - refining;
  const narrow = upTo < 1 ? 0 : lengthBits + log2(upTo);
  const first = bits.number(narrow);
  // Part 1 writes such a length without leading zeros.
  const isHt = mixed ? lengthBits > 3 && first > 1 && first < 2 ** (narrow - 1) : first > 0;
  if (isHt) {
    const cleanup = { passes: upTo, length: first, begins: true };
    return { kind: htKinds.ht, pieces: [cleanup, ...readSets(bits, passes + upTo, refining, lengthBits)] };
  }
  const more = lengthBits + log2(coming) - narrow;
  const length = first * 2 ** more + bits.number(more);
  if (length > 0 && !mixed) throw damagedJp2("HT code-blocks that begin with a cleanup pass");
  return {
    kind: length > 0 ? htKinds.part1 : htKinds.unknown,
    pieces: [{ passes: coming, length, begins: passes === 0 }],
  };
}

function readSets(bits: HeaderBits, passed: number, coming: number, lengthBits: number): HtPiece[] {
  const pieces: HtPiece[] = [];
  for (let at = passed, end = passed + coming; at < end; ) {
    const isCleanup = at % 3 === 0;
    const passes = isCleanup ? 1 : Math.min(end - at, 3 - (at % 3));
    // The second refinement pass continues the segment of the first.
    pieces.push({ passes, length: bits.number(lengthBits + log2(passes)), begins: at % 3 !== 2 });
    at += passes;
  }
  return pieces;
}

/** An HT set, and the passes before it, each three of which are a bit-plane. */
export interface HtSet {
  /** Offset of its bytes. */
  readonly at: number;
  readonly cleanup: number;
  readonly refinement: number;
  readonly passes: number;
  readonly before: number;
}

/**
 * Returns the last set with data, which replaces those before it; "none" if there is no data, undefined if it
 * is not in sets.
 */
export function lastSet(segments: readonly { passes: number; length: number }[]): HtSet | "none" | undefined {
  let found: HtSet | undefined;
  let isOpen = false;
  let [done, at] = [0, 0];
  for (const { passes, length } of segments) {
    done += passes;
    const isCleanup = done % 3 === 1;
    if (isCleanup) isOpen = length > 0;
    if (length > 0) {
      if (!isOpen) return undefined;
      if (isCleanup) found = { at, cleanup: length, refinement: 0, passes: 1, before: done - 1 };
      else if (found)
        found = { ...found, refinement: found.refinement + length, passes: found.passes + passes };
    }
    at += length;
  }
  return found ?? "none";
}
