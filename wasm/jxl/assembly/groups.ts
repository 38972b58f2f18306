// Tokens of a group of 32 by 32 blocks (ISO/IEC 18181-1, I.4): for each block how many coefficients it has,
// then these in the order of the codestream with the zeros between them.

import { N_MASK, N_VALUES, NOTE } from "./blocks";
import {
  BLOCK_CONTEXTS,
  COEFFICIENT_CONTEXTS,
  COUNT_CONTEXTS,
  COUNTS,
  HISTOGRAM,
  NUMBERS,
  P_ACROSS,
  P_DOWN,
  P_NOTES,
  P_WIDTH,
  PLANE,
  PLANES,
} from "./map";
import { tokenOf, zigzagOf } from "./streams";

/** Blocks on a side of a group. */
export const GROUP: u32 = 32;

/** Context of a coefficient by its position, and by the number of those that are still to come (I.4). */
const BY_POSITION = memory.data<u8>([
  0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 15, 16, 16, 17, 17, 18, 18, 19, 19, 20, 20, 21, 21, 22, 22,
  23, 23, 23, 23, 24, 24, 24, 24, 25, 25, 25, 25, 26, 26, 26, 26, 27, 27, 27, 27, 28, 28, 28, 28, 29, 29, 29, 29, 30,
  30, 30, 30,
]);
const BY_NUMBER = memory.data<u8>([
  0, 0, 31, 62, 62, 93, 93, 93, 93, 123, 123, 123, 123, 152, 152, 152, 152, 152, 152, 152, 152, 180, 180, 180, 180, 180,
  180, 180, 180, 180, 180, 180, 180, 206, 206, 206, 206, 206, 206, 206, 206, 206, 206, 206, 206, 206, 206, 206, 206,
  206, 206, 206, 206, 206, 206, 206, 206, 206, 206, 206, 206, 206, 206, 206,
]);

// @ts-ignore: decorator
@inline
function putToken(to: usize, context: u32, value: u32): void {
  const token = tokenOf(value);
  store<u32>(to, (context << 22) | token);
  const at = COUNTS + (context as usize) * HISTOGRAM + (((token >> 16) as usize) << 2);
  store<u32>(at, load<u32>(at) + 1);
}

/**
 * Writes the tokens of the group of `columns` by `rows` blocks of luma from block (`left`, `top`) on to `to`,
 * and counts them. `planes`: 3, or 1 for gray, whose other two are empty. Returns the end.
 */
export function makeTokens(left: u32, top: u32, columns: u32, rows: u32, planes: i32, to: usize): usize {
  for (let y: u32 = 0; y < rows; y++)
    for (let x: u32 = 0; x < columns; x++)
      for (let c: usize = 0; c < 3; c++) {
        const plane = PLANES + c * PLANE;
        const across = load<u32>(plane, P_ACROSS);
        const down = load<u32>(plane, P_DOWN);
        if (x & ((1 << across) - 1) || y & ((1 << down) - 1)) continue;
        const column = x >> across;
        const row = y >> down;
        const numbers = NUMBERS + c * GROUP + column;
        let expected: u32 = 32;
        if (row == 0) {
          if (column != 0) expected = load<u8>(numbers - 1);
        } else if (column == 0) expected = load<u8>(numbers);
        else expected = (load<u8>(numbers) + load<u8>(numbers - 1) + 1) >> 1;
        const kind: u32 = c == 0 ? 0 : 1;
        const context = (expected < 8 ? expected : 4 + (expected >> 1)) * BLOCK_CONTEXTS + kind;
        let mask: u64 = 0;
        let values: usize = 0;
        if ((c as i32) < planes) {
          const index = ((top >> down) + row) * load<u32>(plane, P_WIDTH) + (left >> across) + column;
          const note = (load<u32>(plane, P_NOTES) as usize) + (index as usize) * NOTE;
          mask = load<u64>(note, N_MASK);
          values = load<u32>(note, N_VALUES);
        }
        let number = popcnt(mask) as u32;
        store<u8>(numbers, number as u8);
        putToken(to, context, number);
        to += 4;
        const base = COUNT_CONTEXTS * BLOCK_CONTEXTS + COEFFICIENT_CONTEXTS * kind;
        let before: u32 = number <= 4 ? 1 : 0;
        let k: usize = 1;
        while (mask) {
          const next = ctz(mask) as usize;
          mask &= mask - 1;
          const rest = base + 2 * (load<u8>(BY_NUMBER + (number as usize)) as u32);
          for (; k < next; k++) {
            putToken(to, rest + 2 * (load<u8>(BY_POSITION + k) as u32) + before, 0);
            to += 4;
            before = 0;
          }
          putToken(to, rest + 2 * (load<u8>(BY_POSITION + k) as u32) + before, zigzagOf(load<i16>(values)));
          to += 4;
          values += 2;
          before = 1;
          k++;
          number--;
        }
      }
  return to;
}
