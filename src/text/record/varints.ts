// Whole numbers in few bytes: seven bits a byte, small ones first (LEB128); signed ones with the sign as the
// last bit, so that small differences stay small.

/** The greatest number that is written. */
export const maxVarint = 2 ** 31 - 1;

/** Collects numbers. */
export class VarintWriter {
  #bytes = new Uint8Array(1024);
  #length = 0;

  /** Adds a whole number from 0 to {@link maxVarint}. */
  add(value: number): void {
    if (this.#length + 5 > this.#bytes.length) this.#grow(5);
    let rest = value;
    while (rest > 0x7f) {
      this.#bytes[this.#length++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.#bytes[this.#length++] = rest;
  }

  /** Adds a whole number of either sign, the magnitude up to half of {@link maxVarint} and beyond. */
  addSigned(value: number): void {
    this.add(value < 0 ? (-2 * value - 1) >>> 0 : (2 * value) >>> 0);
  }

  /** Adds bytes with their length before them. */
  addBytes(bytes: Uint8Array): void {
    this.add(bytes.length);
    this.#grow(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** Returns a copy of all bytes. */
  bytes(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  #grow(by: number): void {
    if (this.#length + by <= this.#bytes.length) return;
    const longer = new Uint8Array(Math.max(2 * this.#bytes.length, this.#length + by));
    longer.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = longer;
  }
}

/** Reads numbers; `fail` is called, and has to throw, if the bytes end early or no such number is written. */
export class VarintReader {
  readonly #bytes: Uint8Array;
  readonly #fail: () => never;
  #offset: number;

  constructor(bytes: Uint8Array, offset: number, fail: () => never) {
    this.#bytes = bytes;
    this.#offset = offset;
    this.#fail = fail;
  }

  /** Bytes that are left. */
  get left(): number {
    return this.#bytes.length - this.#offset;
  }

  next(): number {
    const first = this.#bytes[this.#offset]!;
    if (first < 0x80) {
      this.#offset++;
      return first;
    }
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.#bytes[this.#offset++];
      if (byte === undefined) return this.#fail();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value < 2 ** 32 ? value : this.#fail();
    }
    return this.#fail();
  }

  nextSigned(): number {
    const value = this.next();
    return value % 2 === 1 ? -(value + 1) / 2 : value / 2;
  }

  nextBytes(): Uint8Array {
    const length = this.next();
    if (length > this.left) return this.#fail();
    const bytes = this.#bytes.subarray(this.#offset, this.#offset + length);
    this.#offset += length;
    return bytes;
  }
}
