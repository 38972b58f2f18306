// Tag trees of packet headers (ITU-T T.800 B.10.2).

import type { HeaderBits } from "./header-bits.ts";

/** Nodes level by level, the leaves first. */
export class TagTree {
  readonly #widths: number[] = [];
  /** Start of each level. */
  readonly #starts: number[] = [];
  /** Per node: twice the least value that it may still have, plus 1 if that is its value. */
  readonly #nodes: number[];

  constructor(width: number, height: number) {
    let count = 0;
    for (let w = width, h = height; ; w = (w + 1) >> 1, h = (h + 1) >> 1) {
      this.#widths.push(w);
      this.#starts.push(count);
      count += w * h;
      if (w * h <= 1) break;
    }
    this.#nodes = new Array(count).fill(0);
  }

  /** Reads until it is known if the value of a leaf is below `threshold`, and returns that. */
  isBelow(bits: HeaderBits, x: number, y: number, threshold: number): boolean {
    const leaf = this.#read(bits, x, y, threshold);
    return (leaf & 1) === 1 && leaf >> 1 < threshold;
  }

  /** Reads the value of a leaf; `most` + 1 if it is larger. */
  value(bits: HeaderBits, x: number, y: number, most: number): number {
    return this.#read(bits, x, y, most + 1) >> 1;
  }

  #read(bits: HeaderBits, x: number, y: number, threshold: number): number {
    const nodes = this.#nodes;
    let least = 0;
    let node = 0;
    for (let level = this.#widths.length - 1; level >= 0; level--) {
      const at = this.#starts[level]! + (y >> level) * this.#widths[level]! + (x >> level);
      node = nodes[at]!;
      if ((node & 1) === 0) {
        node = Math.max(node, least);
        while (node >> 1 < threshold && (node & 1) === 0) node += bits.bit() === 1 ? 1 : 2;
        nodes[at] = node;
      }
      least = node & ~1;
    }
    return node;
  }
}
