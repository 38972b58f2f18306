// Decoders of the five kinds of scan (ITU-T T.81, F.2 and G.2): each resumes where it stopped and fills one
// band of coefficients.
//
// They share the bit reader: `bits` holds the next bits highest, at least `held` of them, `at` is the next
// byte. One refill adds 56 bits or more; a symbol and its value take at most 32. The end of the data is
// checked once per MCU. All return 0 at the end of the band, and HUNGRY if the window has to be filled first.
// They are in one file because they share the inlined parts of the bit reader.

import { bigEndian, check, HUNGRY, passed, READY, safeUntil, stretch } from "./input";
import {
  B_AC_TABLE,
  B_COMPONENT,
  B_DC_TABLE,
  B_OFFSET,
  B_PREDICTION,
  B_STEP,
  BLOCK_SIZE,
  C_COEFFICIENTS,
  C_MASKS,
  C_STRIDE,
  damaged,
  S_BLOCK_LIST,
  S_BLOCKS,
  S_COLUMN,
  S_DATA,
  S_END,
  S_LOW,
  S_POSITION,
  S_ROW,
  S_RUN,
  S_START,
} from "./map";
import { LOOK_BITS, longCode } from "./table";

/** length << 8 | symbol of the code that `bits` begins with. */
// @ts-expect-error: decorator
@inline
function look(table: usize, bits: u64): i32 {
  const entry: i32 = load<u16>(table + (((bits >> (64 - LOOK_BITS)) as usize) << 1));
  return entry !== 0 ? entry : longOrNone(table, (bits >> 48) as u32);
}

function longOrNone(table: usize, bits: u32): i32 {
  const entry = longCode(table, bits);
  if (entry >> 8 > 16) damaged();
  return entry;
}

/** The value of `size` > 0 additional bits at the top of `bits` (F.12). */
// @ts-expect-error: decorator
@inline
function extended(bits: u64, size: i32): i32 {
  const most = (1 << size) - 1;
  const isPositive = ((bits as i64) >> 63) as i32;
  return ((bits >> (64 - size)) as i32) - (most & ~isPositive);
}

/** Number of a block from the band's first one, in the first MCU of a stretch. */
function firstBlock(scan: usize, block: usize): i32 {
  return (
    load<i32>(scan, S_ROW) * load<i32>(load<usize>(block, B_COMPONENT), C_STRIDE) +
    load<i32>(scan, S_COLUMN) * load<i32>(block, B_STEP) +
    load<i32>(block, B_OFFSET)
  );
}

/** First scan of DC coefficients: differences (G.1.2.1). */
export function dcFirst(scan: usize): i32 {
  const list = scan + S_BLOCK_LIST;
  const listEnd = list + BLOCK_SIZE * load<i32>(scan, S_BLOCKS);
  const low = load<i32>(scan, S_LOW);
  let count = stretch(scan);
  for (; count > 0; count = stretch(scan)) {
    const base = load<usize>(scan, S_DATA);
    let bits: u64 = 0;
    let held: i32 = 0;
    let at = base;
    let safe: usize = 0; // so that the first MCU asks
    let position = load<usize>(scan, S_POSITION);
    let state = READY;
    let done: i32 = 0;
    for (; done < count; done++) {
      if (at > safe) {
        if (safe !== 0) store<usize>(scan, ((at - base) << 3) - held, S_POSITION);
        state = check(scan);
        if (state !== READY) break;
        position = load<usize>(scan, S_POSITION);
        at = base + (position >> 3);
        bits = bigEndian(at) << (position & 7);
        held = 56 - ((position & 7) as i32);
        at += 7;
        safe = safeUntil(scan);
      }
      for (let block = list; block < listEnd; block += BLOCK_SIZE) {
        bits |= bigEndian(at) >> held;
        at += (63 - held) >> 3;
        held |= 56;
        const entry = look(load<usize>(block, B_DC_TABLE), bits);
        const size = entry & 15;
        bits <<= entry >> 8;
        const prediction = load<usize>(block, B_PREDICTION);
        let value = load<i32>(prediction);
        if (size !== 0) {
          value += extended(bits, size);
          bits <<= size;
          store<i32>(prediction, value);
        }
        held -= (entry >> 8) + size;
        const component = load<usize>(block, B_COMPONENT);
        const number = firstBlock(scan, block) + done * load<i32>(block, B_STEP);
        store<i16>(load<usize>(component, C_COEFFICIENTS) + (number << 7), value << low);
      }
    }
    if (state === READY) store<usize>(scan, ((at - base) << 3) - held, S_POSITION);
    passed(scan, done);
    if (state === HUNGRY) return HUNGRY;
  }
  return count;
}

/** Later scans of DC coefficients: one bit for each block (G.1.2.1). */
export function dcRefine(scan: usize): i32 {
  const list = scan + S_BLOCK_LIST;
  const listEnd = list + BLOCK_SIZE * load<i32>(scan, S_BLOCKS);
  const low = load<i32>(scan, S_LOW);
  let count = stretch(scan);
  for (; count > 0; count = stretch(scan)) {
    const base = load<usize>(scan, S_DATA);
    let position = load<usize>(scan, S_POSITION);
    let safe: usize = 0;
    let state = READY;
    let done: i32 = 0;
    for (; done < count; done++) {
      if (base + (position >> 3) >= safe) {
        store<usize>(scan, position, S_POSITION);
        state = check(scan);
        if (state !== READY) break;
        position = load<usize>(scan, S_POSITION);
        safe = safeUntil(scan);
      }
      for (let block = list; block < listEnd; block += BLOCK_SIZE) {
        const bit: i32 = ((load<u8>(base + (position >> 3)) as i32) >> (7 - ((position & 7) as i32))) & 1;
        position++;
        const component = load<usize>(block, B_COMPONENT);
        const number = firstBlock(scan, block) + done * load<i32>(block, B_STEP);
        const to = load<usize>(component, C_COEFFICIENTS) + (number << 7);
        store<i16>(to, (load<i16>(to) as i32) | (bit << low));
      }
    }
    if (state === READY) store<usize>(scan, position, S_POSITION);
    passed(scan, done);
    if (state === HUNGRY) return HUNGRY;
  }
  return count;
}

/** First scan of a band of AC coefficients: runs, values and end-of-band runs (G.1.2.2). */
export function acFirst(scan: usize): i32 {
  const block = scan + S_BLOCK_LIST;
  const component = load<usize>(block, B_COMPONENT);
  const table = load<usize>(block, B_AC_TABLE);
  const first = load<i32>(scan, S_START);
  const last = load<i32>(scan, S_END);
  const low = load<i32>(scan, S_LOW);
  let count = stretch(scan);
  for (; count > 0; count = stretch(scan)) {
    const base = load<usize>(scan, S_DATA);
    const number = firstBlock(scan, block);
    const coefficients = load<usize>(component, C_COEFFICIENTS) + (number << 7);
    const masks = load<usize>(component, C_MASKS) + (number << 3);
    let bits: u64 = 0;
    let held: i32 = 0;
    let at = base;
    let safe: usize = 0;
    let run = load<i32>(scan, S_RUN);
    let state = READY;
    let done: i32 = 0;
    while (done < count) {
      if (run > 0) {
        const covered = min(run, count - done);
        done += covered;
        run -= covered;
        continue;
      }
      if (at > safe) {
        if (safe !== 0) store<usize>(scan, ((at - base) << 3) - held, S_POSITION);
        state = check(scan);
        if (state !== READY) break;
        const position = load<usize>(scan, S_POSITION);
        at = base + (position >> 3);
        bits = bigEndian(at) << (position & 7);
        held = 56 - ((position & 7) as i32);
        at += 7;
        safe = safeUntil(scan);
      }
      const to = coefficients + (done << 7);
      let mask = load<u64>(masks + (done << 3));
      let k = first;
      while (k <= last) {
        bits |= bigEndian(at) >> held;
        at += (63 - held) >> 3;
        held |= 56;
        const entry = look(table, bits);
        const length = entry >> 8;
        const size = entry & 15;
        const zeros = (entry >> 4) & 15;
        bits <<= length;
        if (size !== 0) {
          k += zeros;
          if (k > 63) {
            damaged();
            k = 63;
          }
          const value = (extended(bits, size) << low) as i16;
          bits <<= size;
          held -= length + size;
          store<i16>(to + (k << 1), value);
          mask = value !== 0 ? mask | ((1 as u64) << k) : mask & ~((1 as u64) << k);
          k++;
        } else if (zeros === 15) {
          held -= length;
          k += 16;
        } else {
          run = 1 << zeros;
          // a shift by 64 would be one by 0, hence in two steps
          run += ((bits >> 1) >> (63 - zeros)) as i32;
          bits <<= zeros;
          held -= length + zeros;
          run--;
          break;
        }
      }
      store<u64>(masks + (done << 3), mask);
      done++;
    }
    if (state === READY && safe !== 0) store<usize>(scan, ((at - base) << 3) - held, S_POSITION);
    store<i32>(scan, run, S_RUN);
    passed(scan, done);
    if (state === HUNGRY) return HUNGRY;
  }
  return count;
}

/**
 * Later scans of a band of AC coefficients: new ones of magnitude 1, one bit for each of the known ones
 * (G.1.2.3).
 */
export function acRefine(scan: usize): i32 {
  const block = scan + S_BLOCK_LIST;
  const component = load<usize>(block, B_COMPONENT);
  const table = load<usize>(block, B_AC_TABLE);
  const first = load<i32>(scan, S_START);
  const last = load<i32>(scan, S_END);
  const one: i32 = 1 << load<i32>(scan, S_LOW);
  const range: u64 = (u64.MAX_VALUE >> (63 - last)) & (u64.MAX_VALUE << first);
  let count = stretch(scan);
  for (; count > 0; count = stretch(scan)) {
    const base = load<usize>(scan, S_DATA);
    const number = firstBlock(scan, block);
    const coefficients = load<usize>(component, C_COEFFICIENTS) + (number << 7);
    const masks = load<usize>(component, C_MASKS) + (number << 3);
    let bits: u64 = 0;
    let held: i32 = 0;
    let at = base;
    let safe: usize = 0;
    let run = load<i32>(scan, S_RUN);
    let state = READY;
    let done: i32 = 0;
    for (; done < count; done++) {
      const known = load<u64>(masks + (done << 3));
      let ahead = range; // coefficients not yet passed
      let corrections: u64 = 0; // one bit for each known coefficient, in their order
      if (run > 0 && (known & ahead) === 0) {
        run--;
        continue;
      }
      if (at > safe) {
        if (safe !== 0) store<usize>(scan, ((at - base) << 3) - held, S_POSITION);
        state = check(scan);
        if (state !== READY) break;
        const position = load<usize>(scan, S_POSITION);
        at = base + (position >> 3);
        bits = bigEndian(at) << (position & 7);
        held = 56 - ((position & 7) as i32);
        at += 7;
        safe = safeUntil(scan);
      }
      const to = coefficients + (done << 7);
      let mask = known;
      while (ahead !== 0) {
        bits |= bigEndian(at) >> held;
        at += (63 - held) >> 3;
        held |= 56;
        let passing = ahead; // coefficients that this symbol passes
        let value: i32 = 0;
        if (run === 0) {
          const entry = look(table, bits);
          const length = entry >> 8;
          const zeros = (entry >> 4) & 15;
          bits <<= length;
          held -= length;
          if ((entry & 15) !== 0) {
            if ((entry & 15) !== 1) damaged();
            value = (bits as i64) < 0 ? one : -one;
            bits <<= 1;
            held--;
          }
          if (value === 0 && zeros !== 15) {
            run = 1 << zeros;
            run += ((bits >> 1) >> (63 - zeros)) as i32;
            bits <<= zeros;
            held -= zeros;
          } else {
            let free = ~known & ahead;
            for (let i = zeros; i > 0; i--) free &= free - 1;
            if (free !== 0) {
              const place = ctz(free);
              const upToPlace = (free ^ (free - 1)) & ahead;
              passing = upToPlace;
              if (value !== 0) {
                store<i16>(to + ((place as usize) << 1), value);
                mask |= (1 as u64) << place;
              }
            } else if (value !== 0) {
              damaged();
              const place = min(last + 1, 63); // as libjpeg does
              store<i16>(to + ((place as usize) << 1), value);
              mask |= (1 as u64) << place;
            }
          }
        }
        ahead &= ~passing;
        let count = popcnt(passing & known) as i32;
        if (count > 20) {
          // 31 of 56 bits can be gone, and there can be 63 to take
          bits |= bigEndian(at) >> held;
          at += (63 - held) >> 3;
          held |= 56;
          if (count > 32) {
            corrections = (corrections << 32) | (bits >> 32);
            bits <<= 32;
            count -= 32;
            held -= 32;
            bits |= bigEndian(at) >> held;
            at += (63 - held) >> 3;
            held |= 56;
          }
        }
        corrections = (corrections << count) | ((bits >> 1) >> (63 - count));
        bits <<= count;
        held -= count;
      }
      let refined = known & range;
      corrections <<= -popcnt(refined) & 63;
      while (refined !== 0) {
        const refinedAt = to + ((ctz(refined) as usize) << 1);
        refined &= refined - 1;
        const old: i32 = load<i16>(refinedAt);
        const sign = old >> 31;
        const more = ((corrections as i64) >> 63) as i32;
        corrections <<= 1;
        store<i16>(refinedAt, old + (((one ^ sign) - sign) & more & -((old & one) === 0 ? 1 : 0)));
      }
      if (run > 0) run--;
      store<u64>(masks + (done << 3), mask);
    }
    if (state === READY && safe !== 0) store<usize>(scan, ((at - base) << 3) - held, S_POSITION);
    store<i32>(scan, run, S_RUN);
    passed(scan, done);
    if (state === HUNGRY) return HUNGRY;
  }
  return count;
}

/** A sequential scan: DC difference and AC coefficients of each block (F.2.2). */
export function sequential(scan: usize): i32 {
  const list = scan + S_BLOCK_LIST;
  const listEnd = list + BLOCK_SIZE * load<i32>(scan, S_BLOCKS);
  let count = stretch(scan);
  for (; count > 0; count = stretch(scan)) {
    const base = load<usize>(scan, S_DATA);
    let bits: u64 = 0;
    let held: i32 = 0;
    let at = base;
    let safe: usize = 0;
    let state = READY;
    let done: i32 = 0;
    for (; done < count; done++) {
      if (at > safe) {
        if (safe !== 0) store<usize>(scan, ((at - base) << 3) - held, S_POSITION);
        state = check(scan);
        if (state !== READY) break;
        const position = load<usize>(scan, S_POSITION);
        at = base + (position >> 3);
        bits = bigEndian(at) << (position & 7);
        held = 56 - ((position & 7) as i32);
        at += 7;
        safe = safeUntil(scan);
      }
      for (let block = list; block < listEnd; block += BLOCK_SIZE) {
        const component = load<usize>(block, B_COMPONENT);
        const number = firstBlock(scan, block) + done * load<i32>(block, B_STEP);
        const to = load<usize>(component, C_COEFFICIENTS) + (number << 7);
        const maskAt = load<usize>(component, C_MASKS) + (number << 3);

        bits |= bigEndian(at) >> held;
        at += (63 - held) >> 3;
        held |= 56;
        const dc = look(load<usize>(block, B_DC_TABLE), bits);
        const dcSize = dc & 15;
        bits <<= dc >> 8;
        const prediction = load<usize>(block, B_PREDICTION);
        let level = load<i32>(prediction);
        if (dcSize !== 0) {
          level += extended(bits, dcSize);
          bits <<= dcSize;
          store<i32>(prediction, level);
        }
        held -= (dc >> 8) + dcSize;
        store<i16>(to, level);

        const table = load<usize>(block, B_AC_TABLE);
        let mask = load<u64>(maskAt);
        let k: i32 = 1;
        while (k < 64) {
          bits |= bigEndian(at) >> held;
          at += (63 - held) >> 3;
          held |= 56;
          const entry = look(table, bits);
          const length = entry >> 8;
          const size = entry & 15;
          bits <<= length;
          k += (entry >> 4) & 15;
          held -= length + size;
          if (size !== 0) {
            if (k > 63) {
              damaged();
              k = 63;
            }
            const value = extended(bits, size);
            bits <<= size;
            store<i16>(to + (k << 1), value);
            mask |= (1 as u64) << k;
          } else if ((entry & 0xf0) !== 0xf0) break;
          k++;
        }
        store<u64>(maskAt, mask);
      }
    }
    if (state === READY && safe !== 0) store<usize>(scan, ((at - base) << 3) - held, S_POSITION);
    passed(scan, done);
    if (state === HUNGRY) return HUNGRY;
  }
  return count;
}
