// Tag trees of packet headers (ITU-T T.800 B.10.2).

import type { HeaderBits } from "./header-bits.ts";

/** Nodes level by level, the leaves first. */
export class TagTree {
  readonly #widths: number[] = [];
  /** Where each level begins. */
  readonly #starts: number[] = [];
  /** The least value that each node may still have. */
  readonly #least: Uint16Array;
  readonly #isKnown: Uint8Array;

  constructor(width: number, height: number) {
    let count = 0;
    for (let w = width, h = height; ; w = (w + 1) >> 1, h = (h + 1) >> 1) {
      this.#widths.push(w);
      this.#starts.push(count);
      count += w * h;
      if (w * h <= 1) break;
    }
    this.#least = new Uint16Array(count);
    this.#isKnown = new Uint8Array(count);
  }

  /** Reads until it is known whether the value of a leaf is below `threshold` (at most 65535); whether it is. */
  isBelow(bits: HeaderBits, x: number, y: number, threshold: number): boolean {
    let least = 0;
    for (let level = this.#widths.length - 1; level >= 0; level--) {
      const node = this.#starts[level]! + (y >> level) * this.#widths[level]! + (x >> level);
      if (this.#least[node]! < least) this.#least[node] = least;
      while (this.#isKnown[node] === 0 && this.#least[node]! < threshold) {
        if (bits.bit() === 1) this.#isKnown[node] = 1;
        else this.#least[node]!++;
      }
      least = this.#least[node]!;
      if (level === 0) return this.#isKnown[node] === 1 && least < threshold;
    }
    return false;
  }

  /** Reads the value of a leaf; `most` + 1 if it is larger. */
  value(bits: HeaderBits, x: number, y: number, most: number): number {
    let value = 0;
    while (value <= most && !this.isBelow(bits, x, y, value + 1)) value++;
    return value;
  }
}
