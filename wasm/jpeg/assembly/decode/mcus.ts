// The walk over the MCUs of a sequential scan (ITU-T T.81, F.2): one source for finding access points,
// decoding, both together, and cropping, compiled into four functions. Damaged data is decoded as libjpeg
// decodes it, so that the image is the same. Everything is in one file because the walk and its parts are
// inlined into each of the four.

import { bigEndian64, DRY, MARKER, removedEnd, stoppedFor, unstuff, unstuffedEnd } from "../bits";
import { appendDc, appendRun } from "./crop-bits";
import { bitCount, bits, bitsAt, NO_COEFFICIENT, orderOf, rareSymbol, readCoefficients, setBits } from "./coefficients";
import { flat, inverse2, inverse4, inverse8 } from "./inverse-dct";
import {
  B_AC,
  B_ACROSS,
  B_COLUMNS,
  B_COMPONENT,
  B_DC,
  B_EDGE,
  B_FIRST,
  B_LIMIT,
  B_MEANS,
  B_ORDER,
  B_QUANT,
  B_ROW,
  B_STRIDE,
  B_X,
  B_Y,
  BIT,
  BLOCK_BYTES,
  BLOCK_COUNT,
  BLOCK_SIZE,
  BLOCKS,
  C_ACROSS,
  C_COLUMNS,
  C_CROP,
  C_CROP_SAVED,
  C_DOWN,
  C_EDGE,
  C_LEFT,
  C_LIMIT,
  C_MEANS,
  C_MEANS_STRIDE,
  C_PLANE,
  C_PREDICTOR,
  C_QUANT,
  C_ROWS,
  C_SAVED,
  C_STRIDE,
  C_TOP,
  COEFFICIENTS,
  COLUMN,
  COMPONENT_COUNT,
  COMPONENT_SIZE,
  COMPONENTS,
  DAMAGE,
  END_COLUMN,
  EXHAUSTED,
  FAST_BITS,
  FINAL,
  FRESH,
  FROM_COLUMN,
  HELD,
  HELD_COUNT,
  HUNGRY,
  IMPOSSIBLE,
  INTERVAL,
  MCU_BYTES,
  NEXT_RESTART,
  OUTPUT,
  POSITION,
  RAW,
  RAW_END,
  REACHED,
  REMOVED,
  ROW,
  SCRATCH,
  SCRATCH_ROOM,
  SKIP_BITS,
  SPENT,
  STEP,
  STOP_ROW,
  T_DC,
  T_SKIP,
  TO_GO,
  WINDOW_OFFSET,
} from "../map";

const INDEX = 0;
const DECODE = 1;
const CROP = 2;

/** Returns the column of the next access point while recording; past the row's end if there is none left. */
function nextEntry(column: i32, step: i32): i32 {
  return column == 0 ? 0 : ((column + step) / step) * step - 1;
}

/** A number of bits read from the scratch area as a place in the window: pointer * 8 + bit. */
function placeOf(bits: usize, start: usize): u64 {
  const at = SCRATCH + (bits >> 3);
  let missing: usize = 0;
  let low = REMOVED;
  let high = removedEnd;
  while (low < high) {
    const middle = low + ((((high - low) >> 3) >> 1) << 3);
    if ((load<u32>(middle) as usize) <= at) {
      missing = load<u32>(middle + 4);
      low = middle + 8;
    } else high = middle;
  }
  return ((start + (at - SCRATCH) + missing) as u64) * 8 + ((bits & 7) as u64);
}

function resetPredictors(): void {
  const count = load<i32>(COMPONENT_COUNT);
  for (let i = 0; i < count; i++) store<i32>(COMPONENTS + (i as usize) * COMPONENT_SIZE, 0, C_PREDICTOR);
}

function keepCropValues(): void {
  const count = load<i32>(COMPONENT_COUNT);
  for (let i = 0; i < count; i++) {
    const c = COMPONENTS + (i as usize) * COMPONENT_SIZE;
    store<i32>(c, load<i32>(c, C_PREDICTOR), C_CROP);
  }
}

function copyValues(from: usize, to: usize): void {
  const count = load<i32>(COMPONENT_COUNT);
  for (let i = 0; i < count; i++) {
    const c = COMPONENTS + (i as usize) * COMPONENT_SIZE;
    store<i32>(c + to, load<i32>(c + from));
  }
}

const TAKEN = 0;
const WANTS_MORE = 1;
const IN_THE_WAY = 2; // another marker is in the way
const LAST = 3; // so does one that no restart will ever pass

/**
 * Finds the expected restart marker at or after POSITION, as libjpeg does: a lower number is skipped, one of
 * the next two is left for its own turn, and any other is taken for the expected one.
 */
function restart(): i32 {
  let at: usize = load<u32>(POSITION);
  const end: usize = load<u32>(RAW_END);
  const due = load<u32>(NEXT_RESTART);
  store<u32>(BIT, 0);
  while (true) {
    while (at < end && load<u8>(at) != 0xff) at++;
    let next = at + 1;
    while (next < end && load<u8>(next) == 0xff) next++;
    if (next >= end) {
      store<u32>(POSITION, (at < end ? next - 1 : at) as u32);
      return load<i32>(FINAL) ? LAST : WANTS_MORE;
    }
    const code: u32 = load<u8>(next);
    const ahead = (code - 0xd0 - due) & 7;
    const isRestart = code >= 0xd0 && code <= 0xd7;
    if (isRestart && (ahead == 0 || (ahead > 2 && ahead < 6))) {
      if (ahead != 0) store<u32>(DAMAGE, load<u32>(DAMAGE) + 1);
      store<u32>(POSITION, (next + 1) as u32);
      return TAKEN;
    }
    if (isRestart ? ahead <= 2 : code >= 0xc0) {
      store<u32>(POSITION, (next - 1) as u32);
      return isRestart ? IN_THE_WAY : LAST;
    }
    at = next + 1;
  }
}

/** A block of the region without data: middle gray. */
function grayMcu(mode: i32, row: i32, column: i32): void {
  const count = load<i32>(BLOCK_COUNT);
  for (let j = 0; j < count; j++) {
    const b = BLOCKS + (j as usize) * BLOCK_SIZE;
    const c: usize = load<u32>(b, B_COMPONENT);
    const x = column * load<i32>(c, C_ACROSS) + load<i32>(b, B_X) - load<i32>(c, C_LEFT);
    const y = row * load<i32>(c, C_DOWN) + load<i32>(b, B_Y) - load<i32>(c, C_TOP);
    if ((x as u32) >= load<u32>(c, C_COLUMNS) || (y as u32) >= load<u32>(c, C_ROWS)) continue;
    if (mode == INDEX) {
      const means = (load<u32>(c, C_MEANS) as usize) + (y as usize) * (load<u32>(c, C_MEANS_STRIDE) as usize);
      store<u8>(means + (x as usize), 128);
    }
    if (mode != DECODE) continue;
    const edge = load<i32>(c, C_EDGE);
    const stride: usize = load<u32>(c, C_STRIDE);
    flat(0, edge, (load<u32>(c, C_PLANE) as usize) + ((y * edge) as usize) * stride + ((x * edge) as usize), stride);
  }
}

/**
 * Sets the destinations of the blocks of an MCU row. A run that records access points needs all blocks; its
 * components hold whole rows.
 */
function prepareRow(mode: i32, row: i32): void {
  const count = load<i32>(BLOCK_COUNT);
  for (let j = 0; j < count; j++) {
    const b = BLOCKS + (j as usize) * BLOCK_SIZE;
    const c: usize = load<u32>(b, B_COMPONENT);
    const x = load<i32>(b, B_X) - load<i32>(c, C_LEFT);
    const y = row * load<i32>(c, C_DOWN) + load<i32>(b, B_Y) - load<i32>(c, C_TOP);
    const edge = load<i32>(c, C_EDGE);
    const stride: usize = load<u32>(c, C_STRIDE);
    store<i32>(b, load<i32>(c, C_ACROSS), B_ACROSS);
    store<u32>(b, load<u32>(c, C_QUANT), B_QUANT);
    if (mode == INDEX) {
      const means = (load<u32>(c, C_MEANS) as usize) + (y as usize) * (load<u32>(c, C_MEANS_STRIDE) as usize);
      store<u32>(b, (means + (x as usize)) as u32, B_MEANS);
    }
    if (mode != DECODE) continue;
    const start = (load<u32>(c, C_PLANE) as usize) + ((y * edge) as usize) * stride;
    store<i32>(b, x, B_FIRST);
    store<i32>(b, (y as u32) < load<u32>(c, C_ROWS) ? load<i32>(c, C_COLUMNS) : 0, B_COLUMNS);
    store<u32>(b, start as u32, B_ROW);
    store<i32>(b, edge, B_EDGE);
    store<u32>(b, stride as u32, B_STRIDE);
    store<u32>(b, load<u32>(c, C_LIMIT), B_LIMIT);
    store<u32>(b, orderOf(edge) as u32, B_ORDER);
  }
}

// @ts-ignore: decorator
@inline
function noteEntry(place: u64, spent: u64): void {
  const to: usize = load<u32>(OUTPUT);
  store<u64>(to, (place - ((RAW as u64) << 3) + (load<u64>(WINDOW_OFFSET) << 3)) | (spent << 63));
  const count = load<i32>(COMPONENT_COUNT);
  for (let i = 0; i < count; i++)
    store<i16>(to + ((i as usize) << 1), load<i32>(COMPONENTS + (i as usize) * COMPONENT_SIZE, C_PREDICTOR) as i16, 8);
  store<u32>(OUTPUT, (to + 16) as u32);
}

// @ts-ignore: decorator
@inline
function walk(mode: i32): i32 {
  const interval = load<i32>(INTERVAL);
  const blockEnd = BLOCKS + (load<u32>(BLOCK_COUNT) as usize) * BLOCK_SIZE;
  const zeros = (load<u32>(BLOCK_COUNT) as usize) * BLOCK_BYTES + 16;
  const stopRow = load<i32>(STOP_ROW);
  const endColumn = load<i32>(END_COLUMN);
  const fromColumn = load<i32>(FROM_COLUMN);
  const step = load<i32>(STEP);
  let row = load<i32>(ROW);
  let column = load<i32>(COLUMN);
  let toGo = load<i32>(TO_GO);
  let noted = mode == INDEX ? nextEntry(column, step) : 0;
  let result = -1;
  let last = false;

  while (row < stopRow) {
    if (interval > 0 && toGo == 0) {
      if (mode == CROP && column > fromColumn) keepCropValues();
      const found = restart();
      if (found == WANTS_MORE) {
        result = HUNGRY;
        break;
      }
      if (found == TAKEN) store<u32>(SPENT, 0);
      else store<u32>(DAMAGE, load<u32>(DAMAGE) + 1);
      last = found == LAST;
      store<u32>(NEXT_RESTART, (load<u32>(NEXT_RESTART) + 1) & 7);
      toGo = interval;
      resetPredictors();
      if (mode == CROP) store<u32>(FRESH, 1);
    }

    if (load<u32>(SPENT)) {
      if (mode == CROP) {
        result = IMPOSSIBLE;
        break;
      }
      if (mode == INDEX && (interval == 0 || last)) {
        result = EXHAUSTED;
        break;
      }
      const place = ((load<u32>(POSITION) as u64) << 3) | (load<u32>(BIT) as u64);
      while (row < stopRow && (interval == 0 || toGo > 0)) {
        if (mode == INDEX && column == noted) {
          noteEntry(place, 1);
          noted = noted == 0 && step > 1 ? step - 1 : noted + step;
        }
        grayMcu(mode, row, column);
        toGo--;
        if (++column == endColumn) {
          column = 0;
          noted = 0;
          row++;
        }
      }
      continue;
    }

    // a stretch of data up to a marker, the end of the window, or as much as the scratch area holds
    const start: usize = load<u32>(POSITION);
    unstuff(start, load<u32>(RAW_END), SCRATCH, SCRATCH_ROOM, REMOVED);
    const dataEnd = unstuffedEnd;
    memory.fill(dataEnd, 0, zeros);
    const bitEnd = (dataEnd - SCRATCH) << 3;
    const ends = stoppedFor == MARKER || (stoppedFor == DRY && load<i32>(FINAL) != 0);
    const careful = dataEnd > SCRATCH + MCU_BYTES ? dataEnd - MCU_BYTES : SCRATCH;
    let ptr: usize = SCRATCH + 7;
    let cnt: u32 = 56;
    let buf = bigEndian64(SCRATCH);
    buf <<= load<u32>(BIT) as u64;
    cnt -= load<u32>(BIT);
    let copied: usize = load<u32>(BIT); // bits of a crop up to here are written
    let moved = false;
    if (mode != CROP && row < stopRow) prepareRow(mode, row);

    while (true) {
      // near the end of the stretch an MCU may turn out not to be there; then all is as if it had not begun
      const tail = ptr >= careful;
      const mcuBits = ((ptr - SCRATCH) << 3) - cnt;
      if (mode == CROP && column == fromColumn) copied = mcuBits;
      let savedOutput: u32 = 0;
      let savedHeld: u64 = 0;
      let savedHeldCount: u32 = 0;
      let savedFresh: u32 = 0;
      let savedDamage: u32 = 0;
      if (tail) {
        savedDamage = load<u32>(DAMAGE);
        copyValues(C_PREDICTOR, C_SAVED);
        if (mode == CROP) {
          copyValues(C_CROP, C_CROP_SAVED);
          if (column >= fromColumn) {
            appendRun(SCRATCH, copied, mcuBits);
            copied = mcuBits;
          }
          savedHeld = load<u64>(HELD);
          savedHeldCount = load<u32>(HELD_COUNT);
          savedFresh = load<u32>(FRESH);
        }
        savedOutput = load<u32>(OUTPUT);
      }
      if (mode == INDEX && column == noted) noteEntry(placeOf(mcuBits, start), 0);
      const fresh = mode == CROP && column >= fromColumn && load<u32>(FRESH) != 0;
      let refused = false;

      for (let b = BLOCKS; b < blockEnd; b += BLOCK_SIZE) {
        const component: usize = load<u32>(b, B_COMPONENT);
        const dcTable: usize = load<u32>(b, B_DC);
        const acTable: usize = load<u32>(b, B_AC);

        buf |= bigEndian64(ptr) >> (cnt as u64);
        ptr += (63 - cnt) >> 3;
        cnt |= 56;
        const dcBits = ((ptr - SCRATCH) << 3) - cnt;
        let size: u32 = 0;
        let predicted = load<i32>(component, C_PREDICTOR);
        let entry: u32 = load<u32>(dcTable + (((buf >> (64 - FAST_BITS)) as usize) << 2), T_DC);
        if (entry != 0) {
          buf <<= entry as u64;
          cnt -= entry & 63;
          predicted += (entry as i32) >> 16;
        } else {
          entry = load<u16>(dcTable + (((buf >> 54) as usize) << 1));
          if (entry == 0) entry = rareSymbol(dcTable, (buf >> 48) as u32);
          size = entry >> 8;
          buf <<= (entry & 255) as u64;
          predicted += (((buf >> 1) >> (63 - size)) as i32) + ((~((buf as i64) >> 63) as i32) & ((-1 << size) + 1));
          buf <<= size as u64;
          cnt -= (entry & 255) + size;
          buf |= bigEndian64(ptr) >> (cnt as u64);
          ptr += (63 - cnt) >> 3;
          cnt |= 56;
        }
        const dc: i32 = (predicted << 16) >> 16;
        store<i32>(component, dc, C_PREDICTOR);

        let k: u32 = 1;
        let target: usize = 0;
        let edge: i32 = 0;
        let limit: u32 = 0;
        let isFlat = false;
        if (mode == INDEX) {
          const x: usize = column * load<i32>(b, B_ACROSS);
          const value = ((dc * (load<u16>(load<u32>(b, B_QUANT) as usize) as i32) + 4) >> 3) + 128;
          store<u8>((load<u32>(b, B_MEANS) as usize) + x, max(0, min(255, value)) as u8);
        }
        if (mode == CROP) {
          if (fresh && (load<u32>(b, B_X) | load<u32>(b, B_Y)) == 0) {
            appendRun(SCRATCH, copied, dcBits);
            if (!appendDc(dcTable, component, dc)) refused = true;
            copied = ((ptr - SCRATCH) << 3) - cnt;
          }
        }
        if (mode == DECODE) {
          const x = column * load<i32>(b, B_ACROSS) + load<i32>(b, B_FIRST);
          if ((x as u32) < load<u32>(b, B_COLUMNS)) {
            edge = load<i32>(b, B_EDGE);
            limit = load<u32>(b, B_LIMIT);
            const order: usize = load<u32>(b, B_ORDER);
            target = (load<u32>(b, B_ROW) as usize) + ((x * edge) as usize);
            setBits(ptr, cnt, buf);
            const end = readCoefficients(acTable, order, limit);
            k = (end - order) as u32;
            isFlat = k == NO_COEFFICIENT || limit == 0;
            ptr = bitsAt;
            cnt = bitCount;
            buf = bits;
          }
        }

        while (k < 64) {
          buf |= bigEndian64(ptr) >> (cnt as u64);
          ptr += (63 - cnt) >> 3;
          cnt |= 56;
          // coefficients from bit 6 on and bits below it, both in one sum
          let sum = k << 6;
          let passed: u32 = 0;
          passed = load<u16>(acTable + (((buf >> (64 - SKIP_BITS)) as usize) << 1), T_SKIP);
          if (sum + passed < 64 << 6) {
            sum += passed;
            buf <<= passed as u64;
            passed = load<u16>(acTable + (((buf >> (64 - SKIP_BITS)) as usize) << 1), T_SKIP);
            if (sum + passed < 64 << 6) {
              sum += passed;
              buf <<= passed as u64;
              passed = load<u16>(acTable + (((buf >> (64 - SKIP_BITS)) as usize) << 1), T_SKIP);
              if (sum + passed < 64 << 6) {
                sum += passed;
                buf <<= passed as u64;
                passed = load<u16>(acTable + (((buf >> (64 - SKIP_BITS)) as usize) << 1), T_SKIP);
                if (sum + passed < 64 << 6) {
                  sum += passed;
                  buf <<= passed as u64;
                  cnt -= sum & 63;
                  k = sum >> 6;
                  continue;
                }
              }
            }
          }
          cnt -= sum & 63;
          k = sum >> 6;
          const after = k + (passed >> 6);
          if (after == 64 || (after >= 128 && after < 192)) {
            buf <<= passed as u64;
            cnt -= passed & 63;
            break;
          }
          // a long code, or the table looks past the block's end: one symbol on its own
          buf |= bigEndian64(ptr) >> (cnt as u64);
          ptr += (63 - cnt) >> 3;
          cnt |= 56;
          entry = load<u16>(acTable + (((buf >> 54) as usize) << 1));
          if (entry == 0) entry = rareSymbol(acTable, (buf >> 48) as u32);
          size = (entry >> 8) & 15;
          buf <<= ((entry & 255) + size) as u64;
          cnt -= (entry & 255) + size;
          if (size == 0 && entry >> 8 != 0xf0) break;
          k += (entry >> 12) + 1;
        }

        if (mode == DECODE && edge != 0) {
          const quant: usize = load<u32>(b, B_QUANT);
          const stride: usize = load<u32>(b, B_STRIDE);
          if (isFlat) flat(((dc * (load<u16>(quant) as i32)) << 16) >> 16, edge, target, stride);
          else {
            store<i16>(COEFFICIENTS, dc as i16);
            if (edge == 8) inverse8(quant, target, stride);
            else if (edge == 4) inverse4(quant, target, stride);
            else inverse2(quant, target, stride);
          }
        }
      }

      if (tail && ((ptr - SCRATCH) << 3) - cnt > bitEnd) {
        if (!ends) {
          copyValues(C_SAVED, C_PREDICTOR);
          store<u32>(DAMAGE, savedDamage);
          store<u32>(OUTPUT, savedOutput);
          if (mode == CROP) {
            copyValues(C_CROP_SAVED, C_CROP);
            store<u64>(HELD, savedHeld);
            store<u32>(HELD_COUNT, savedHeldCount);
            store<u32>(FRESH, savedFresh);
          }
          const place = placeOf(mcuBits, start);
          store<u32>(POSITION, (place >> 3) as u32);
          store<u32>(BIT, (place & 7) as u32);
          if (stoppedFor == DRY) result = HUNGRY;
          // the largest MCU fits: an empty stretch would be read for ever
          else if (!moved) result = EXHAUSTED;
          break;
        }
        store<u32>(SPENT, 1);
        store<u32>(DAMAGE, load<u32>(DAMAGE) + 1);
        if (mode == CROP) result = IMPOSSIBLE;
      }
      if (refused) result = IMPOSSIBLE;
      moved = true;
      if (mode == INDEX && column == noted) noted = noted == 0 && step > 1 ? step - 1 : noted + step;
      if (fresh) store<u32>(FRESH, 0);
      toGo--;
      if (++column == endColumn) {
        if (mode == CROP) appendRun(SCRATCH, copied, ((ptr - SCRATCH) << 3) - cnt);
        copied = ((ptr - SCRATCH) << 3) - cnt;
        column = 0;
        noted = 0;
        row++;
        if (mode != CROP) prepareRow(mode, row);
      }
      if (row == stopRow || toGo == 0 || load<u32>(SPENT) || result >= 0) {
        const done = min(((ptr - SCRATCH) << 3) - cnt, bitEnd);
        if (mode == CROP && column > fromColumn) appendRun(SCRATCH, copied, done);
        // rounding up is right before a restart: the rest of its byte is padding
        const place = placeOf(interval > 0 && toGo == 0 ? (done + 7) & ~7 : done, start);
        store<u32>(POSITION, (place >> 3) as u32);
        store<u32>(BIT, (place & 7) as u32);
        break;
      }
    }
    if (result >= 0) break;
  }
  if (mode == CROP && row == stopRow && result < 0) keepCropValues();
  store<i32>(ROW, row);
  store<i32>(COLUMN, column);
  store<i32>(TO_GO, toGo);
  return result >= 0 ? result : REACHED;
}

/** Notes entries and samples at 1/8 up to STOP_ROW; REACHED, HUNGRY or EXHAUSTED. */
export function indexRows(): i32 {
  return walk(INDEX);
}

/** Decodes what the components need of the columns up to END_COLUMN; returns REACHED or HUNGRY. */
export function decodeRows(): i32 {
  return walk(DECODE);
}

/** Writes the bits from FROM_COLUMN up to END_COLUMN of a row to OUTPUT; REACHED, HUNGRY or IMPOSSIBLE. */
export function cutRows(): i32 {
  return walk(CROP);
}
