// The binary arithmetic decoder of ITU-T T.81, annex D.

import { marker } from "../markers/walk.ts";

/** Table D.3 by state, in hexadecimal: Qe, the next state after the less probable symbol, after the other. */
const estimates =
  "5a1d25861114080b03d801da00e5006f0036001a000d0006000300015a7f3f252cf2207c17b911820cef09a1072f055c" +
  "04060303024001b1014400f500b7008a0068004e003b002c5ae1484c3a0d2ef1261f1f3319a8151811770e740bfb09f8" +
  "0861070605cd04de040f036302d4025c01f801a40160012500f600cb00ab008f5b124d04412c37d82fe8293c23791edf" +
  "1aa9174e1424119c0f6b0d510bb60a4058324d1c438e3bdd34ee2eae299a251655704ca944d93e22382432b42e1756a8" +
  "4f4647e541cf3c3d375e52314c0f4639415e562750e74b855597504f5a10552259eb";
const afterLess =
  "010e10121417191c1e2123090a0c0f242627282a2b2d2e303133343638393b3c3e3f20212540414344454648494a4b4d" +
  "4e4f303232333435363738393a3b3d3d41505152535456575748484a4a4b4d4d5058595a5b5c5d56585f606163635d5f" +
  "6566676863696a6b67696c6d6e6f6e7070";
const afterMore =
  "0102030405060708090a0b0c0d0d0f101112131415161718191a1b1c1d1e1f202122230925262728292a2b2c2d2e2f30" +
  "3132333435363738393a3b3c3d3e3f204142434445464748494a4b4c4d4e4f305152535455565747595a5b5c5d5e5660" +
  "616263645d666768636a6b676d6b6f6d6f";
/** States in which the less probable symbol becomes the more probable one. */
const switching: readonly number[] = [0, 14, 36, 64, 80, 88, 95, 105, 110, 112];
const states = 113;

const numbers = (text: string, digits: number) =>
  Array.from({ length: states }, (_, i) => Number.parseInt(text.slice(i * digits, (i + 1) * digits), 16));
const [qe, less, more] = [numbers(estimates, 4), numbers(afterLess, 2), numbers(afterMore, 2)];

/** Bit of a statistics byte that holds the more probable symbol; the others are its state. */
const symbolBit = 128;

/** Tables by statistics byte, symbol included; the last state stays what it is, for even chances. */
const tables = {
  qe: new Uint16Array(256),
  less: new Uint8Array(256),
  more: new Uint8Array(256),
};
for (const symbol of [0, symbolBit]) {
  for (let state = 0; state < states; state++) {
    const flip = switching.includes(state) ? symbolBit : 0;
    tables.qe[symbol | state] = qe[state]!;
    tables.less[symbol | state] = (less[state]! | symbol) ^ flip;
    tables.more[symbol | state] = more[state]! | symbol;
  }
  const even = symbol | states;
  tables.qe[even] = qe[0]!;
  tables.less[even] = even;
  tables.more[even] = even;
}

/** A statistics byte for even chances (F.1.4.3.1). */
export const evenChances = states;

/** Decodes the binary decisions of an entropy-coded segment. */
export class ArithmeticDecoder {
  readonly #file: Uint8Array;
  #at: number;
  #code = 0;
  #interval = 0;
  /** Shifts until the next byte; -16 before the first two. */
  #left = -16;

  /** Decodes from position `at` of a file on. */
  constructor(file: Uint8Array, at: number) {
    this.#file = file;
    this.#at = at;
  }

  /** Position of the next byte; a marker stays there, and zeros are read instead of it. */
  get at(): number {
    return this.#at;
  }

  /** Returns the next decision, and adapts its statistics (figures D.17 to D.20). */
  decide(statistics: Uint8Array, index: number): number {
    while (this.#interval < 0x8000) {
      if (--this.#left < 0) {
        this.#code = (this.#code << 8) | this.#byte();
        this.#left += 8;
        if (this.#left < 0 && ++this.#left === 0) this.#interval = 0x8000;
      }
      this.#interval <<= 1;
    }
    const known = statistics[index]!;
    const estimate = tables.qe[known]!;
    const symbol = known >> 7;
    const rest = this.#interval - estimate;
    const bound = rest << this.#left;
    if (this.#code >= bound) {
      this.#code -= bound;
      this.#interval = estimate;
      // The larger part belongs to the more probable symbol.
      const isMore = rest < estimate;
      statistics[index] = isMore ? tables.more[known]! : tables.less[known]!;
      return isMore ? symbol : 1 - symbol;
    }
    this.#interval = rest;
    if (rest >= 0x8000) return symbol;
    const isLess = rest < estimate;
    statistics[index] = isLess ? tables.less[known]! : tables.more[known]!;
    return isLess ? 1 - symbol : symbol;
  }

  #byte(): number {
    const value = this.#file[this.#at];
    if (value === undefined) return 0;
    if (value !== 0xff) {
      this.#at++;
      return value;
    }
    let next = this.#at + 1;
    while (this.#file[next] === 0xff) next++;
    if (this.#file[next] !== 0) return 0;
    this.#at = next + 1;
    return 0xff;
  }
}

/** Returns the position of the next marker at or after `at`; undefined if there is none. */
export function nextMarker(file: Uint8Array, at: number): number | undefined {
  for (let i = file.indexOf(0xff, at); i >= 0 && i + 1 < file.length; i = file.indexOf(0xff, i + 1)) {
    const code = file[i + 1]!;
    if (code !== 0 && code !== 0xff && code !== marker.tem) return i;
  }
  return undefined;
}
