// The bytes of one scan: from a window of the file, without stuffing (ITU-T T.81, B.1.1.5), in stretches
// between restart markers.

import {
  C_DOWN,
  C_HIGH,
  DATA_BYTES,
  damaged,
  S_COLUMN,
  S_COLUMNS,
  S_DATA,
  S_DATA_END,
  S_DRY,
  S_ENDED,
  S_INTERVAL,
  S_LAST,
  S_MARKER,
  S_NEED,
  S_POSITION,
  S_PREDICTIONS,
  S_RAW,
  S_RAW_AT,
  S_RAW_END,
  S_RAW_SIZE,
  S_RESTART,
  S_ROW,
  S_RUN,
  S_SINGLE,
  S_TO_GO,
} from "./map";

/** Results of the functions here and of the scan decoders. */
export const READY: i32 = 0;
export const HUNGRY: i32 = -1; // the window has to be filled
export const EXHAUSTED: i32 = 1; // the stretch has no more bits

/** Number of the current row of interleaved MCUs. */
export let band: i32 = 0;

export function setBand(value: i32): void {
  band = value;
}

/** The 8 bytes at `at`, the first one highest. */
// @ts-expect-error: decorator
@inline
export function bigEndian(at: usize): u64 {
  const v = v128.load64_zero(at);
  return i64x2.extract_lane(i8x16.swizzle(v, i8x16(7, 6, 5, 4, 3, 2, 1, 0, -1, -1, -1, -1, -1, -1, -1, -1)), 0) as u64;
}

/** Moves the rest of the window to its start; returns where the host may write, up to `feedRoom`. */
export function feedAt(scan: usize): usize {
  const start = load<usize>(scan, S_RAW);
  const left = load<usize>(scan, S_RAW_END) - load<usize>(scan, S_RAW_AT);
  memory.copy(start, load<usize>(scan, S_RAW_AT), left);
  store<usize>(scan, start, S_RAW_AT);
  store<usize>(scan, start + left, S_RAW_END);
  return start + left;
}

export function feedRoom(scan: usize): usize {
  return load<usize>(scan, S_RAW_SIZE) - (load<usize>(scan, S_RAW_END) - load<usize>(scan, S_RAW));
}

/** Takes `bytes` at `feedAt` into the window; `last` is 1 when the scan has no more. */
export function fed(scan: usize, bytes: usize, last: i32): void {
  const room = feedRoom(scan);
  store<usize>(scan, load<usize>(scan, S_RAW_END) + (bytes < room ? bytes : room), S_RAW_END);
  store<i32>(scan, last, S_LAST);
}

/**
 * Brings bytes from the window up to a marker; READY when there are enough for an MCU or none will follow.
 */
function bring(scan: usize): i32 {
  const base = load<usize>(scan, S_DATA);
  const position = load<usize>(scan, S_POSITION);
  const used = position >> 3;
  const left = load<usize>(scan, S_DATA_END) - base - used;
  if (used > 0) memory.copy(base, base + used, left);
  store<usize>(scan, position & 7, S_POSITION);

  let to = base + left;
  let from = load<usize>(scan, S_RAW_AT);
  const end = load<usize>(scan, S_RAW_END);
  const limit = base + DATA_BYTES - 16;
  const ff = i8x16.splat(-1);
  let ended = false;
  let marker: i32 = 0;
  while (to <= limit) {
    if (from + 16 <= end) {
      const v = v128.load(from);
      v128.store(to, v);
      const mask = i8x16.bitmask(i8x16.eq(v, ff));
      if (mask === 0) {
        from += 16;
        to += 16;
        continue;
      }
      const before: usize = ctz(mask);
      from += before;
      to += before;
    } else if (from >= end) {
      ended = load<i32>(scan, S_LAST) !== 0;
      break;
    } else if (load<u8>(from) !== 0xff) {
      store<u8>(to++, load<u8>(from++));
      continue;
    }
    let after = from + 1;
    while (after < end && load<u8>(after) === 0xff) after++;
    if (after >= end) {
      ended = load<i32>(scan, S_LAST) !== 0;
      from = ended ? end : end - 1; // of fill bytes one is enough
      break;
    }
    from = after + 1;
    if (load<u8>(after) !== 0) {
      marker = load<u8>(after) as i32;
      ended = true;
      break;
    }
    store<u8>(to++, 0xff);
  }
  store<usize>(scan, from, S_RAW_AT);
  store<usize>(scan, to, S_DATA_END);
  const need = load<usize>(scan, S_NEED);
  if (!ended) return to - base > need ? READY : HUNGRY;
  store<i32>(scan, 1, S_ENDED);
  store<i32>(scan, marker, S_MARKER);
  memory.fill(to, 0, need + 32);
  return READY;
}

/**
 * Returns if an MCU can be read from S_POSITION on: READY, HUNGRY, or EXHAUSTED after the previous MCU ran
 * out of bits; then the position is reset to the end, from which zeros are read.
 */
export function check(scan: usize): i32 {
  if (load<i32>(scan, S_ENDED) === 0) {
    if (bring(scan) === HUNGRY) return HUNGRY;
    if (load<i32>(scan, S_ENDED) === 0) return READY;
  }
  return overran(scan) ? EXHAUSTED : READY;
}

/** Notes when the MCU before used more bits than there were; then sets the position back to the end. */
export function overran(scan: usize): bool {
  if (load<i32>(scan, S_ENDED) === 0) return false;
  const bits = (load<usize>(scan, S_DATA_END) - load<usize>(scan, S_DATA)) << 3;
  if (load<usize>(scan, S_POSITION) <= bits) return false;
  store<usize>(scan, bits, S_POSITION);
  store<i32>(scan, 1, S_DRY);
  damaged();
  return true;
}

/** Pointer up to which an MCU may begin without another {@link check}. */
export function safeUntil(scan: usize): usize {
  const end = load<usize>(scan, S_DATA_END);
  return load<i32>(scan, S_ENDED) !== 0 ? end : end - load<usize>(scan, S_NEED);
}

/**
 * Goes behind the next restart marker (F.2.2.5), or stays in front of one that is ahead of its turn; READY or
 * HUNGRY.
 */
function restart(scan: usize): i32 {
  const wanted = load<i32>(scan, S_RESTART);
  overran(scan);
  let found = false;
  while (!found) {
    while (load<i32>(scan, S_ENDED) === 0) {
      store<usize>(scan, (load<usize>(scan, S_DATA_END) - load<usize>(scan, S_DATA)) << 3, S_POSITION);
      const before = load<usize>(scan, S_RAW_AT);
      bring(scan);
      if (load<i32>(scan, S_ENDED) === 0 && load<usize>(scan, S_RAW_AT) === before) return HUNGRY;
    }
    const marker = load<i32>(scan, S_MARKER);
    // the two next ones mean that some were lost, the two last ones that some were repeated
    const ahead = (marker - 0xd0 - wanted) & 7;
    const isRestart = (marker & 0xf8) === 0xd0;
    // reserved codes are remains of damage and are passed over, other markers end the scan
    const isReserved = marker > 0 && marker < 0xc0;
    const leave = !isReserved && (!isRestart || ahead === 1 || ahead === 2);
    if (ahead !== 0 || !isRestart) damaged();

    const base = load<usize>(scan, S_DATA);
    store<usize>(scan, base, S_DATA_END);
    store<usize>(scan, 0, S_POSITION);
    found = leave || (isRestart && ahead < 6);
    if (leave) memory.fill(base, 0, load<usize>(scan, S_NEED) + 32);
    else {
      store<i32>(scan, 0, S_ENDED);
      store<i32>(scan, 0, S_MARKER);
      if (found) store<i32>(scan, 0, S_DRY);
    }
  }
  store<i32>(scan, (wanted + 1) & 7, S_RESTART);
  store<i32>(scan, load<i32>(scan, S_INTERVAL), S_TO_GO);
  store<i32>(scan, 0, S_RUN);
  memory.fill(scan + S_PREDICTIONS, 0, 16);
  return READY;
}

/** Rows of MCUs that the scan has in the current band. */
function rowsOf(scan: usize): i32 {
  const single = load<usize>(scan, S_SINGLE);
  if (single === 0) return 1;
  const down = load<i32>(single, C_DOWN);
  return min(down, load<i32>(single, C_HIGH) - band * down);
}

/**
 * Returns the number of MCUs that may be read now, in one row and before a restart; 0 at the end of the band;
 * HUNGRY.
 */
export function stretch(scan: usize): i32 {
  while (load<i32>(scan, S_ROW) < rowsOf(scan)) {
    const interval = load<i32>(scan, S_INTERVAL);
    if (interval > 0 && load<i32>(scan, S_TO_GO) === 0 && restart(scan) === HUNGRY) return HUNGRY;
    let count = load<i32>(scan, S_COLUMNS) - load<i32>(scan, S_COLUMN);
    if (interval > 0) count = min(count, load<i32>(scan, S_TO_GO));
    if (load<i32>(scan, S_DRY) === 0) return count;
    passed(scan, count); // without bits the coefficients stay as they are
  }
  return 0;
}

/** Notes that `count` MCUs of the stretch are done. */
export function passed(scan: usize, count: i32): void {
  const column = load<i32>(scan, S_COLUMN) + count;
  const atEnd = column >= load<i32>(scan, S_COLUMNS);
  store<i32>(scan, atEnd ? 0 : column, S_COLUMN);
  if (atEnd) store<i32>(scan, load<i32>(scan, S_ROW) + 1, S_ROW);
  if (load<i32>(scan, S_INTERVAL) > 0) store<i32>(scan, load<i32>(scan, S_TO_GO) - count, S_TO_GO);
}
