// Contexts of the coefficient bit model (ITU-T T.800 Annex D): their states, and tables from neighbours to
// contexts.

import { setContext, slotBytes } from "./mq";

/** Numbers of contexts: 0 to 8 for zero coding, 9 to 13 for signs, 14 to 16 for refinement. */
export const signContext = 9;
export const refinementContext = 14;
export const runContext = 17;
export const uniformContext = 18;
const contextCount = 19;

/** The contexts of the block at work. */
export const slots = memory.data(19 * 16, 16);

// @ts-ignore: decorator
@inline
export function slotOf(context: u32): usize {
  return slots + (usize(context) << 4);
}

/** T.800 table D.7. */
export function resetContexts(): void {
  for (let context = 0; context < contextCount; context++) setContext(slots + usize(context) * slotBytes, 0);
  setContext(slotOf(0), 4);
  setContext(slotOf(runContext), 3);
  setContext(slotOf(uniformContext), 46);
}

/**
 * Contexts of zero coding (table D.1), by orientation (0: LL and LH, 1: HL, 2: HH) and the 3x3 significances,
 * row by row.
 */
export const zeroContexts = memory.data(3 * 512);
for (let around = 0; around < 512; around++) {
  const horizontal = ((around >> 3) & 1) + ((around >> 5) & 1);
  const vertical = ((around >> 1) & 1) + ((around >> 7) & 1);
  const diagonal = (around & 1) + ((around >> 2) & 1) + ((around >> 6) & 1) + ((around >> 8) & 1);
  store<u8>(zeroContexts + around, u8(alongLines(horizontal, vertical, diagonal)));
  store<u8>(zeroContexts + 512 + around, u8(alongLines(vertical, horizontal, diagonal)));
  store<u8>(zeroContexts + 1024 + around, u8(alongDiagonals(horizontal + vertical, diagonal)));
}

function alongLines(along: i32, across: i32, diagonal: i32): i32 {
  if (along == 2) return 8;
  if (along == 1) return across > 0 ? 7 : diagonal > 0 ? 6 : 5;
  if (across > 0) return across + 2;
  return min(diagonal, 2);
}

function alongDiagonals(straight: i32, diagonal: i32): i32 {
  if (diagonal > 2) return 8;
  if (diagonal == 2) return straight > 0 ? 7 : 6;
  if (diagonal == 1) return 3 + min(straight, 2);
  return min(straight, 2);
}

/**
 * Contexts of the sign, and in bit 7 its inversion (tables D.2 and D.3), by significance of the west, east,
 * north and south neighbours (bits 0 to 3) and their signs (bits 4 to 7).
 */
export const signContexts = memory.data(256);
for (let index = 0; index < 256; index++) {
  const horizontal = contribution(index, 0, 1);
  const vertical = contribution(index, 2, 3);
  const leading = horizontal != 0 ? horizontal : vertical;
  const context = horizontal == 0 ? 9 + abs(vertical) : 12 + horizontal * vertical;
  store<u8>(signContexts + index, u8(context | (leading < 0 ? 0x80 : 0)));
}

/** -1, 0 or 1: what two neighbours contribute together. */
function contribution(index: i32, first: i32, second: i32): i32 {
  let sum = 0;
  if ((index >> first) & 1) sum += (index >> (first + 4)) & 1 ? -1 : 1;
  if ((index >> second) & 1) sum += (index >> (second + 4)) & 1 ? -1 : 1;
  return max(-1, min(1, sum));
}
