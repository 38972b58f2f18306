// Reduces black and white pictures without widening their bits: ones are counted by the byte.

import { boxRing, type Reduction, roundQuotient } from "../../reduce.ts";

/** Like a `BoxReducer`, for rows of packed bits with the high bits first. */
export interface BitReducer {
  /** Adds `count` pixels from bit `bit` of `data`, which are in row `y` from column `x` on. */
  add(data: Uint8Array, bit: number, count: number, x: number, y: number): void;
  complete(y: number): void;
}

/** A reduction of bits; the factor is a power of two. */
export interface BitReduction extends Reduction {
  /** First column of the region, a multiple of the factor: bytes of a row begin at every eighth. */
  readonly left: number;
  /** Values of bit 0 and bit 1 in all bands. */
  readonly values: Uint8Array;
}

/** Creates a reducer with at most `held` incomplete rows of boxes. Averages are rounded, halves up. */
export function bitReducer(reduction: BitReduction, held: number, out: Uint8Array): BitReducer {
  return reduction.factor < 8 ? narrowBoxes(reduction, held, out) : wideBoxes(reduction, held, out);
}

const ones = Uint8Array.from({ length: 256 }, (_, byte) => countOnes(byte));

function countOnes(byte: number): number {
  let count = 0;
  for (let bits = byte; bits > 0; bits >>= 1) count += bits & 1;
  return count;
}

/** Returns the average of a box of `area` pixels, `set` of them ones, in one band. */
function average({ bands, values }: BitReduction, set: number, area: number, band: number): number {
  return roundQuotient(values[band]! * (area - set) + values[bands + band]! * set, area);
}

/** Returns the single bits from `bit` to `end` before and after whole bytes, if `x` is aligned with them. */
function wholeBytes(bit: number, end: number, x: number): readonly [number, number] {
  const head = (bit - x) % 8 === 0 ? Math.min(end, Math.ceil(bit / 8) * 8) : end;
  return [head, Math.max(head, Math.floor(end / 8) * 8)];
}

const bitAt = (data: Uint8Array, bit: number) => (data[bit >> 3]! >> (7 - (bit & 7))) & 1;

/** For boxes of 8 columns and more: one or several bytes per box. */
function wideBoxes(reduction: BitReduction, held: number, out: Uint8Array): BitReducer {
  const { width, bands, factor } = reduction;
  const boxes = Math.ceil(width / factor);
  const ring = boxRing(
    reduction,
    held,
    () => new Int32Array(boxes),
    (counts, rows, row) => {
      let to = row * boxes * bands;
      for (let box = 0; box < boxes; box++) {
        const area = rows * Math.min(factor, width - box * factor);
        for (let band = 0; band < bands; band++) out[to++] = average(reduction, counts[box]!, area, band);
      }
    },
  );
  const perBox = factor / 8;
  return {
    add(data, bit, count, x, y) {
      const counts = ring.row(y);
      const end = bit + count;
      const [head, tail] = wholeBytes(bit, end, x);
      const shift = x - bit;
      for (let i = bit; i < head; i++) counts[Math.floor((i + shift) / factor)]! += bitAt(data, i);
      let box = Math.floor((head + shift) / factor);
      let stop = head / 8 + perBox - ((head + shift) % factor) / 8;
      for (let at = head / 8; at < tail / 8; box++, stop += perBox) {
        const boxEnd = Math.min(stop, tail / 8);
        let set = 0;
        for (; at < boxEnd; at++) set += ones[data[at]!]!;
        counts[box]! += set;
      }
      for (let i = tail; i < end; i++) counts[Math.floor((i + shift) / factor)]! += bitAt(data, i);
    },
    complete: ring.complete,
  };
}

/** For boxes of 2 or 4 columns: the counts of all boxes of a byte are the bytes of one sum. */
function narrowBoxes(reduction: BitReduction, held: number, out: Uint8Array): BitReducer {
  const { width, bands, factor, left } = reduction;
  const lanes = 8 / factor;
  const lead = left % 8;
  const boxes = Math.ceil(width / factor);
  const mask = (1 << factor) - 1;
  const spread = Int32Array.from({ length: 256 }, (_, byte) => {
    let sum = 0;
    for (let lane = 0; lane < lanes; lane++)
      sum += ones[(byte >> (8 - factor * (lane + 1))) & mask]! * 256 ** lane;
    return sum;
  });
  const ring = boxRing(
    reduction,
    held,
    () => new Int32Array(Math.ceil((lead + width) / 8)),
    (sums, rows, row) => {
      const area = rows * factor;
      const averages = Uint8Array.from({ length: (area + 1) * bands }, (_, i) =>
        average(reduction, Math.floor(i / bands), area, i % bands),
      );
      const start = row * boxes * bands;
      const whole = Math.floor(width / factor);
      let lane = lead / factor;
      for (let box = 0, at = 0; box < whole; at++, lane = 0) {
        const sum = sums[at]!;
        for (; lane < lanes && box < whole; lane++, box++) {
          const set = (sum >> (8 * lane)) & 255;
          if (bands === 1) out[start + box] = averages[set]!;
          else
            for (let band = 0; band < bands; band++)
              out[start + box * bands + band] = averages[set * bands + band]!;
        }
      }
      if (whole === boxes) return;
      const last = lead / factor + whole;
      const set = (sums[Math.floor(last / lanes)]! >> (8 * (last % lanes))) & 255;
      for (let band = 0; band < bands; band++)
        out[start + whole * bands + band] = average(reduction, set, rows * (width % factor), band);
    },
  );
  const addBits = (data: Uint8Array, from: number, to: number, shift: number, sums: Int32Array) => {
    for (let i = from; i < to; i++) {
      const x = i + shift;
      sums[Math.floor(x / 8)]! += bitAt(data, i) << (8 * Math.floor((x % 8) / factor));
    }
  };
  return {
    add(data, bit, count, x, y) {
      const sums = ring.row(y);
      const end = bit + count;
      const shift = x + lead - bit;
      const [head, tail] = wholeBytes(bit, end, x + lead);
      addBits(data, bit, head, shift, sums);
      let word = Math.floor((head + shift) / 8);
      for (let at = head / 8; at < tail / 8; at++, word++) sums[word]! += spread[data[at]!]!;
      addBits(data, tail, end, shift, sums);
    },
    complete: ring.complete,
  };
}
