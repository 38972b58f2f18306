// Bytes of the index: varints (little-endian groups of seven bits, as in Protocol Buffers) and terms. Terms
// are written in CESU-8 (Unicode Technical Report 26), whose bytes sort as the code units of strings do.

import { LostBlock } from "./lost-block.ts";

/** Writes into an array that grows. */
export class ByteWriter {
  #bytes: Uint8Array<ArrayBuffer>;
  length = 0;

  constructor(capacity = 64) {
    this.#bytes = new Uint8Array(capacity);
  }

  #reserve(count: number): void {
    if (this.length + count <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(this.#bytes.length * 2, this.length + count));
    grown.set(this.#bytes.subarray(0, this.length));
    this.#bytes = grown;
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.length++] = value;
  }

  /** Writes a whole number from 0 to 2^53 - 1. */
  varint(value: number): void {
    this.#reserve(8);
    let rest = value;
    while (rest >= 128) {
      this.#bytes[this.length++] = (rest % 128) | 128;
      rest = rest < 0x80000000 ? rest >>> 7 : Math.floor(rest / 128);
    }
    this.#bytes[this.length++] = rest;
  }

  bytes(values: Uint8Array): void {
    this.#reserve(values.length);
    this.#bytes.set(values, this.length);
    this.length += values.length;
  }

  /** Writes the length in bytes and the text. */
  text(text: string): void {
    const bytes = termBytes(text);
    this.varint(bytes.length);
    this.bytes(bytes);
  }

  uint32(value: number): void {
    for (const shift of [0, 8, 16, 24]) this.byte((value >>> shift) & 255);
  }

  /** Returns the bytes that were written; they change with the next write. */
  writtenBytes(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.length);
  }

  clear(): void {
    this.length = 0;
  }
}

/** Reads what ByteWriter has written. Throws LostBlock if the bytes end early or a number is too large. */
export class ByteReader {
  readonly bytes: Uint8Array;
  offset: number;
  readonly end: number;

  constructor(bytes: Uint8Array, offset = 0, end = bytes.length) {
    if (offset < 0 || end > bytes.length || offset > end) throw new LostBlock();
    this.bytes = bytes;
    this.offset = offset;
    this.end = end;
  }

  get left(): number {
    return this.end - this.offset;
  }

  byte(): number {
    if (this.offset >= this.end) throw new LostBlock();
    return this.bytes[this.offset++]!;
  }

  /** Reads a number up to `max`. */
  varint(max = Number.MAX_SAFE_INTEGER): number {
    let value = 0;
    let factor = 1;
    for (let count = 0; count < 8; count++) {
      const byte = this.byte();
      value += (byte & 127) * factor;
      if (byte < 128) {
        if (value > max) throw new LostBlock();
        return value;
      }
      factor *= 128;
    }
    throw new LostBlock();
  }

  /** Returns the next bytes without a copy. */
  take(length: number): Uint8Array {
    if (length > this.left) throw new LostBlock();
    this.offset += length;
    return this.bytes.subarray(this.offset - length, this.offset);
  }

  text(maxBytes: number): string {
    const bytes = this.take(this.varint(maxBytes));
    return termText(bytes, bytes.length);
  }

  uint32(): number {
    return (this.byte() | (this.byte() << 8) | (this.byte() << 16) | (this.byte() << 24)) >>> 0;
  }

  /** Moves past varints. */
  skipVarints(count: number): void {
    let { offset } = this;
    for (let left = count; left > 0; left--) {
      while (offset < this.end && this.bytes[offset]! >= 128) offset++;
      if (offset++ >= this.end) throw new LostBlock();
    }
    this.offset = offset;
  }
}

/** Returns the CESU-8 bytes of any string, lone surrogates included. */
export function termBytes(term: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(term.length * 3);
  let length = 0;
  for (let i = 0; i < term.length; i++) {
    const unit = term.charCodeAt(i);
    if (unit < 0x80) bytes[length++] = unit;
    else if (unit < 0x800) {
      bytes[length++] = 0xc0 | (unit >> 6);
      bytes[length++] = 0x80 | (unit & 63);
    } else {
      bytes[length++] = 0xe0 | (unit >> 12);
      bytes[length++] = 0x80 | ((unit >> 6) & 63);
      bytes[length++] = 0x80 | (unit & 63);
    }
  }
  return bytes.subarray(0, length);
}

/** Returns the text of the first `length` bytes; throws LostBlock if they are no CESU-8. */
export function termText(bytes: Uint8Array, length: number): string {
  let text = "";
  for (let i = 0; i < length; ) {
    const first = bytes[i++]!;
    let unit = first;
    if (first >= 0x80) {
      const more = first >= 0xe0 ? 2 : 1;
      if (first < 0xc0 || first >= 0xf0 || i + more > length) throw new LostBlock();
      unit = more === 2 ? first & 15 : first & 31;
      for (let n = 0; n < more; n++) {
        if ((bytes[i]! & 0xc0) !== 0x80) throw new LostBlock();
        unit = (unit << 6) | (bytes[i++]! & 63);
      }
    }
    text += String.fromCharCode(unit);
  }
  return text;
}

/** Compares the first `length` bytes with others, as strings of their characters compare. */
export function compareBytes(one: Uint8Array, length: number, other: Uint8Array): number {
  const shorter = Math.min(length, other.length);
  for (let i = 0; i < shorter; i++) if (one[i] !== other[i]) return one[i]! - other[i]!;
  return length - other.length;
}

/** Returns the number of bytes that two arrays begin with alike. */
export function sharedLength(one: Uint8Array, other: Uint8Array): number {
  const shorter = Math.min(one.length, other.length);
  let length = 0;
  while (length < shorter && one[length] === other[length]) length++;
  return length;
}
