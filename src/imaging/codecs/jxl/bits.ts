// Bits of the headers of a JPEG XL codestream, the first one lowest (ISO/IEC 18181-1, B.1 and B.2).

/** A distribution of `U32`: an offset and a number of bits. */
export type Choice = readonly [offset: number, bits: number];

export class BitWriter {
  readonly #bytes: number[] = [];
  #held = 0;
  #count = 0;

  /** Writes the lowest `count` bits of a value, at most 24. */
  put(value: number, count: number): void {
    this.#held |= value << this.#count;
    this.#count += count;
    while (this.#count >= 8) {
      this.#bytes.push(this.#held & 255);
      this.#held >>>= 8;
      this.#count -= 8;
    }
  }

  /**
   * Writes a value by the first of up to four distributions that holds it. Throws RangeError if none does.
   */
  putChoice(value: number, choices: readonly Choice[]): void {
    const selector = choices.findIndex(([offset, bits]) => value >= offset && value - offset < 2 ** bits);
    const choice = choices[selector];
    if (!choice)
      throw new RangeError(
        `Expected a value that fits one of ${choices.length} distributions; received ${value}.`,
      );
    const [offset, bits] = choice;
    this.put(selector, 2);
    const low = Math.min(bits, 16);
    this.put((value - offset) & 0xffff, low);
    this.put(Math.floor((value - offset) / 65_536), bits - low);
  }

  /** Fills the last byte with zeros. */
  align(): void {
    if (this.#count > 0) this.put(0, 8 - this.#count);
  }

  /** Returns the whole bytes. */
  bytes(): Uint8Array {
    return Uint8Array.from(this.#bytes);
  }
}
