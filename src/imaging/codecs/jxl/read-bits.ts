// Reads the bits of the headers of a JPEG XL codestream, the first one lowest (ISO/IEC 18181-1, B.2).

import type { Choice } from "./bits.ts";

/** Thrown by a reader whose bytes are used up: the header may go on behind them. */
export class OutOfBits extends Error {
  override readonly name = "OutOfBits";
}

const enumChoices: readonly Choice[] = [
  [0, 0],
  [1, 0],
  [2, 4],
  [18, 6],
];
const u64Choices: readonly Choice[] = [
  [0, 0],
  [1, 4],
  [17, 8],
];

export class BitReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Number of bits that were read. */
  get position(): number {
    return this.#at;
  }

  /** Returns a number of up to 32 bits. Throws OutOfBits. */
  take(count: number): number {
    if (this.#at + count > 8 * this.#bytes.length) throw new OutOfBits();
    let value = 0;
    for (let got = 0; got < count; ) {
      const free = 8 - (this.#at & 7);
      const bits = Math.min(free, count - got);
      const part = (this.#bytes[this.#at >> 3]! >> (this.#at & 7)) & (2 ** bits - 1);
      value += part * 2 ** got;
      got += bits;
      this.#at += bits;
    }
    return value;
  }

  flag(): boolean {
    return this.take(1) === 1;
  }

  /** Skips any number of bits. Throws OutOfBits. */
  skip(count: number): void {
    if (this.#at + count > 8 * this.#bytes.length) throw new OutOfBits();
    this.#at += count;
  }

  /** Returns a value by one of four distributions. */
  choose(choices: readonly Choice[]): number {
    const [offset, bits] = choices[this.take(2)]!;
    return offset + this.take(bits);
  }

  takeEnum(): number {
    return this.choose(enumChoices);
  }

  /** Returns a value of up to 64 bits; above 2^53 it is rounded. */
  long(): number {
    const selector = this.take(2);
    if (selector < 3) {
      const [offset, bits] = u64Choices[selector]!;
      return offset + this.take(bits);
    }
    let value = this.take(12);
    for (let shift = 12; this.flag(); shift += 8) {
      if (shift === 60) return value + this.take(4) * 2 ** shift;
      value += this.take(8) * 2 ** shift;
    }
    return value;
  }

  /** Returns a number of half precision; infinite and undefined ones are NaN. */
  half(): number {
    const bits = this.take(16);
    const exponent = (bits >> 10) & 31;
    if (exponent === 31) return Number.NaN;
    const fraction = bits & 1023;
    const size = exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25);
    return bits & 0x8000 ? -size : size;
  }

  /** Goes to the next byte. */
  align(): void {
    this.#at = (this.#at + 7) & ~7;
  }
}
