// First step of the HT cleanup pass (ITU-T T.814, 7.3.3 to 7.3.6): decodes the significance of each sample of
// a quad, and the known parts of the exponents, from the MEL and VLC bit streams.
//
// The record of a quad is the row of its codeword in codes.ts, with its exponent residual u in bits 16 to 31.

import { BACKWARD_BITS, RECORDS } from "./map";
import { BOTH_SMALL, FIRST_ROW, LONG, OTHER_ROWS, PAIRS, readPair } from "./tables";

/** Exponents of the run lengths by state of the MEL coder (T.814, 7.3.3), 4 bits each. */
const MEL_EXPONENTS: u64 = 0x5433222111000;
/** More events 0 than a block has events. */
const MANY: u32 = 2048;

let melAt: usize = 0; // next byte
let melEnd: usize = 0; // the byte that VLC bits may share
let melBits: u64 = 0; // the next bit highest
let melCount: u32 = 0; // bits there are
let melStuffed: u32 = 0; // 1 after FF
let melState: u32 = 0;

/** Begins the MEL segment from `from` to `end`; the last of its bytes, at `end` - 1, has 4 bits. */
function beginMel(from: usize, end: usize): void {
  melAt = from;
  melEnd = end - 1;
  melBits = 0;
  melCount = 0;
  melStuffed = 0;
  melState = 0;
}

/** Fills up the bits of the MEL segment. Ones follow its end. */
function fillMel(): void {
  while (melCount <= 56) {
    let byte: u32 = 0xff;
    if (melAt < melEnd) byte = load<u8>(melAt);
    else if (melAt == melEnd) byte = load<u8>(melAt) | 15;
    melAt++;
    const size = 8 - melStuffed;
    melBits |= ((byte & (0xff >> melStuffed)) as u64) << (64 - size - melCount);
    melCount += size;
    melStuffed = byte == 0xff ? 1 : 0;
  }
}

/**
 * Returns how many events 0 come before the next event 1; at least {@link MANY} if that is past the block.
 */
function nextZeros(): u32 {
  let zeros: u32 = 0;
  while (zeros < MANY) {
    if (melCount < 6) fillMel();
    const exponent = ((MEL_EXPONENTS >> (melState << 2)) as u32) & 15;
    if ((melBits as i64) < 0) {
      zeros += 1 << exponent;
      melBits <<= 1;
      melCount--;
      if (melState < 12) melState++;
    } else {
      zeros += ((melBits >> (63 - exponent)) as u32) & ((1 << exponent) - 1);
      melBits <<= exponent + 1;
      melCount -= exponent + 1;
      if (melState > 0) melState--;
      break;
    }
  }
  return zeros;
}

/**
 * Writes the records of `rows` rows of `across` quads, with one zero behind each row. The MEL segment is from
 * `mel` to `end`; `vlcBits` VLC bits are at {@link BACKWARD_BITS}, with zeros behind them.
 */
export function readQuads(work: usize, across: usize, rows: usize, mel: usize, end: usize, vlcBits: u32): void {
  beginMel(mel, end);
  let zeros = nextZeros();
  let ptr = work + BACKWARD_BITS;
  const stop = ptr + ((vlcBits + 7) >> 3);
  let bits: u64 = 0;
  let count: u64 = 0;
  let at = work + RECORDS;
  const pitch = (across + 1) << 2;

  // the first row of quads
  let context: u32 = 0;
  for (let q: usize = 0; q < across; q += 2) {
    bits |= load<u64>(ptr) << count;
    ptr = min(ptr + ((63 - (count as usize)) >> 3), stop);
    count |= 56;

    let code0 = load<u32>(context + (((bits as u32) & 127) << 2), FIRST_ROW);
    if (context == 0) {
      if (zeros == 0) zeros = nextZeros();
      else {
        zeros--;
        code0 = 0;
      }
    }
    context = code0 >> 16;
    bits >>= code0 & 7;
    count -= code0 & 7;

    let code1: u32 = 0;
    if (q + 1 < across) {
      code1 = load<u32>(context + (((bits as u32) & 127) << 2), FIRST_ROW);
      if (context == 0) {
        if (zeros == 0) zeros = nextZeros();
        else {
          zeros--;
          code1 = 0;
        }
      }
      context = code1 >> 16;
      bits >>= code1 & 7;
      count -= code1 & 7;
    }

    let mode = ((code0 >> 3) & 1) | ((code1 >> 2) & 2);
    if (mode == 3) {
      mode = BOTH_SMALL;
      if (zeros == 0) {
        zeros = nextZeros();
        mode++;
      } else zeros--;
    }
    let pair: u32 = load<u16>((mode << 9) + (((bits as u32) & 255) << 1), PAIRS);
    if (pair == LONG) {
      pair = readPair(mode, bits);
      bits >>= pair & 255;
      count -= pair & 255;
      code0 = (code0 & 0xffff) | ((pair << 8) & 0xff0000);
      code1 = (code1 & 0xffff) | (pair & 0xff0000);
    } else {
      bits >>= pair & 15;
      count -= pair & 15;
      code0 = (code0 & 0xffff) | ((pair << 12) & 0xf0000);
      code1 = (code1 & 0xffff) | ((pair << 8) & 0xf0000);
    }
    store<u32>(at + (q << 2), code0);
    store<u32>(at + (q << 2), code1, 4);
  }
  store<u32>(at + pitch - 4, 0);

  // the other rows of quads; contexts use the quads above left, left, and above right
  for (let y: usize = 1; y < rows; y++) {
    at += pitch;
    let above: u32 = load<u32>(at - pitch);
    let corner = (above >> 5) & 1;
    let left: u32 = 0;
    for (let q: usize = 0; q < across; q += 2) {
      let next: u32 = load<u32>(at - pitch + (q << 2), 4);
      let other = ((above >> 7) | (next >> 5)) & 1;
      context = left | (corner << 9) | (other << 11);
      if (context == 0 && zeros > 1 && q + 1 < across) {
        const further: u32 = load<u32>(at - pitch + (q << 2), 8);
        if ((((next >> 7) | (further >> 5)) & 1) == 0) {
          zeros -= 2;
          above = further;
          store<u64>(at + (q << 2), 0);
          continue;
        }
      }
      above = next;
      bits |= load<u64>(ptr) << count;
      ptr = min(ptr + ((63 - (count as usize)) >> 3), stop);
      count |= 56;

      let code0 = load<u32>(context + (((bits as u32) & 127) << 2), OTHER_ROWS);
      if (context == 0) {
        if (zeros == 0) zeros = nextZeros();
        else {
          zeros--;
          code0 = 0;
        }
      }
      corner = other;
      left = code0 >> 16;
      bits >>= code0 & 7;
      count -= code0 & 7;

      let code1: u32 = 0;
      if (q + 1 < across) {
        next = load<u32>(at - pitch + (q << 2), 8);
        other = ((above >> 7) | (next >> 5)) & 1;
        above = next;
        context = left | (corner << 9) | (other << 11);
        code1 = load<u32>(context + (((bits as u32) & 127) << 2), OTHER_ROWS);
        if (context == 0) {
          if (zeros == 0) zeros = nextZeros();
          else {
            zeros--;
            code1 = 0;
          }
        }
        corner = other;
        left = code1 >> 16;
        bits >>= code1 & 7;
        count -= code1 & 7;
      }

      const mode = ((code0 >> 3) & 1) | ((code1 >> 2) & 2);
      let pair: u32 = load<u16>((mode << 9) + (((bits as u32) & 255) << 1), PAIRS);
      if (pair == LONG) {
        pair = readPair(mode, bits);
        bits >>= pair & 255;
        count -= pair & 255;
        code0 = (code0 & 0xffff) | ((pair << 8) & 0xff0000);
        code1 = (code1 & 0xffff) | (pair & 0xff0000);
      } else {
        bits >>= pair & 15;
        count -= pair & 15;
        code0 = (code0 & 0xffff) | ((pair << 12) & 0xf0000);
        code1 = (code1 & 0xffff) | ((pair << 8) & 0xf0000);
      }
      store<u32>(at + (q << 2), code0);
      store<u32>(at + (q << 2), code1, 4);
    }
    store<u32>(at + pitch - 4, 0);
  }
}
