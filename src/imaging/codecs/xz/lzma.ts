// LZMA: decodes bytes from a range-coded chunk (the LZMA specification of Igor Pavlov's SDK, which is in the
// public domain).

import { damagedLzma } from "../damaged.ts";

/** Output that chunks append to, and copies refer back to. */
export interface Output {
  readonly bytes: Uint8Array;
  length: number;
  /** Start of the dictionary. */
  start: number;
}

const STATES = 12;
const POSITIONS = 16;
const LEAST_MATCH = 2;
const LITERAL = 0x300;
/** Half of a probability of 11 bits. */
const EVEN = 1024;
const TOP = 2 ** 24;
const SLOTS = 64;
const FIRST_MODEL = 4;
const LAST_MODEL = 14;
const FULL_DISTANCES = 128;
const ALIGN_BITS = 4;

const evenModels = (length: number) => new Uint16Array(length).fill(EVEN);

/** Models of the lengths of matches: two ranges by position, and one for all. */
class Lengths {
  readonly choice = evenModels(2);
  readonly low = evenModels(POSITIONS << 3);
  readonly mid = evenModels(POSITIONS << 3);
  readonly high = evenModels(256);
}

/** State that a chunk may inherit from the previous one. */
export class Lzma {
  readonly #contextBits: number;
  readonly #positionMask: number;
  readonly #literalMask: number;
  readonly #literals: Uint16Array;
  readonly #isMatch = evenModels(STATES * POSITIONS);
  readonly #isRep = evenModels(STATES);
  readonly #isRep0 = evenModels(STATES);
  readonly #isRep1 = evenModels(STATES);
  readonly #isRep2 = evenModels(STATES);
  readonly #isRep0Long = evenModels(STATES * POSITIONS);
  readonly #slots = evenModels(4 * SLOTS);
  readonly #distances = evenModels(1 + FULL_DISTANCES - LAST_MODEL);
  readonly #align = evenModels(1 << ALIGN_BITS);
  readonly #matchLengths = new Lengths();
  readonly #repLengths = new Lengths();
  #state = 0;
  #rep0 = 0;
  #rep1 = 0;
  #rep2 = 0;
  #rep3 = 0;
  #data: Uint8Array = new Uint8Array();
  #at = 0;
  #range = 0;
  #code = 0;

  /**
   * `properties`: (pb * 5 + lp) * 9 + lc. Throws ImagingError `decode` for those that LZMA2 does not allow.
   */
  constructor(properties: number) {
    const context = properties % 9;
    const literal = Math.floor(properties / 9) % 5;
    const position = Math.floor(properties / 45);
    if (position > 4 || context + literal > 4) throw damagedLzma("properties of LZMA2", `${properties}`);
    this.#contextBits = context;
    this.#literalMask = (1 << literal) - 1;
    this.#positionMask = (1 << position) - 1;
    this.#literals = evenModels(LITERAL << (context + literal));
  }

  /** Appends bytes to the output until it has `end`. Throws ImagingError `decode`. */
  decode(data: Uint8Array, output: Output, end: number): void {
    this.#data = data;
    this.#at = 5;
    this.#range = 0xffffffff;
    this.#code = new DataView(data.buffer, data.byteOffset, data.length).getUint32(1);
    const { bytes } = output;
    while (output.length < end) {
      const position = (output.length - output.start) & this.#positionMask;
      if (this.#bit(this.#isMatch, (this.#state << 4) + position) === 0) this.#readLiteral(output);
      else {
        const length = this.#match(position);
        const from = output.length - this.#rep0 - 1;
        if (length > 0 && from < output.start)
          throw damagedLzma("a copy of bytes that are there", `one from ${this.#rep0 + 1} bytes before`);
        const stop = Math.min(end, output.length + length);
        for (let at = output.length, source = from; at < stop; at++, source++)
          bytes[at] = bytes[source] as number;
        output.length = stop;
      }
      if (this.#at > data.length) throw damagedLzma("a whole chunk of LZMA", "the end of the data");
    }
  }

  #readLiteral(output: Output): void {
    const { bytes, length, start } = output;
    const before = length > start ? (bytes[length - 1] as number) : 0;
    const context =
      (((length - start) & this.#literalMask) << this.#contextBits) + (before >> (8 - this.#contextBits));
    const base = LITERAL * context;
    let symbol = 1;
    if (this.#state >= 7) {
      // After a match, the byte that would have continued it is part of the context.
      const source = length - this.#rep0 - 1;
      let matched = source >= start ? (bytes[source] as number) : 0;
      while (symbol < 0x100) {
        const expected = (matched >> 7) & 1;
        matched <<= 1;
        const bit = this.#bit(this.#literals, base + ((1 + expected) << 8) + symbol);
        symbol = (symbol << 1) | bit;
        if (bit !== expected) break;
      }
    }
    while (symbol < 0x100) symbol = (symbol << 1) | this.#bit(this.#literals, base + symbol);
    bytes[length] = symbol & 255;
    output.length++;
    this.#state = this.#state < 4 ? 0 : this.#state < 10 ? this.#state - 3 : this.#state - 6;
  }

  /** Returns the length of a match, whose distance becomes the latest. */
  #match(position: number): number {
    const state = this.#state;
    if (this.#bit(this.#isRep, state) === 0) {
      this.#rep3 = this.#rep2;
      this.#rep2 = this.#rep1;
      this.#rep1 = this.#rep0;
      const length = this.#length(this.#matchLengths, position);
      this.#state = state < 7 ? 7 : 10;
      this.#rep0 = this.#distance(Math.min(length, 3));
      return length + LEAST_MATCH;
    }
    if (this.#bit(this.#isRep0, state) === 0) {
      if (this.#bit(this.#isRep0Long, (state << 4) + position) === 0) {
        this.#state = state < 7 ? 9 : 11;
        return 1;
      }
    } else this.#exchange(state);
    const length = this.#length(this.#repLengths, position);
    this.#state = state < 7 ? 8 : 11;
    return length + LEAST_MATCH;
  }

  /** Makes an earlier distance the latest. */
  #exchange(state: number): void {
    let distance = this.#rep1;
    if (this.#bit(this.#isRep1, state) === 1) {
      distance = this.#rep2;
      if (this.#bit(this.#isRep2, state) === 1) {
        distance = this.#rep3;
        this.#rep3 = this.#rep2;
      }
      this.#rep2 = this.#rep1;
    }
    this.#rep1 = this.#rep0;
    this.#rep0 = distance;
  }

  #length({ choice, low, mid, high }: Lengths, position: number): number {
    if (this.#bit(choice, 0) === 0) return this.#tree(low, position << 3, 3);
    if (this.#bit(choice, 1) === 0) return 8 + this.#tree(mid, position << 3, 3);
    return 16 + this.#tree(high, 0, 8);
  }

  #distance(lengthState: number): number {
    const slot = this.#tree(this.#slots, lengthState * SLOTS, 6);
    if (slot < FIRST_MODEL) return slot;
    const bits = (slot >> 1) - 1;
    const base = (2 | (slot & 1)) * 2 ** bits;
    if (slot < LAST_MODEL) return base + this.#reverse(this.#distances, base - slot, bits);
    const direct = this.#readDirect(bits - ALIGN_BITS);
    return base + direct * 2 ** ALIGN_BITS + this.#reverse(this.#align, 0, ALIGN_BITS);
  }

  #tree(models: Uint16Array, base: number, bits: number): number {
    let symbol = 1;
    for (let i = 0; i < bits; i++) symbol = (symbol << 1) | this.#bit(models, base + symbol);
    return symbol - (1 << bits);
  }

  #reverse(models: Uint16Array, base: number, bits: number): number {
    let symbol = 1;
    let value = 0;
    for (let i = 0; i < bits; i++) {
      const bit = this.#bit(models, base + symbol);
      symbol = (symbol << 1) | bit;
      value |= bit << i;
    }
    return value;
  }

  #readDirect(bits: number): number {
    let value = 0;
    for (let i = 0; i < bits; i++) {
      this.#normalise();
      this.#range >>>= 1;
      const bit = this.#code >= this.#range ? 1 : 0;
      if (bit) this.#code -= this.#range;
      value = value * 2 + bit;
    }
    return value;
  }

  #bit(models: Uint16Array, i: number): number {
    this.#normalise();
    const model = models[i] as number;
    const bound = (this.#range >>> 11) * model;
    if (this.#code < bound) {
      this.#range = bound;
      models[i] = model + ((2048 - model) >> 5);
      return 0;
    }
    this.#range -= bound;
    this.#code -= bound;
    models[i] = model - (model >> 5);
    return 1;
  }

  #normalise(): void {
    if (this.#range >= TOP) return;
    this.#range = (this.#range << 8) >>> 0;
    this.#code = ((this.#code << 8) | (this.#data[this.#at++] ?? 0)) >>> 0;
  }
}
