// Tag trees of packet headers (ITU-T T.800 B.10.2).

import type { HeaderBits } from "./header-bits.ts";

/** Levels of a tree, the leaves first: widths, and the position of the first node of each. */
interface Shape {
  readonly widths: readonly number[];
  readonly starts: readonly number[];
  readonly nodes: number;
}

function shapeOf(width: number, height: number): Shape {
  const widths: number[] = [];
  const starts: number[] = [];
  let nodes = 0;
  for (let w = width, h = height; ; w = (w + 1) >> 1, h = (h + 1) >> 1) {
    widths.push(w);
    starts.push(nodes);
    nodes += w * h;
    if (w * h <= 1) return { widths, starts, nodes };
  }
}

/** The shape of most trees of a file with small tiles. */
const single = shapeOf(1, 1);

/** Number of nodes up to which a plain array takes less than a typed one. */
const largestSmall = 64;

/** Nodes level by level, the leaves first. */
export class TagTree {
  readonly #shape: Shape;
  /** Per node: twice the least value that it may still have, plus 1 if that is its value. */
  readonly #nodes: number[] | Uint32Array;

  constructor(width: number, height: number) {
    this.#shape = width * height === 1 ? single : shapeOf(width, height);
    const { nodes } = this.#shape;
    this.#nodes = nodes <= largestSmall ? new Array<number>(nodes).fill(0) : new Uint32Array(nodes);
  }

  /** Reads until it is known if the value of a leaf is below `threshold`, and returns that. */
  isBelow(bits: HeaderBits, x: number, y: number, threshold: number): boolean {
    return isBelow(this.#read(bits, x, y, threshold), threshold);
  }

  /**
   * Reads until it is known if any leaf may be below `threshold`, and returns that. The first leaf that is
   * asked for begins with the same bits.
   */
  isRootBelow(bits: HeaderBits, threshold: number): boolean {
    return isBelow(this.#readNode(bits, this.#shape.nodes - 1, 0, threshold), threshold);
  }

  /** Reads the value of a leaf; `max` + 1 if it is larger. */
  value(bits: HeaderBits, x: number, y: number, max: number): number {
    return this.#read(bits, x, y, max + 1) >> 1;
  }

  #read(bits: HeaderBits, x: number, y: number, threshold: number): number {
    const { widths, starts } = this.#shape;
    let node = 0;
    for (let level = widths.length - 1; level >= 0; level--) {
      const at = starts[level]! + (y >> level) * widths[level]! + (x >> level);
      node = this.#readNode(bits, at, node & ~1, threshold);
    }
    return node;
  }

  /** Reads a node whose value is not below that of its parent, `least` / 2. */
  #readNode(bits: HeaderBits, at: number, least: number, threshold: number): number {
    let node = this.#nodes[at]!;
    if ((node & 1) === 1) return node;
    node = Math.max(node, least);
    while (node >> 1 < threshold && (node & 1) === 0) node += bits.bit() === 1 ? 1 : 2;
    this.#nodes[at] = node;
    return node;
  }
}

const isBelow = (node: number, threshold: number) => (node & 1) === 1 && node >> 1 < threshold;
