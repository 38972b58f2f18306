// Bits of a packet header (ITU-T T.800 B.10.1): only seven in the byte after 0xFF.

/** Thrown if the bytes end within a header. */
export class HeaderEnd extends Error {}

export class HeaderBits {
  readonly #bytes: Uint8Array;
  #at: number;
  #byte = 0;
  #left = 0;

  /** Reads bits from byte `at` on. */
  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes;
    this.#at = at;
  }

  bit(): number {
    if (this.#left === 0) this.#next();
    this.#left--;
    return (this.#byte >> this.#left) & 1;
  }

  /** Reads a number of up to 31 bits. */
  number(count: number): number {
    let value = 0;
    for (let rest = count; rest > 0; ) {
      if (this.#left === 0) this.#next();
      const taken = Math.min(rest, this.#left);
      this.#left -= taken;
      value = (value << taken) | ((this.#byte >> this.#left) & ((1 << taken) - 1));
      rest -= taken;
    }
    return value;
  }

  #next(): void {
    if (this.#at >= this.#bytes.length) throw new HeaderEnd();
    this.#left = this.#byte === 0xff ? 7 : 8;
    this.#byte = this.#bytes[this.#at++]!;
  }

  /** Returns the position after the header: a last byte of 0xFF is followed by another one. */
  end(): number {
    return this.#byte === 0xff ? this.#at + 1 : this.#at;
  }
}
