// Decodes arithmetic-coded scans to coefficients (ITU-T T.81, F.1.4, F.2.4 and G.1.3).

import type { FrameHeader } from "../markers/frame.ts";
import type { ScanHeader } from "../markers/scan-header.ts";
import { ArithmeticDecoder, evenChances, nextMarker } from "./coder.ts";

/** Coefficients of a component: blocks row by row, whole MCUs, each of 64 values in zigzag order. */
export interface Plane {
  readonly values: Int16Array;
  /** Blocks in a row, and rows of them. */
  readonly across: number;
  readonly down: number;
}

/** Conditioning of tables 0 to 15 (DAC): the bounds L and U of DC, and Kx of AC. */
export interface Conditioning {
  readonly lower: Uint8Array;
  readonly upper: Uint8Array;
  readonly kx: Uint8Array;
}

/** Returns the conditioning of a file without DAC (F.1.4.4.1.4). */
export const usualConditioning = (): Conditioning => ({
  lower: new Uint8Array(16),
  upper: new Uint8Array(16).fill(1),
  kx: new Uint8Array(16).fill(5),
});

export interface ArithmeticScan {
  readonly frame: FrameHeader;
  readonly header: ScanHeader;
  readonly conditioning: Conditioning;
  /** MCUs between restart markers; 0 if there are none. */
  readonly interval: number;
}

/** Thrown for data that no encoder writes. */
export class BrokenScan extends Error {}

/** Statistics of a DC and of an AC table: bins of the tables F.4 and F.5. */
const bins = { dc: 64, ac: 256 } as const;
/** First bins of magnitudes of DC; of AC for coefficients up to Kx and after it. */
const magnitudes = { dc: 20, acLow: 189, acHigh: 217 } as const;
/** Distance from the bins of a magnitude's category to those of its bits. */
const toBits = 14;

/** Decodes the scan whose data begins at `start`; returns the position after it. */
export function decodeScan(
  file: Uint8Array,
  start: number,
  scan: ArithmeticScan,
  planes: readonly Plane[],
): number {
  const { frame, header, interval } = scan;
  const state = new ScanState(file, start, scan);
  const { components } = header;
  const [only] = components;
  if (components.length === 1 && only) {
    const { width, height } = frame.components[only.index]!;
    const across = Math.ceil(width / 8);
    const count = across * Math.ceil(height / 8);
    for (let block = 0; block < count; block++) {
      if (interval > 0 && block > 0 && block % interval === 0) state.restart();
      const plane = planes[only.index]!;
      state.decode(0, plane.values, 64 * (Math.floor(block / across) * plane.across + (block % across)));
    }
    return state.end;
  }
  const across = Math.ceil(frame.width / (8 * frame.hMax));
  const count = across * Math.ceil(frame.height / (8 * frame.vMax));
  for (let mcu = 0; mcu < count; mcu++) {
    if (interval > 0 && mcu > 0 && mcu % interval === 0) state.restart();
    const [row, column] = [Math.floor(mcu / across), mcu % across];
    components.forEach(({ index }, c) => {
      const { h, v } = frame.components[index]!;
      const plane = planes[index]!;
      for (let y = 0; y < v; y++)
        for (let x = 0; x < h; x++)
          state.decode(c, plane.values, 64 * ((row * v + y) * plane.across + column * h + x));
    });
  }
  return state.end;
}

/** State of a scan since the last restart. */
class ScanState {
  readonly #file: Uint8Array;
  readonly #scan: ArithmeticScan;
  #decoder: ArithmeticDecoder;
  readonly #dc = new Uint8Array(16 * bins.dc);
  readonly #ac = new Uint8Array(16 * bins.ac);
  readonly #even = Uint8Array.of(evenChances);
  /** Last DC values, and their conditioning categories, by component of the scan. */
  readonly #last = new Int32Array(4);
  readonly #context = new Uint8Array(4);

  constructor(file: Uint8Array, at: number, scan: ArithmeticScan) {
    this.#file = file;
    this.#scan = scan;
    this.#decoder = new ArithmeticDecoder(file, at);
  }

  get end(): number {
    return this.#decoder.at;
  }

  /** Begins again after the next restart marker, or before any other one. */
  restart(): void {
    const at = nextMarker(this.#file, this.#decoder.at) ?? this.#file.length;
    const code = this.#file[at + 1] ?? 0;
    this.#decoder = new ArithmeticDecoder(this.#file, code >= 0xd0 && code <= 0xd7 ? at + 2 : at);
    for (const values of [this.#dc, this.#ac, this.#last, this.#context]) values.fill(0);
  }

  /** Decodes the next block, of component `c` of the scan, into `values` from `at` on. */
  decode(c: number, values: Int16Array, at: number): void {
    const { frame, header } = this.#scan;
    if (!frame.progressive) {
      values[at] = this.#nextDc(c);
      this.#decodeAc(c, values, at, { first: 1, last: 63, low: 0 });
    } else if (header.first > 0) {
      if (header.high === 0) this.#decodeAc(c, values, at, header);
      else this.#refineAc(c, values, at);
    } else if (header.high === 0) values[at] = this.#nextDc(c) << header.low;
    else if (this.#isEven()) values[at]! |= 1 << header.low;
  }

  #isEven(): boolean {
    return this.#decoder.decide(this.#even, 0) === 1;
  }

  /** Figures F.19 to F.24 for DC. */
  #nextDc(c: number): number {
    const { header, conditioning } = this.#scan;
    const table = header.components[c]!.dcSelector;
    const base = table * bins.dc;
    const zero = base + this.#context[c]!;
    const decoder = this.#decoder;
    if (decoder.decide(this.#dc, zero) === 0) {
      this.#context[c] = 0;
      return this.#last[c]!;
    }
    const sign = decoder.decide(this.#dc, zero + 1);
    let bin = zero + 2 + sign;
    let size = decoder.decide(this.#dc, bin);
    if (size > 0)
      for (bin = base + magnitudes.dc; decoder.decide(this.#dc, bin) === 1; bin++) size = double(size);
    const isSmall = size < (1 << conditioning.lower[table]!) >> 1;
    const isLarge = size > (1 << conditioning.upper[table]!) >> 1;
    this.#context[c] = isSmall ? 0 : (isLarge ? 12 : 4) + 4 * sign;
    const value = this.#magnitude(this.#dc, bin + toBits, size);
    this.#last[c]! += sign ? -value : value;
    return this.#last[c]!;
  }

  /** The first pass over coefficients `first` to `last`: figure F.20. */
  #decodeAc(
    c: number,
    values: Int16Array,
    at: number,
    { first, last, low }: Pick<ScanHeader, "first" | "last" | "low">,
  ): void {
    const { header, conditioning } = this.#scan;
    const table = header.components[c]!.acSelector;
    const base = table * bins.ac;
    const decoder = this.#decoder;
    for (let k = first; k <= last; k++) {
      if (decoder.decide(this.#ac, base + 3 * (k - 1)) === 1) return;
      while (decoder.decide(this.#ac, base + 3 * (k - 1) + 1) === 0) if (++k > last) throw new BrokenScan();
      const isNegative = this.#isEven();
      let bin = base + 3 * (k - 1) + 2;
      let size = decoder.decide(this.#ac, bin);
      if (size > 0 && decoder.decide(this.#ac, bin) === 1) {
        size = 2;
        bin = base + (k <= conditioning.kx[table]! ? magnitudes.acLow : magnitudes.acHigh);
        for (; decoder.decide(this.#ac, bin) === 1; bin++) size = double(size);
      }
      const value = this.#magnitude(this.#ac, bin + toBits, size) << low;
      values[at + k] = isNegative ? -value : value;
    }
  }

  /** A later pass over coefficients: figure G.10. */
  #refineAc(c: number, values: Int16Array, at: number): void {
    const { first, last, low, components } = this.#scan.header;
    const base = components[c]!.acSelector * bins.ac;
    const decoder = this.#decoder;
    const step = 1 << low;
    let known = last;
    while (known > 0 && values[at + known] === 0) known--;
    for (let k = first; k <= last; k++) {
      if (k > known && decoder.decide(this.#ac, base + 3 * (k - 1)) === 1) return;
      while (!this.#refine(base + 3 * (k - 1), values, at + k, step)) if (++k > last) throw new BrokenScan();
    }
  }

  /** Refines a coefficient; returns false for one that stays 0. */
  #refine(bin: number, values: Int16Array, at: number, step: number): boolean {
    const value = values[at]!;
    const decides = this.#decoder.decide(this.#ac, value === 0 ? bin + 1 : bin + 2) === 1;
    if (value === 0) {
      if (decides) values[at] = this.#isEven() ? -step : step;
      return decides;
    }
    if (decides) values[at] = value + (value < 0 ? -step : step);
    return true;
  }

  /** Reads the bits below the highest one of a magnitude less 1 (figure F.24). */
  #magnitude(statistics: Uint8Array, bin: number, highest: number): number {
    let value = highest;
    for (let bit = highest >> 1; bit > 0; bit >>= 1)
      if (this.#decoder.decide(statistics, bin) === 1) value |= bit;
    return value + 1;
  }
}

function double(size: number): number {
  if (size >= 0x4000) throw new BrokenScan();
  return 2 * size;
}
